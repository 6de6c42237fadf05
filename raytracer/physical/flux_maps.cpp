// SPDX-License-Identifier: MIT
// From integer sums to watts.
#include "raytracer/physical/flux_maps.h"

#include "raytracer/map_statistics.h"
#include "raytracer/mirror_outline.h"
#include "raytracer/physical/energy_terms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace helioray::physical {

namespace {

/// Conversion of sums to SI units.
struct Scale {
    double watts_per_quantum;
    double square_scale;

    double watts(int64_t quanta) const { return static_cast<double>(quanta) * watts_per_quantum; }
    /// Standard error from a sum of squared block differences.
    double error(int64_t squares) const {
        return std::sqrt(static_cast<double>(squares) / square_scale) * watts_per_quantum;
    }
};

/// The kernels want heliostats by target, readers of results by name.
std::vector<size_t> scenario_order(const std::vector<AimedHeliostat>& aimed) {
    std::vector<size_t> order(aimed.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return aimed[a].heliostat < aimed[b].heliostat;
    });
    return order;
}

}  // namespace

RunResult flux_maps(const Scenario& scenario,
                    const Field& field,
                    const SumsLayout& layout,
                    const int64_t* sums) {
    const std::vector<AimedHeliostat>& aimed = field.aimed();
    const Plan& plan = field.plan();
    // The field's scale holds for all planned rays: the fewer were traced, the more each counts.
    const int64_t rays_per_heliostat = sums[layout.rays_index()] / layout.num_heliostats;
    const double planned_share =
        rays_per_heliostat > 0
            ? static_cast<double>(plan.rays_per_heliostat) / static_cast<double>(rays_per_heliostat)
            : 1.0;
    const Scale scale{planned_share / field.quanta_per_watt(), field.square_scale()};
    // The view only reads: the sums stay untouched.
    const kernels::SumsView view = sums_view(layout, const_cast<int64_t*>(sums));
    const int64_t pixels = layout.height * layout.width;
    RunResult result;

    result.provenance.rays = sums[layout.rays_index()];
    result.error_uncertainty = error_uncertainty(plan, rays_per_heliostat);

    // Heliostats.
    std::vector<int64_t> delivered(scenario.targets.size(), 0);
    std::vector<int64_t> squares(scenario.targets.size(), 0);
    std::vector<bool> used(scenario.targets.size(), false);
    for (const size_t i : scenario_order(aimed)) {
        const AimedHeliostat& one = aimed[i];
        const int64_t* energy = view.energy + i * kernels::kNumEnergySums;
        const auto solar =
            static_cast<int64_t>(std::llround(static_cast<double>(field.heliostats()[i].ray_power) *
                                              static_cast<double>(rays_per_heliostat)));
        HeliostatResult heliostat;
        heliostat.name = scenario.heliostats[one.heliostat].name;
        heliostat.target = scenario.targets[one.target].name;
        heliostat.energy = energy_terms(energy, solar, scale.watts_per_quantum);
        heliostat.target_power_std_error = scale.error(view.power_square[i]);
        heliostat.orientation = one.orientation;
        heliostat.motor_positions = one.motor_positions;
        heliostat.aim_point = one.aim_point;
        heliostat.mirror_outline = mirror_outline(*scenario.heliostats[one.heliostat].surface);
        heliostat.rays = rays_per_heliostat;
        if (view.heliostat_flux != nullptr) {
            const auto extent = surface_extent(scenario.targets[one.target]);
            const double per_pixel =
                scale.watts_per_quantum * static_cast<double>(pixels) / (extent[0] * extent[1]);
            const int64_t* map = view.heliostat_flux + static_cast<int64_t>(i) * pixels;
            heliostat.flux.resize(static_cast<size_t>(pixels));
            std::transform(map, map + pixels, heliostat.flux.begin(), [&](int64_t quanta) {
                return static_cast<float>(static_cast<double>(quanta) * per_pixel);
            });
        }
        delivered[one.target] += energy[kernels::kDeliveredSum];
        squares[one.target] += view.power_square[i];
        used[one.target] = true;
        result.heliostats.push_back(std::move(heliostat));
    }

    // Targets.
    for (size_t t = 0; t < scenario.targets.size(); ++t) {
        if (!used[t]) continue;
        TargetResult target;
        target.target = scenario.targets[t];
        target.width = layout.width;
        target.height = layout.height;
        const auto extent = surface_extent(target.target);
        const double pixel_area = extent[0] * extent[1] / static_cast<double>(pixels);
        const int64_t* flux = view.flux + static_cast<int64_t>(t) * pixels;
        const int64_t* square = view.flux_square + static_cast<int64_t>(t) * pixels;
        target.flux.reserve(static_cast<size_t>(pixels));
        target.flux_std_error.reserve(static_cast<size_t>(pixels));
        for (int64_t p = 0; p < pixels; ++p) {
            target.flux.push_back(scale.watts(flux[p]) / pixel_area);
            target.flux_std_error.push_back(scale.error(square[p]) / pixel_area);
        }
        target.power_w = scale.watts(delivered[t]);
        target.power_std_error_w = scale.error(squares[t]);
        add_map_statistics(target);
        result.targets.push_back(std::move(target));
    }
    return result;
}

}  // namespace helioray::physical

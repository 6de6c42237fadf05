// SPDX-License-Identifier: MIT
// Converts sums to flux maps and energy terms.
#include "raytracer/tracing/physical/read_sums.h"

#include "raytracer/tracing/job/mesh_statistics.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "raytracer/tracing/physical/bundle_noise.h"
#include "raytracer/tracing/physical/plan.h"
#include "raytracer/tracing/physical/sums.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace helioray::physical {

namespace {

/// Converts sums to SI units.
struct Scale {
    double watts_per_quantum;
    double square_scale;

    double watts(int64_t quanta) const { return static_cast<double>(quanta) * watts_per_quantum; }
    /// Returns the standard error for a sum of squared block differences, W.
    double error(int64_t squares) const {
        return std::sqrt(static_cast<double>(squares) / square_scale) * watts_per_quantum;
    }
};

/// Returns the order of the heliostats in the scenario; the kernels need them sorted by target.
std::vector<size_t> scenario_order(const std::vector<AimedHeliostat>& aimed) {
    std::vector<size_t> order(aimed.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return aimed[a].heliostat < aimed[b].heliostat;
    });
    return order;
}

/// Converts the sums of one or more complete rounds to results.
class SumsReader {
  public:
    SumsReader(const PreparedField& prepared,
               const kernels::SumsLayout& layout,
               const int64_t* sums)
        : prepared_(prepared),
          field_(prepared.field()),
          layout_(layout),
          sums_(sums),
          // The view is used for reading only.
          view_(layout.view(const_cast<int64_t*>(sums))),
          rays_per_heliostat_(sums[layout.rays_index()] /
                              std::max<int64_t>(1, layout.num_heliostats)),
          scale_(make_scale()) {}

    RunResult read(const std::function<void(int64_t begin, int64_t end)>& done_with) const {
        const Scenario& scenario = prepared_.scenario();
        RunResult result;
        result.provenance.rays = sums_[layout_.rays_index()];
        result.error_uncertainty = error_uncertainty(field_.plan(), rays_per_heliostat_);
        for (const size_t i : scenario_order(field_.aimed())) {
            result.heliostats.push_back(heliostat(i));
            if (view_.heliostat_flux == nullptr || !done_with) continue;
            const int64_t* map = view_.heliostat_flux + static_cast<int64_t>(i) * pixels();
            done_with(map - sums_, map - sums_ + pixels());
        }
        std::vector<int64_t> powers;
        for (size_t i = 0; i < field_.aimed().size(); ++i) powers.push_back(delivered(i));
        const std::vector<TargetLight> lights = add_up_light();
        auto next_incident = std::ssize(scenario.targets);
        for (size_t t = 0; t < scenario.targets.size(); ++t) {
            const bool has_incident = field_.num_incident_maps() > 0 && field_.is_surface(t);
            const int64_t incident = has_incident ? next_incident++ : -1;
            if (!lights[t].is_used) continue;
            result.targets.push_back(target(t, static_cast<int64_t>(t), lights[t], powers));
            // The map of a mirror is that of all light on it.
            if (has_incident && scenario.targets[t].absorption &&
                scenario.targets[t].use != SurfaceUse::mirror)
                result.targets.back().incident = incident_light(t, incident, powers);
        }
        return result;
    }

  private:
    /// Sums of a target.
    struct TargetLight {
        bool is_used = false;   ///< a heliostat aims at it
        int64_t delivered = 0;  ///< quanta
        int64_t squares = 0;    ///< sum of squared block differences
    };

    int64_t pixels() const { return layout_.height * layout_.width; }
    int64_t delivered(size_t i) const {
        return view_.energy[i * kernels::kNumEnergySums + kernels::kDeliveredSum];
    }

    /// Returns the scale of the traced rays. The field's scale is that of all planned rays; if
    /// fewer rays were traced, each of them counts more.
    Scale make_scale() const {
        const double planned_share = rays_per_heliostat_ > 0
                                         ? static_cast<double>(field_.plan().rays_per_heliostat) /
                                               static_cast<double>(rays_per_heliostat_)
                                         : 1.0;
        return {planned_share / field_.quanta_per_watt(), field_.square_scale()};
    }

    HeliostatResult heliostat(size_t i) const {
        const Scenario& scenario = prepared_.scenario();
        const AimedHeliostat& traced = field_.aimed()[i];
        const auto solar = static_cast<int64_t>(
            std::llround(static_cast<double>(field_.heliostats()[i].ray_power) *
                         static_cast<double>(rays_per_heliostat_)));
        HeliostatResult heliostat;
        heliostat.name = scenario.heliostats[traced.heliostat].name;
        heliostat.target = scenario.targets[traced.target].name;
        heliostat.energy = energy_terms(
            view_.energy + i * kernels::kNumEnergySums,
            view_.shielded != nullptr ? view_.shielded[i] : 0,
            view_.reflected != nullptr ? view_.reflected + i * kernels::kNumReflectedSums : nullptr,
            solar,
            scale_.watts_per_quantum);
        heliostat.target_power_std_error = scale_.error(view_.power_square[i]);
        heliostat.orientation = traced.orientation;
        heliostat.motor_positions = traced.motor_positions;
        heliostat.aim_point = traced.aim_point;
        heliostat.mirror_outline = mirror_outline(*scenario.heliostats[traced.heliostat].surface);
        heliostat.rays = rays_per_heliostat_;
        // Without a table of states it is the same for all, as the configuration says.
        if (prepared_.has_states()) heliostat.reflectivity = field_.reflectivity(i);
        if (view_.heliostat_flux == nullptr) return heliostat;
        const Target& lit = scenario.targets[traced.target];
        const auto extent = surface_extent(lit);
        const double per_pixel =
            scale_.watts_per_quantum * static_cast<double>(pixels()) / (extent[0] * extent[1]);
        const int64_t* map = view_.heliostat_flux + static_cast<int64_t>(i) * pixels();
        heliostat.flux.resize(static_cast<size_t>(pixels()));
        std::transform(map, map + pixels(), heliostat.flux.begin(), [&](int64_t quanta) {
            return static_cast<float>(static_cast<double>(quanta) * per_pixel);
        });
        const auto density = [&](int64_t quanta, double area) {
            return scale_.watts(quanta) / area;
        };
        set_mesh_values(mesh_pixel_areas(lit, pixels()), map, density, heliostat.flux);
        return heliostat;
    }

    /// Returns the sums of all targets.
    std::vector<TargetLight> add_up_light() const {
        std::vector<TargetLight> lights(field_.targets().size());
        bool lights_receivers = false;
        for (size_t i = 0; i < field_.aimed().size(); ++i) {
            const size_t aimed_at = field_.aimed()[i].target;
            if (field_.is_surface(aimed_at)) {
                lights_receivers = true;
                continue;
            }
            lights[aimed_at].delivered += delivered(i);
            lights[aimed_at].squares += view_.power_square[i];
            lights[aimed_at].is_used = true;
        }
        // Light of any heliostat may fall on every surface of the receivers.
        for (size_t t = 0; lights_receivers && t < lights.size(); ++t) {
            if (!field_.is_surface(t)) continue;
            const int64_t* flux = view_.flux + static_cast<int64_t>(t) * pixels();
            lights[t] = {
                true, std::accumulate(flux, flux + pixels(), int64_t{0}), view_.surface_square[t]};
        }
        return lights;
    }

    /// Returns the light on a surface before absorption, from the map of an index.
    IncidentLight incident_light(size_t t,
                                 int64_t index,
                                 const std::vector<int64_t>& powers) const {
        const int64_t* flux = view_.flux + index * pixels();
        const TargetLight light{
            true, std::accumulate(flux, flux + pixels(), int64_t{0}), view_.surface_square[index]};
        TargetResult before = target(t, index, light, powers);
        return {std::move(before.flux),
                std::move(before.flux_std_error),
                before.power_w,
                before.power_std_error_w,
                before.peak_flux_w_m2,
                before.peak_flux_std_error_w_m2};
    }

    /// Returns the light on target t from the map of an index.
    TargetResult target(size_t t,
                        int64_t index,
                        const TargetLight& light,
                        const std::vector<int64_t>& powers) const {
        TargetResult target;
        target.target = prepared_.scenario().targets[t];
        target.width = layout_.width;
        target.height = layout_.height;
        const auto extent = surface_extent(target.target);
        const double pixel_area = extent[0] * extent[1] / static_cast<double>(pixels());
        const std::vector<double> areas = mesh_pixel_areas(target.target, pixels());
        const auto read_map = [&](const int64_t* maps, const auto& convert) {
            const int64_t* map = maps + index * pixels();
            std::vector<double> values(static_cast<size_t>(pixels()));
            std::transform(map, map + pixels(), values.begin(), [&](int64_t sum) {
                return convert(sum) / pixel_area;
            });
            const auto density = [&](int64_t sum, double area) { return convert(sum) / area; };
            set_mesh_values(areas, map, density, values);
            return values;
        };
        const auto watts = [&](int64_t quanta) { return scale_.watts(quanta); };
        target.flux = read_map(view_.flux, watts);
        target.flux_std_error =
            read_map(view_.flux_square, [&](int64_t squares) { return scale_.error(squares); });
        if (view_.flux_difference != nullptr)
            target.flux_noise = read_map(view_.flux_difference, watts);
        target.power_w = scale_.watts(light.delivered);
        target.power_std_error_w = scale_.error(light.squares);
        if (areas.empty())
            target.shared_noise = bundle_noise(field_, t, target, powers, rays_per_heliostat_);
        add_map_statistics(target);
        return target;
    }

    const PreparedField& prepared_;
    const Field& field_;
    const kernels::SumsLayout& layout_;
    const int64_t* sums_;
    kernels::SumsView view_;
    int64_t rays_per_heliostat_;
    Scale scale_;
};

}  // namespace

RunResult read_sums(const PreparedField& prepared,
                    const kernels::SumsLayout& layout,
                    const int64_t* sums,
                    const std::function<void(int64_t begin, int64_t end)>& done_with) {
    return SumsReader(prepared, layout, sums).read(done_with);
}

}  // namespace helioray::physical

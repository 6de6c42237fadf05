// SPDX-License-Identifier: MIT
// Computes the standard deviations of the flux, and how many of them the whole receiver needs.
#include "raytracer/solvers/aiming/traced/robust_room.h"

#include "kernels/host/parallel_for.h"
#include "raytracer/tracing/job/normal_deviates.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace helioray::aiming {

namespace {

// Number of error draws that determine the joint confidence.
constexpr size_t kDrawsOfField = 400;

/// Returns the standard deviations of the aim points on their targets, metres across and up.
std::vector<SurfacePoint> aim_deviations(const Scenario& scenario,
                                         const AimErrors& errors,
                                         const std::vector<AimedPoint>& points) {
    std::vector<SurfacePoint> result;
    for (const AimedPoint& point : points) {
        double sigma = errors.sigma[point.aim.heliostat];
        if (errors.tracking) sigma = std::hypot(sigma, errors.tracking_sigma[point.aim.heliostat]);
        const Vec3 way =
            subtract(point.aim.point, scenario.heliostats[point.aim.heliostat].position);
        const double distance = norm(way);
        // Reflection doubles the angular error of a mirror; on an upright surface, steep light
        // shifts further up or down.
        const double across = std::hypot(way[0], way[1]) / std::max(distance, 1e-9);
        result.push_back({2.0 * sigma * distance, 2.0 * sigma * distance / std::max(across, 0.4)});
    }
    return result;
}

/// Returns the change of the power by cell and draw that the drawn errors cause, W.
std::vector<std::vector<float>> draw_changes(const FluxModel& model,
                                             const std::vector<AimedPoint>& points,
                                             const std::vector<Setting>& settings,
                                             const std::vector<SurfacePoint>& errors,
                                             const std::vector<uint8_t>& counts) {
    std::vector<std::vector<float>> drawn(model.num_cells);
    for (size_t c = 0; c < drawn.size(); ++c)
        if (counts[c] != 0) drawn[c].assign(kDrawsOfField, 0.0f);
    std::vector<float> normals(kDrawsOfField);
    for (size_t i = 0; i < settings.size(); ++i) {
        if (settings[i].share == 0.0) continue;
        const size_t first = model.cells_of(i).first;
        const FluxChange change = model.change(i, settings[i].aim, errors[i]);
        // Seed the draws by heliostat, so that its errors do not depend on the other heliostats.
        NormalDeviates deviates(points[i].aim.heliostat + 1);
        for (const std::vector<double>* along : {&change.up, &change.across}) {
            for (float& normal : normals) normal = static_cast<float>(deviates.next());
            for (size_t c = 0; c < along->size(); ++c) {
                std::vector<float>& sums = drawn[first + c];
                const auto step = static_cast<float>((*along)[c]);
                if (sums.empty() || step == 0.0f) continue;
                for (size_t d = 0; d < kDrawsOfField; ++d) sums[d] += step * normals[d];
            }
        }
    }
    return drawn;
}

/// Returns the number of standard deviations below their limits at which all cells keep them in the
/// given fraction of the draws.
double joint_factor(const std::vector<std::vector<float>>& drawn,
                    const std::vector<double>& deviation,
                    const std::vector<double>& slack,
                    double confidence) {
    std::vector<double> needed(kDrawsOfField, 0.0);
    for (size_t c = 0; c < drawn.size(); ++c)
        for (size_t d = 0; d < drawn[c].size(); ++d)
            needed[d] = std::max(needed[d], drawn[c][d] / deviation[c] - slack[c]);
    // Round up, so that the fraction is reached.
    std::sort(needed.begin(), needed.end());
    const auto place = static_cast<size_t>(std::ceil(confidence * (kDrawsOfField + 1)));
    return needed[std::min(place, kDrawsOfField) - 1];
}

}  // namespace

std::vector<double> RobustRoom::watts() const {
    std::vector<double> room = deviation;
    for (double& value : room) value *= factor;
    return room;
}

RobustRoom robust_room(const RunConfig& config,
                       const Scenario& scenario,
                       const AimErrors& errors,
                       const FluxModel& model,
                       const std::vector<AimedPoint>& points,
                       const std::vector<Setting>& settings,
                       const std::vector<double>& limits,
                       double factor_before) {
    if (!errors.any()) return {};
    const std::vector<SurfacePoint> deviations = aim_deviations(scenario, errors, points);
    RobustRoom room{config.aiming.robust_sigma, model.deviations(settings, deviations)};
    if (!config.aiming.robust_confidence) return room;
    const std::vector<double> cells = model.cells(settings);
    std::vector<uint8_t> counts(cells.size(), 0);
    std::vector<double> slack(cells.size(), 0.0);
    for (size_t c = 0; c < cells.size(); ++c) {
        if (std::isinf(limits[c]) || room.deviation[c] <= 1e-9 * limits[c]) continue;
        slack[c] = std::max(0.0, (limits[c] - cells[c]) / room.deviation[c] - factor_before);
        // Ignore cells that are six or more standard deviations away.
        counts[c] = slack[c] < 6.0 ? 1 : 0;
    }
    const auto drawn = draw_changes(model, points, settings, deviations, counts);
    room.factor = joint_factor(drawn, room.deviation, slack, *config.aiming.robust_confidence);
    return room;
}

}  // namespace helioray::aiming

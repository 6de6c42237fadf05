// SPDX-License-Identifier: MIT
// Limits the effect of the other parameters beyond the four tilts, also at suns without records.
#include "raytracer/solvers/calibration/stages.h"
#include "raytracer/tracing/kinematics/pose.h"

namespace helioray::calibration {

namespace {

/// Use every third sun: pointing is most of the work, and a third of the suns gives the same
/// result.
constexpr size_t kEverySun = 3;

/// Returns the mean products of the slopes of all unknowns, over both axes of the normal and some
/// suns of the year. Returns an empty matrix if no target can be reached.
SquareMatrix mean_products(const SpotProblem& problem,
                           const std::vector<std::pair<std::string, TargetPlane>>& targets,
                           double latitude_deg) {
    // Use the parameters alone, without epochs.
    SpotProblem nominal;
    nominal.nominal = problem.nominal;
    nominal.parameters = problem.parameters;
    const SpotFitter fitter(nominal);
    const size_t count = fitter.num_unknowns();
    const SpotModel model(problem.nominal);
    SquareMatrix products(count);
    size_t numbers = 0;
    const std::vector<Vec3> suns = suns_of_the_year(latitude_deg);
    for (size_t i = 0; i < suns.size(); i += kEverySun) {
        for (const auto& [name, plane] : targets) {
            const Pointing pointing = point_mirror(problem.nominal, {suns[i], plane.centre});
            if (!pointing.reachable_normal || !pointing.within_limits[0] ||
                !pointing.within_limits[1]) {
                continue;
            }
            SpotRecord record;
            record.motor_positions = pointing.motor_positions;
            record.to_sun = suns[i];
            record.plane = plane;
            record.spot = plane.centre;
            const auto linear = fitter.linear(record, 0, model);
            if (!linear) continue;
            numbers += 2;
            for (const std::vector<double>& slope : linear->slope) {
                for (size_t a = 0; a < count; ++a) {
                    for (size_t b = 0; b < count; ++b) products(a, b) += slope[a] * slope[b];
                }
            }
            break;
        }
    }
    if (numbers == 0) return {};
    for (double& value : products.values()) value /= static_cast<double>(numbers);
    return products;
}

}  // namespace

SquareMatrix effect_beyond_tilts(const SpotProblem& problem,
                                 const std::vector<std::pair<std::string, TargetPlane>>& targets,
                                 double latitude_deg) {
    SquareMatrix products = mean_products(problem, targets, latitude_deg);
    const size_t count = products.size();
    size_t tilts = 0;
    while (tilts < count && problem.parameters[tilts].level == Level::tilts) ++tilts;
    // Regress the other slopes on those of the tilts. The square of a hundredth of a microradian
    // is added, so that degenerate tilts can be solved for.
    constexpr double kLeast = 1e-16;  // radians squared
    SquareMatrix of_tilts(tilts);
    for (size_t a = 0; a < tilts; ++a) {
        for (size_t b = 0; b < tilts; ++b) of_tilts(a, b) = products(a, b);
        of_tilts(a, a) += kLeast;
    }
    const Cholesky factors(std::move(of_tilts));
    SquareMatrix effect(count);
    for (size_t b = tilts; b < count; ++b) {
        std::vector<double> column(tilts);
        for (size_t t = 0; t < tilts; ++t) column[t] = products(t, b);
        const std::vector<double> followed = factors.solve(column);
        for (size_t a = tilts; a < count; ++a) {
            effect(a, b) = products(a, b);
            for (size_t t = 0; t < tilts; ++t) effect(a, b) -= products(a, t) * followed[t];
        }
    }
    return effect;
}

}  // namespace helioray::calibration

// SPDX-License-Identifier: MIT
// Gross outliers and what is wrong with them.
#include "raytracer/calibration/stages.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::calibration {

namespace {

// A record is gross if it lies so many standard deviations and mrad from where the others put it.
// The best fits of real heliostats leave single records 3.7 mrad off, at the rim of the suns.
constexpr double kDeviations = 6.0;
constexpr double kTilt = 4e-3;
// From here on a spot belongs to another sun and not to a mirror that is a little off; the sun
// moves so far in twelve minutes.
constexpr double kOtherSun = 3.0 * kRadiansPerDegree;
constexpr double kSameSun = 1.0 * kRadiansPerDegree;
constexpr double kLowestSun = 2.0 * kRadiansPerDegree;
constexpr double kLargestDeclination = 23.9 * kRadiansPerDegree;

double angle_between(const Vec3& a, const Vec3& b) {
    return std::acos(std::clamp(dot(a, b), -1.0, 1.0));
}

std::string bearing(const Vec3& to_sun) {
    double azimuth = std::atan2(to_sun[0], to_sun[1]) / kRadiansPerDegree;
    if (azimuth < 0) azimuth += 360.0;
    return fmt::format("azimuth {:.1f} deg, elevation {:.1f} deg",
                       azimuth,
                       std::asin(std::clamp(to_sun[2], -1.0, 1.0)) / kRadiansPerDegree);
}

bool can_stand_there(const Vec3& to_sun, double latitude_deg) {
    const double latitude = latitude_deg * kRadiansPerDegree;
    const double declination = std::asin(
        std::clamp(to_sun[1] * std::cos(latitude) + to_sun[2] * std::sin(latitude), -1.0, 1.0));
    return to_sun[2] > std::sin(kLowestSun) && std::abs(declination) < kLargestDeclination;
}

/// What is wrong with a record, from the mirror that the other records give.
std::string reason_of(const SpotRecord& record,
                      const KinematicsRecord& kinematics,
                      size_t others,
                      double tilt,
                      const NamedSuns& suns,
                      double latitude_deg) {
    const SpotModel model(kinematics);
    const auto ray = model.ray(record.motor_positions, record.to_sun);
    if (!ray) return "impossible motor position: its drive does not reach it";
    // The sun that this mirror would reflect to the spot.
    const Vec3 way = normalized(subtract(record.spot, ray->origin));
    const Vec3 sun = add_scaled(scaled(-1.0, way), 2.0 * dot(way, ray->normal), ray->normal);
    if (angle_between(sun, record.to_sun) > kOtherSun && can_stand_there(sun, latitude_deg)) {
        std::string of_another;
        for (const auto& [name, other] : suns) {
            if (angle_between(sun, other) < kSameSun) {
                of_another = ", near that of " + name;
                break;
            }
        }
        return fmt::format(
            "wrong sun: its motor positions and spot belong to a sun at {}{}, {:.1f} deg "
            "from the one recorded",
            bearing(sun),
            of_another,
            angle_between(sun, record.to_sun) / kRadiansPerDegree);
    }
    const auto spot = hit(*ray, record.plane);
    const std::string place = spot ? fmt::format("{:.2f} m ({:.1f} mrad of the normal)",
                                                 norm(subtract(*spot, record.spot)),
                                                 1e3 * tilt)
                                   : fmt::format("{:.1f} mrad of the normal", 1e3 * tilt);
    return fmt::format(
        "outlier: its spot lies {} from where the other {} records put it", place, others);
}

}  // namespace

bool is_gross(double tilt, double deviations) {
    return tilt > kTilt && deviations > kDeviations;
}

std::vector<Rejection> reject_outliers(SpotProblem& problem,
                                       double scale,
                                       std::vector<double>& unknowns,
                                       const NamedSuns& suns,
                                       double latitude_deg) {
    std::vector<Rejection> rejected;
    // Three records say more than the priors; a third of all may be wrong.
    const size_t most = problem.records.size() / 3;
    while (rejected.size() < most && problem.records.size() > 3) {
        const SpotFitter fitter(problem);
        const SpotFitter::Fit fit = fitter.fit(Level::drives, scale, unknowns, std::nullopt, 0.01);
        const double variance = kVarianceOfScale * scale * scale;
        double worst = 0.0, worst_tilt = 0.0;
        size_t at = 0;
        // Among many records none is so alone that the fit follows it half of the way.
        const bool many = problem.records.size() > 2 * fitter.num_unknowns();
        for (size_t i = 0; i < problem.records.size(); ++i) {
            const auto& [u, v] = fit.residuals[i];
            if (many && std::hypot(u, v) < 0.5 * kTilt) continue;
            const auto linear = fitter.linear(problem.records[i], problem.epochs[i], fit.unknowns);
            if (!linear) continue;
            // With a small weight a record has taken little from its residual.
            const LeftOutResidual out =
                without(*linear, fit.covariance, variance / std::min(1.0, fit.weights[i]));
            const double spread = variance + std::max(out.covariance[0], out.covariance[3]);
            const double tilt = std::hypot(out.value[0], out.value[1]);
            const double deviations = tilt / std::sqrt(spread);
            if (!is_gross(tilt, deviations) || deviations <= worst) continue;
            worst = deviations;
            worst_tilt = tilt;
            at = i;
        }
        unknowns = fit.unknowns;
        if (worst == 0.0) break;
        const SpotRecord outlier = problem.records[at];
        const size_t epoch = problem.epochs[at];
        problem.records.erase(problem.records.begin() + static_cast<long>(at));
        problem.epochs.erase(problem.epochs.begin() + static_cast<long>(at));
        const SpotFitter rest(problem);
        unknowns = rest.fit(Level::drives, scale, unknowns).unknowns;
        rejected.push_back({outlier.id,
                            reason_of(outlier,
                                      rest.kinematics(unknowns, epoch),
                                      problem.records.size(),
                                      worst_tilt,
                                      suns,
                                      latitude_deg)});
    }
    return rejected;
}

}  // namespace helioray::calibration

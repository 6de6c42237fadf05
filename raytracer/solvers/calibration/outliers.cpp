// SPDX-License-Identifier: MIT
// Finds gross outliers and their causes.
#include "raytracer/solvers/calibration/stages.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::calibration {

namespace {

// A record is gross if it is this many standard deviations and mrad away from the position that the
// others predict. The best fits of real heliostats leave single records 3.7 mrad off, at the edge
// of the range of suns.
constexpr double kDeviationsOfOutliers = 6.0;
constexpr double kTilt = 4e-3;
// Number of records up to which suspects are judged by the evidence without them, because few
// records do not predict another one reliably.
constexpr size_t kVeryFewRecords = 20;
// Prior frequency of gross errors and the scale of their Cauchy distribution.
constexpr double kGrossShare = 0.02;
constexpr double kGrossScale = 10e-3;
// Error of the sun's direction above which a spot belongs to another sun rather than to an
// inaccurate mirror; the sun moves this far in twelve minutes.
constexpr double kOtherSun = 3.0 * kRadiansPerDegree;
// A spot belongs to another target if its tilt there is at most this fraction of the recorded tilt.
constexpr double kShareOfTilt = 0.2;
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

/// Returns the target on which a spot with the same offset from the centre would agree with the
/// light of this mirror; empty if there is none.
std::optional<std::string> other_target(
    const SpotRecord& record,
    const SpotModel::Ray& ray,
    double tilt,
    const std::vector<std::pair<std::string, TargetPlane>>& targets) {
    const Vec3 offset = subtract(record.spot, record.plane.centre);
    const double right = dot(offset, record.plane.right), up = dot(offset, record.plane.up);
    std::optional<std::string> best;
    double nearest = std::min(kTilt, kShareOfTilt * tilt);
    for (const auto& [name, plane] : targets) {
        if (name == record.target) continue;
        const Vec3 spot = add_scaled(add_scaled(plane.centre, right, plane.right), up, plane.up);
        const double apart =
            0.5 * angle_between(ray.direction, normalized(subtract(spot, ray.origin)));
        if (apart >= nearest) continue;
        nearest = apart;
        best = name;
    }
    return best;
}

/// Returns the cause of an outlier, judged by the mirror that the other records determine.
std::string format_reason(const SpotRecord& record,
                          const KinematicsRecord& kinematics,
                          size_t others,
                          double tilt,
                          const Alternatives& alternatives) {
    const SpotModel model(kinematics);
    const auto ray = model.ray(record.motor_positions, record.to_sun);
    if (!ray) return "impossible motor position: its drive does not reach it";
    // Check targets first: another target explains one displacement, another sun nearly all.
    if (const auto target = other_target(record, *ray, tilt, alternatives.targets)) {
        return fmt::format(
            "wrong target: on '{}' its spot would lie where the other {} records "
            "put it, {:.1f} mrad of the normal from where it lies on '{}'",
            *target,
            others,
            1e3 * tilt,
            record.target);
    }
    // Compute the sun that this mirror would reflect to the spot.
    const Vec3 way = normalized(subtract(record.spot, ray->origin));
    const Vec3 sun = add_scaled(scaled(-1.0, way), 2.0 * dot(way, ray->normal), ray->normal);
    if (angle_between(sun, record.to_sun) > kOtherSun &&
        can_stand_there(sun, alternatives.latitude_deg)) {
        std::string of_another;
        for (const auto& [name, other] : alternatives.suns) {
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

/// A record that may have to be removed.
struct Suspect {
    size_t index = 0;
    double tilt = 0.0;        ///< Tilt from the position predicted by the others, radians.
    double deviations = 0.0;  ///< Tilt in standard deviations.
};

/// Returns records that are far from the position predicted by the others, by one step of Gauss and
/// Newton.
std::vector<Suspect> find_suspects(const SpotProblem& problem,
                                   const SpotFitter& fitter,
                                   const SpotFitter::Fit& fit,
                                   double scale) {
    const double variance = kVarianceOfScale * scale * scale;
    // Among many records none is so isolated that the fit follows half of its error.
    const bool many = problem.records.size() > 2 * fitter.num_unknowns();
    std::vector<Suspect> suspects;
    for (size_t i = 0; i < problem.records.size(); ++i) {
        const auto& [u, v] = fit.residuals[i];
        if (many && std::hypot(u, v) < 0.5 * kTilt) continue;
        const auto linear = fitter.linear(problem.records[i], problem.epochs[i], fit.unknowns);
        if (!linear) continue;
        // A record with a small weight has reduced its own residual only slightly.
        const LeftOutResidual out =
            without(*linear, fit.covariance, variance / std::min(1.0, fit.weights[i]));
        const double spread = variance + std::max(out.covariance[0], out.covariance[3]);
        const double tilt = std::hypot(out.value[0], out.value[1]);
        if (tilt > 0.5 * kTilt) suspects.push_back({i, tilt, tilt / std::sqrt(spread)});
    }
    return suspects;
}

/// Returns the record that is most standard deviations away from the position predicted by the
/// others, if it is gross.
std::optional<Suspect> farthest(const std::vector<Suspect>& suspects) {
    std::optional<Suspect> worst;
    for (const Suspect& suspect : suspects) {
        if (!is_gross(suspect.tilt, suspect.deviations)) continue;
        if (!worst || suspect.deviations > worst->deviations) worst = suspect;
    }
    return worst;
}

/// Returns the record that most likely has a gross error, if this is more likely than none.
///
/// Bayes' factor of "record i has a gross error" against "none has" is the evidence of the others
/// times the density of gross errors at the tilt t of record i, divided by the evidence of all.
/// Densities are in units of the density of Student's distribution at 0, 1 / (2 pi scale^2), as in
/// the evidence; the density of Cauchy's distribution in two dimensions is (1 + t^2 / g^2)^(-3/2) /
/// (2 pi g^2).
std::optional<Suspect> likeliest(const std::vector<Suspect>& suspects,
                                 const SpotProblem& problem,
                                 const SpotFitter& fitter,
                                 const std::vector<double>& unknowns,
                                 double scale) {
    if (suspects.empty()) return std::nullopt;
    const double all = average(fitter, std::nullopt, scale, unknowns).evidence;
    const double prior = std::log(kGrossShare / (1.0 - kGrossShare));
    std::optional<Suspect> worst;
    double largest = 0.0;
    for (Suspect suspect : suspects) {
        const size_t i = suspect.index;
        const Average others = average(fitter, std::nullopt, scale, unknowns, i);
        const auto linear = fitter.linear(problem.records[i], problem.epochs[i], others.unknowns);
        if (!linear) continue;
        suspect.tilt = std::hypot(linear->value[0], linear->value[1]);
        const double ratio = suspect.tilt / kGrossScale;
        const double odds = prior + others.evidence - all + 2.0 * std::log(scale / kGrossScale) -
                            1.5 * std::log1p(ratio * ratio);
        if (suspect.tilt < kTilt || odds <= largest) continue;
        largest = odds;
        worst = suspect;
    }
    return worst;
}

}  // namespace

bool is_gross(double tilt, double deviations) {
    return tilt > kTilt && deviations > kDeviationsOfOutliers;
}

std::vector<Rejection> reject_outliers(SpotProblem& problem,
                                       double scale,
                                       SpotFitter::Fit& fit,
                                       const Alternatives& alternatives) {
    std::vector<Rejection> rejected;
    // Three records have more information than the priors; up to a third of all may be wrong.
    const size_t most = problem.records.size() / 3;
    while (rejected.size() < most && problem.records.size() > 3) {
        const SpotFitter fitter(problem);
        const std::vector<Suspect> suspects = find_suspects(problem, fitter, fit, scale);
        const bool few = problem.records.size() <= kVeryFewRecords;
        const std::optional<Suspect> suspect =
            few ? likeliest(suspects, problem, fitter, fit.unknowns, scale) : farthest(suspects);
        if (!suspect) break;
        const auto at = static_cast<long>(suspect->index);
        const SpotRecord outlier = problem.records[suspect->index];
        const size_t epoch = problem.epochs[suspect->index];
        problem.records.erase(problem.records.begin() + at);
        problem.epochs.erase(problem.epochs.begin() + at);
        const SpotFitter rest(problem);
        fit = rest.fit(Level::drives, scale, fit.unknowns);
        rejected.push_back({outlier.id,
                            format_reason(outlier,
                                          rest.kinematics(fit.unknowns, epoch),
                                          problem.records.size(),
                                          suspect->tilt,
                                          alternatives)});
    }
    return rejected;
}

}  // namespace helioray::calibration

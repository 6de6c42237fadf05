// SPDX-License-Identifier: MIT
// Computes expected errors over the suns of a year, and the measurement that would lower them most.
#include "raytracer/solvers/calibration/stages.h"
#include "raytracer/tracing/kinematics/pose.h"
#include "scenario/files/units.h"

#include <cmath>

namespace helioray::calibration {

std::vector<Vec3> suns_of_the_year(double latitude_deg) {
    const double latitude = latitude_deg * kRadiansPerDegree;
    std::vector<Vec3> suns;
    for (const double declination_deg : {-23.4, -16.5, 0.0, 16.5, 23.4}) {
        const double declination = declination_deg * kRadiansPerDegree;
        for (int step = -4; step <= 4; ++step) {
            const double hour = 22.5 * step * kRadiansPerDegree;
            const Vec3 sun{-std::cos(declination) * std::sin(hour),
                           std::sin(declination) * std::cos(latitude) -
                               std::cos(declination) * std::cos(hour) * std::sin(latitude),
                           std::sin(declination) * std::sin(latitude) +
                               std::cos(declination) * std::cos(hour) * std::cos(latitude)};
            if (sun[2] > std::sin(10.0 * kRadiansPerDegree)) suns.push_back(sun);
        }
    }
    return suns;
}

namespace {

/// A possible measurement.
struct Candidate {
    Vec3 to_sun{};
    size_t target = 0;
    // derivatives of the residual with respect to the unknowns
    std::array<std::vector<double>, 2> slope;
    std::array<std::vector<double>, 2> spread;  // product of covariance and slope
    double nearest = 0.0;                       // nearest_sun() among the records
};

double product(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// Returns the mean of slope times slope transposed over both values of all candidates. With it a
/// gain costs as much as one candidate instead of a sum over all.
SquareMatrix mean_of_squares(const std::vector<Candidate>& all, size_t count) {
    SquareMatrix mean(count);
    const double share = 1.0 / (2.0 * static_cast<double>(all.size()));
    for (const Candidate& candidate : all) {
        for (const std::vector<double>& slope : candidate.slope) {
            for (size_t a = 0; a < count; ++a) {
                for (size_t b = 0; b < count; ++b) mean(a, b) += share * slope[a] * slope[b];
            }
        }
    }
    return mean;
}

/// Returns the reduction of the mean bending_variance() of all candidates by a measurement.
double bending_gain(const Candidate& measured, const std::vector<Candidate>& all, double bending) {
    double gain = 0.0;
    for (const Candidate& candidate : all) {
        const double nearest = dot(measured.to_sun, candidate.to_sun);
        if (nearest <= candidate.nearest) continue;
        gain += bending_variance(bending, candidate.nearest) - bending_variance(bending, nearest);
    }
    return gain / static_cast<double>(all.size());
}

/// Returns the reduction of the mean variance of all candidates by a measurement with this noise,
/// due to its information about the parameters.
double compute_gain(const Candidate& measured, const SquareMatrix& mean, double variance) {
    const std::vector<double>&first = measured.spread[0], &second = measured.spread[1];
    const double a = product(measured.slope[0], first) + variance;
    const double b = product(measured.slope[0], second);
    const double d = product(measured.slope[1], second) + variance;
    double uu = 0.0, uv = 0.0, vv = 0.0;
    for (size_t i = 0; i < first.size(); ++i) {
        for (size_t j = 0; j < first.size(); ++j) {
            uu += mean(i, j) * first[i] * first[j];
            uv += mean(i, j) * first[i] * second[j];
            vv += mean(i, j) * second[i] * second[j];
        }
    }
    return (uu * d - 2.0 * uv * b + vv * a) / (a * d - b * b);
}

}  // namespace

void judge_future(const SpotFitter& fitter,
                  const std::vector<std::pair<std::string, TargetPlane>>& targets,
                  double latitude_deg,
                  Outlook outlook,
                  HeliostatCalibration& result) {
    // Unknowns of the last epoch; shifts of earlier epochs no longer matter.
    std::vector<double> unknowns(fitter.num_unknowns(), 0.0);
    std::copy(result.unknowns.begin(), result.unknowns.end(), unknowns.begin());
    const size_t count = result.unknowns.size();
    std::vector<Candidate> candidates;
    // Pointing is a tenth of the work in a large field, for which a third of the suns is enough.
    const std::vector<Vec3> suns = suns_of_the_year(latitude_deg);
    const size_t step = outlook == Outlook::glance ? 3 : 1;
    for (size_t i = 0; i < suns.size(); i += step) {
        const Vec3& sun = suns[i];
        for (size_t target = 0; target < targets.size(); ++target) {
            const TargetPlane& plane = targets[target].second;
            const Pointing pointing = point_mirror(result.kinematics, {sun, plane.centre});
            if (!pointing.reachable_normal || !pointing.within_limits[0] ||
                !pointing.within_limits[1]) {
                continue;
            }
            SpotRecord record;
            record.motor_positions = pointing.motor_positions;
            record.to_sun = sun;
            record.plane = plane;
            record.spot = plane.centre;
            const auto linear = fitter.linear(record, static_cast<size_t>(-1), unknowns);
            if (!linear) continue;
            Candidate candidate{sun, target, linear->slope, {}, nearest_sun(sun, result.counted)};
            for (size_t k = 0; k < 2; ++k) {
                candidate.slope[k].resize(count);
                candidate.spread[k].assign(count, 0.0);
                for (size_t a = 0; a < count; ++a) {
                    for (size_t b = 0; b < count; ++b) {
                        candidate.spread[k][a] += result.covariance(a, b) * candidate.slope[k][b];
                    }
                }
            }
            candidates.push_back(std::move(candidate));
            if (outlook == Outlook::glance) break;
        }
    }
    if (candidates.empty()) return;
    double mean = 0.0;
    for (const Candidate& candidate : candidates) {
        for (size_t k = 0; k < 2; ++k) mean += product(candidate.slope[k], candidate.spread[k]);
        mean += 2.0 * bending_variance(result.bending, candidate.nearest);
    }
    mean /= 2.0 * static_cast<double>(candidates.size());
    result.aim_error = std::sqrt(mean);
    if (outlook != Outlook::search) return;
    double best = 0.0;
    const SquareMatrix squares = mean_of_squares(candidates, count);
    for (const Candidate& candidate : candidates) {
        const double scale = fitted_scale(result.scale, result.bending);
        const double gain = compute_gain(candidate, squares, kVarianceOfScale * scale * scale) +
                            bending_gain(candidate, candidates, result.bending);
        if (gain <= best) continue;
        best = gain;
        const double azimuth = std::atan2(candidate.to_sun[0], candidate.to_sun[1]);
        result.next = NextMeasurement{azimuth < 0 ? azimuth + 2.0 * std::numbers::pi : azimuth,
                                      std::asin(candidate.to_sun[2]),
                                      targets[candidate.target].first,
                                      std::sqrt(std::max(0.0, mean - gain))};
    }
}

}  // namespace helioray::calibration

// SPDX-License-Identifier: MIT
// Estimates the errors of real mirrors far from the suns that they were measured with.
#include "raytracer/solvers/calibration/stages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace helioray::calibration {

namespace {

/// Distance of suns beyond which the errors of rigid kinematics are independent.
constexpr double kReach = 30.0 * std::numbers::pi / 180.0;  // radians

/// Number of candidate values of the bending; they are closer together where they are small.
constexpr size_t kValues = 11;
double value(size_t i) {
    constexpr double kLargest = 4e-3;  // radians
    const double part = static_cast<double>(i) / static_cast<double>(kValues - 1);
    return kLargest * part * part;
}

/// Candidate values of FieldErrors::beyond_tilts, radians.
constexpr std::array<double, 5> kEffects{0.25e-3, 0.5e-3, 1e-3, 2e-3, 4e-3};

/// Decrease of the logarithm of the prior density of an effect at half or twice the usual effect;
/// it grows with the square. Errors of a block of suns are not independent, so a handful of
/// heliostats should not move the effect far.
constexpr double kFallPerDoubling = 5.0;

/// Fraction of the bending's variance that counts as noise of every record in a fit. The bending is
/// learnt from errors at suns that were not fitted. Such an error is the difference between the
/// deviation there and the deviation at the fitted suns, which the kinematics have followed. Far
/// from each other both are independent, so that a single record has half of this variance. Records
/// of one heliostat share the fraction r of it, their mean correlation, and the kinematics follow
/// the shared part: (1 - r) / 2 is left. For a correlation of exp(-(c / 30 deg)^2 / 2) with the
/// chord c the suns of heliostats in Juelich have r = 0.1 to 0.5; this value belongs to 0.28. With
/// 0.5 no class of distances is worse than four tilts (2.83 for 2.84 mrad from 20 to 40 degrees),
/// but records near fitted suns are: their median is 1.05 instead of 0.96 mrad.
constexpr double kShareInFits = 0.36;

/// Prior median of the bending (half of Cauchy's distribution). Most of the density is near 0, so
/// that few records of a rigid mirror do not widen its ellipses; the tail allows records to show a
/// larger value.
constexpr double kUsual = 0.3e-3;  // radians

/// Smallest and largest number of records for predicting blocks of suns from the others.
constexpr size_t kFewestForBlocks = 3;
constexpr size_t kMostForBlocks = 30;
constexpr size_t kBlocks = 3;

/// Returns at most kMostForBlocks records, evenly selected, in the order of their suns' azimuths.
std::vector<size_t> by_azimuth(const SpotProblem& problem) {
    std::vector<size_t> list;
    const size_t step = 1 + (problem.records.size() - 1) / kMostForBlocks;
    for (size_t i = 0; i < problem.records.size(); i += step) list.push_back(i);
    const auto azimuth = [&](size_t i) {
        const Vec3& sun = problem.records[i].to_sun;
        return std::atan2(sun[0], -sun[1]);  // from south, so that a day has no jump
    };
    std::stable_sort(
        list.begin(), list.end(), [&](size_t a, size_t b) { return azimuth(a) < azimuth(b); });
    return list;
}

/// Returns the logarithm of the density of a residual (radians) that was predicted with this
/// variance plus `own` about each axis; radians squared.
double log_density(const std::array<double, 2>& residual,
                   const std::array<double, 4>& predicted,
                   double own) {
    const double a = predicted[0] + own, d = predicted[3] + own, b = predicted[1];
    const double determinant = a * d - b * b;
    const auto& [u, v] = residual;
    // The scale of Student's distribution is smaller than the standard deviation.
    const double square =
        kVarianceOfScale * (u * u * d - 2.0 * u * v * b + v * v * a) / determinant;
    return -0.5 * std::log(determinant) - 0.5 * (kStudent + 2.0) * std::log1p(square / kStudent);
}

}  // namespace

double sun_distance(double nearest) {
    if (std::isinf(nearest)) return std::numeric_limits<double>::infinity();
    return std::acos(std::clamp(nearest, -1.0, 1.0));
}

double bending_variance(double bending, double nearest) {
    const double square_of_chord = 2.0 * std::max(0.0, 1.0 - nearest);
    const double deviation = bending * (1.0 - std::exp(-square_of_chord / (kReach * kReach)));
    return deviation * deviation;
}

double fitted_scale(double scale, double bending) {
    // The bending is a standard deviation; kVarianceOfScale converts it to a scale.
    return std::sqrt(scale * scale + kShareInFits * bending * bending / kVarianceOfScale);
}

std::vector<double> error_likelihood(const SpotProblem& problem,
                                     const SquareMatrix& effect,
                                     const CalibrationOptions& options,
                                     double scale,
                                     const std::vector<double>& unknowns) {
    std::vector<double> logarithms(kEffects.size() * kValues, 0.0);
    if (problem.records.size() < kFewestForBlocks) return logarithms;
    const std::vector<size_t> order = by_azimuth(problem);
    const double fitted = fitted_scale(scale, FieldErrors{}.bending);
    for (size_t block = 0; block < kBlocks; ++block) {
        const size_t begin = block * order.size() / kBlocks;
        const size_t end = (block + 1) * order.size() / kBlocks;
        SpotProblem others = problem;
        others.records.clear();
        others.epochs.clear();
        for (size_t place = 0; place < order.size(); ++place) {
            if (place >= begin && place < end) continue;
            others.records.push_back(problem.records[order[place]]);
            others.epochs.push_back(problem.epochs[order[place]]);
        }
        for (size_t e = 0; e < kEffects.size(); ++e) {
            others.stiffness = effect;
            for (double& value : others.stiffness.values()) value /= kEffects[e] * kEffects[e];
            const SpotFitter fitter(others);
            const Average fit = average(fitter, options.level, fitted, unknowns);
            for (size_t place = begin; place < end; ++place) {
                const SpotRecord& record = problem.records[order[place]];
                const auto linear =
                    fitter.linear(record, problem.epochs[order[place]], fit.unknowns);
                if (!linear) continue;
                const std::array<double, 4> predicted = predicted_variance(*linear, fit.covariance);
                const double near = nearest_sun(record.to_sun, others.records);
                for (size_t i = 0; i < kValues; ++i) {
                    logarithms[e * kValues + i] += log_density(
                        linear->value,
                        predicted,
                        kVarianceOfScale * scale * scale + bending_variance(value(i), near));
                }
            }
        }
    }
    return logarithms;
}

FieldErrors expected_errors(const std::vector<HeliostatCalibration>& field) {
    std::vector<double> logarithms(kEffects.size() * kValues, 0.0);
    for (const HeliostatCalibration& heliostat : field) {
        for (size_t i = 0; i < heliostat.error_likelihood.size(); ++i) {
            logarithms[i] += heliostat.error_likelihood[i];
        }
    }
    const double largest = *std::max_element(logarithms.begin(), logarithms.end());
    double sum = 0.0, square = 0.0, effect = 0.0;
    for (size_t e = 0; e < kEffects.size(); ++e) {
        for (size_t i = 0; i < kValues; ++i) {
            const double doublings = std::log2(kEffects[e] / FieldErrors{}.beyond_tilts);
            const double prior = std::exp(-kFallPerDoubling * doublings * doublings) /
                                 (1.0 + value(i) * value(i) / (kUsual * kUsual));
            const double width = value(std::min(i + 1, kValues - 1)) - value(i > 0 ? i - 1 : 0);
            const double density = width * prior * std::exp(logarithms[e * kValues + i] - largest);
            sum += density;
            square += density * value(i) * value(i);
            effect += density * std::log(kEffects[e]);
        }
    }
    // Ellipses depend on variances, and the mean variance is larger than the square of the mean.
    return {std::exp(effect / sum), std::sqrt(square / sum)};
}

}  // namespace helioray::calibration

// SPDX-License-Identifier: MIT
// Predicts records that lie between two epochs.
#include "raytracer/solvers/calibration/stages.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray::calibration {

namespace {

/// Returns the mean square of the distance between the records' spots and the centres of their
/// targets, along one direction, m2.
double aim_variance(const SpotProblem& problem, std::optional<size_t> left_out) {
    double sum = 0.0, count = 0.0;
    for (size_t i = 0; i < problem.records.size(); ++i) {
        if (left_out == i) continue;
        const SpotRecord& record = problem.records[i];
        const Vec3 offset = subtract(record.spot, record.plane.centre);
        sum += dot(offset, offset);
        count += 2.0;
    }
    return count > 0.0 ? sum / count : 0.0;
}

/// Returns the logarithm of the probability density that a heliostat with this prediction was aimed
/// at its target: Student's distribution about the target's centre, with the scatter of the other
/// records' spots and the variance of the prediction.
double log_density_of_aim(const Comparison& prediction, const TargetPlane& plane, double scatter) {
    const Vec3 offset = subtract(*prediction.predicted, plane.centre);
    const double x = dot(offset, plane.right), y = dot(offset, plane.up);
    const auto& c = prediction.covariance;
    const double xx = c[0] + scatter, yy = c[3] + scatter, xy = c[1];
    const double determinant = xx * yy - xy * xy;
    const double square = (x * x * yy - 2.0 * x * y * xy + y * y * xx) / determinant;
    return -0.5 * std::log(determinant) - 0.5 * (kStudent + 2.0) * std::log1p(square / kStudent);
}

/// Returns the weighted mean of several predictions of a record and the covariance about it. The
/// sum of the weights is 1; `origin` is that of the mirror in metres.
Comparison mixture(const std::vector<Comparison>& predictions,
                   const std::vector<double>& shares,
                   const Vec3& origin) {
    Comparison result = predictions.front();
    result.offset_m = {};
    result.covariance = {};
    for (size_t e = 0; e < predictions.size(); ++e) {
        for (size_t i = 0; i < 2; ++i) {
            result.offset_m[i] += shares[e] * predictions[e].offset_m[i];
        }
    }
    for (size_t e = 0; e < predictions.size(); ++e) {
        for (size_t i = 0; i < 2; ++i) {
            for (size_t j = 0; j < 2; ++j) {
                const double apart = (predictions[e].offset_m[i] - result.offset_m[i]) *
                                     (predictions[e].offset_m[j] - result.offset_m[j]);
                result.covariance[2 * i + j] +=
                    shares[e] * (predictions[e].covariance[2 * i + j] + apart);
            }
        }
    }
    Vec3 spot{};
    for (size_t e = 0; e < predictions.size(); ++e)
        spot = add_scaled(spot, shares[e], *predictions[e].predicted);
    result.predicted = spot;
    result.error_m = std::hypot(result.offset_m[0], result.offset_m[1]);
    result.error = half_angle(origin, result.measured, spot);
    const auto& [x, y] = result.offset_m;
    const auto& c = result.covariance;
    result.mahalanobis =
        (x * x * c[3] - 2.0 * x * y * c[1] + y * y * c[0]) / (c[0] * c[3] - c[1] * c[2]);
    return result;
}

}  // namespace

std::vector<double> epoch_shares(const SpotRecord& record,
                                 const SpotProblem& problem,
                                 std::optional<size_t> left_out) {
    std::vector<double> shares(problem.num_epochs, 0.0);
    size_t before = 0, after = problem.num_epochs - 1;
    double last = -std::numeric_limits<double>::infinity();
    double next = std::numeric_limits<double>::infinity();
    if (record.order) {
        for (size_t i = 0; i < problem.records.size(); ++i) {
            const std::optional<double>& order = problem.records[i].order;
            if (!order || left_out == i) continue;
            if (*order <= *record.order && *order > last) {
                last = *order;
                before = problem.epochs[i];
            }
            if (*order >= *record.order && *order < next) {
                next = *order;
                after = problem.epochs[i];
            }
        }
    }
    if (!std::isfinite(last)) before = after;
    if (!std::isfinite(next)) after = before;
    // The change is equally likely at all times between the two records.
    const double passed = after > before ? (*record.order - last) / (next - last) : 0.0;
    shares[before] = 1.0 - passed;
    shares[after] += passed;
    return shares;
}

Comparison predict(const SpotFitter& fitter,
                   const SpotProblem& problem,
                   const SpotRecord& record,
                   const std::vector<double>& unknowns,
                   const SquareMatrix& covariance,
                   double noise,
                   std::optional<size_t> left_out) {
    const std::vector<double> by_time = epoch_shares(record, problem, left_out);
    const double scatter = aim_variance(problem, left_out);
    std::vector<Comparison> predictions;
    std::vector<double> logarithms, shares;
    for (size_t epoch = 0; epoch < by_time.size(); ++epoch) {
        if (!(by_time[epoch] > 0.0)) continue;
        Comparison prediction = compare(fitter, record, epoch, unknowns, &covariance, noise);
        // Skip predictions that miss the plane: they have no spot, and no heliostat is aimed there.
        if (!prediction.predicted) continue;
        logarithms.push_back(std::log(by_time[epoch]) +
                             log_density_of_aim(prediction, record.plane, scatter));
        predictions.push_back(std::move(prediction));
    }
    if (predictions.empty()) {
        const auto likeliest = std::max_element(by_time.begin(), by_time.end()) - by_time.begin();
        return compare(
            fitter, record, static_cast<size_t>(likeliest), unknowns, &covariance, noise);
    }
    if (predictions.size() == 1) return predictions.front();
    const double largest = *std::max_element(logarithms.begin(), logarithms.end());
    double sum = 0.0;
    for (const double logarithm : logarithms) {
        shares.push_back(std::exp(logarithm - largest));
        sum += shares.back();
    }
    for (double& share : shares) share /= sum;
    return mixture(predictions, shares, problem.nominal.position);
}

}  // namespace helioray::calibration

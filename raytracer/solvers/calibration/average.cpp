// SPDX-License-Identifier: MIT
// Fits from a distant start, averages over levels, and computes residuals without a record.
#include "raytracer/solvers/calibration/stages.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray::calibration {

namespace {

/// Returns the growth of the cost, to second order, if the unknowns from `first` to `last` were
/// fixed at 0. The covariance is conservative, so the result is a lower bound.
double cost_without(const SpotFitter::Fit& fit, size_t first, size_t last) {
    std::vector<size_t> list;
    for (size_t i = first; i < last; ++i) {
        if (fit.covariance(i, i) > 0) list.push_back(i);
    }
    if (list.empty()) return 0.0;
    SquareMatrix matrix(list.size());
    std::vector<double> values;
    for (size_t a = 0; a < list.size(); ++a) {
        values.push_back(fit.unknowns[list[a]]);
        for (size_t b = 0; b < list.size(); ++b) matrix(a, b) = fit.covariance(list[a], list[b]);
    }
    const Cholesky factors(std::move(matrix));
    if (!factors.positive()) return 0.0;
    const std::vector<double> solved = factors.solve(values);
    double sum = 0.0;
    for (size_t a = 0; a < list.size(); ++a) sum += 0.5 * values[a] * solved[a];
    return sum;
}

}  // namespace

SpotFitter::Fit fit_from_afar(const SpotProblem& problem, double scale) {
    // With a wide scale every record pulls; with the final scale outliers no longer do. A part of
    // many records is enough to come near the maximum.
    constexpr size_t kEnough = 40;
    constexpr double kRoughGain = 0.1;
    const SpotFitter fitter(problem);
    SpotProblem some;
    const size_t step = 1 + (problem.records.size() - 1) / kEnough;
    if (step > 1) {
        some.nominal = problem.nominal;
        some.parameters = problem.parameters;
        some.num_epochs = problem.num_epochs;
        some.stiffness = problem.stiffness;
        for (size_t i = 0; i < problem.records.size(); i += step) {
            some.records.push_back(problem.records[i]);
            some.epochs.push_back(problem.epochs[i]);
        }
    }
    const SpotFitter of_some(step > 1 ? some : problem);
    std::vector<double> unknowns(fitter.num_unknowns(), 0.0);
    for (const double wide : {30e-3, 5e-3}) {
        unknowns = of_some.fit(Level::drives, wide, std::move(unknowns), std::nullopt, kRoughGain)
                       .unknowns;
    }
    return fitter.fit(Level::drives, scale, std::move(unknowns), std::nullopt, 0.01);
}

Average average(const SpotFitter& fitter,
                const std::optional<Level>& level,
                double scale,
                const std::vector<double>& start,
                std::optional<size_t> left_out) {
    Average result;
    if (level) {
        SpotFitter::Fit fit = fitter.fit(*level, scale, start, left_out);
        result.weights[static_cast<size_t>(*level)] = 1.0;
        result.evidence = fit.evidence;
        result.unknowns = std::move(fit.unknowns);
        result.covariance = std::move(fit.covariance);
        return result;
    }
    // Fit the largest set first. A smaller set fits no better, and no evidence is larger than the
    // density at the maximum: once that is negligible, skip the smaller sets. Also skip sets that
    // would cost twice as much according to the curvature about the maximum.
    constexpr double kHopeless = 14.0;  // a weight below a millionth
    std::vector<std::optional<SpotFitter::Fit>> fits(kLevels);
    double best = -std::numeric_limits<double>::infinity();
    for (size_t i = kLevels; i-- > 0;) {
        fits[i] = fitter.fit(static_cast<Level>(i), scale, start, left_out);
        best = std::max(best, fits[i]->evidence);
        if (-fits[i]->cost < best - kHopeless || i == 0) break;
        const auto [first, last] = fitter.unknowns_of(static_cast<Level>(i));
        if (cost_without(*fits[i], first, last) > 2.0 * kHopeless) break;
    }
    double sum = 0.0;
    for (const auto& fit : fits) sum += fit ? std::exp(fit->evidence - best) : 0.0;
    result.evidence = best + std::log(sum / static_cast<double>(kLevels));
    const size_t count = fitter.num_unknowns();
    result.unknowns.assign(count, 0.0);
    for (size_t i = 0; i < kLevels; ++i) {
        if (!fits[i]) continue;
        result.weights[i] = std::exp(fits[i]->evidence - best) / sum;
        for (size_t a = 0; a < count; ++a) {
            result.unknowns[a] += result.weights[i] * fits[i]->unknowns[a];
        }
    }
    // Add the variance within the levels and between them.
    result.covariance = SquareMatrix(count);
    for (size_t i = 0; i < kLevels; ++i) {
        const double weight = result.weights[i];
        if (!fits[i] || weight < 1e-6) continue;
        for (size_t a = 0; a < count; ++a) {
            const double da = fits[i]->unknowns[a] - result.unknowns[a];
            for (size_t b = 0; b < count; ++b) {
                const double db = fits[i]->unknowns[b] - result.unknowns[b];
                result.covariance(a, b) += weight * (fits[i]->covariance(a, b) + da * db);
            }
        }
    }
    return result;
}

std::array<double, 4> predicted_variance(const SpotFitter::Linear& linear,
                                         const SquareMatrix& covariance) {
    std::array<double, 4> variance{};
    const size_t count = covariance.size();
    const std::vector<double>&u = linear.slope[0], &v = linear.slope[1];
    for (size_t a = 0; a < count; ++a) {
        // sums over the elements below the diagonal, equal to those above
        double by_u = 0.0, by_v = 0.0;
        for (size_t b = 0; b < a; ++b) {
            by_u += covariance(a, b) * u[b];
            by_v += covariance(a, b) * v[b];
        }
        const double own = covariance(a, a);
        variance[0] += u[a] * (own * u[a] + 2.0 * by_u);
        variance[1] += u[a] * (own * v[a] + by_v) + v[a] * by_u;
        variance[3] += v[a] * (own * v[a] + 2.0 * by_v);
    }
    variance[2] = variance[1];
    return variance;
}

LeftOutResidual without(const SpotFitter::Linear& linear,
                        const SquareMatrix& covariance,
                        double variance) {
    // P = J C J^T is the variance of the prediction with the record. The remaining part of the
    // record's own noise R gives the fraction of the residual that the fit has removed: R (R -
    // P)^-1 v.
    const std::array<double, 4> p = predicted_variance(linear, covariance);
    // If the other records do not determine this one, the remainder would be 0; keep a thousandth.
    const double least = 1e-3 * variance;
    const double a = std::max(variance - p[0], least), d = std::max(variance - p[3], least);
    const double limit = 0.999 * std::sqrt(a * d);
    const double b = std::clamp(-p[1], -limit, limit);
    const double determinant = a * d - b * b;
    const std::array<double, 4> inverse{
        d / determinant, -b / determinant, -b / determinant, a / determinant};
    LeftOutResidual result;
    for (size_t k = 0; k < 2; ++k) {
        result.value[k] =
            variance * (inverse[2 * k] * linear.value[0] + inverse[2 * k + 1] * linear.value[1]);
        // Use R (R - P)^-1 P = R (R - P)^-1 R - R.
        for (size_t l = 0; l < 2; ++l) {
            result.covariance[2 * k + l] =
                variance * variance * inverse[2 * k + l] - (k == l ? variance : 0.0);
        }
    }
    return result;
}

}  // namespace helioray::calibration

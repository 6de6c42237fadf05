// SPDX-License-Identifier: MIT
// Fits from afar, averages over levels, residuals without a record.
#include "raytracer/calibration/stages.h"

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

SpotFitter::Fit fit_from_afar(const SpotFitter& fitter, double scale) {
    // With a wide scale every record pulls, with the final one outliers no longer do.
    std::vector<double> unknowns(fitter.num_unknowns(), 0.0);
    for (const double wide : {30e-3, 10e-3, 3e-3}) {
        if (wide > scale) unknowns = fitter.fit(Level::drives, wide, std::move(unknowns)).unknowns;
    }
    return fitter.fit(Level::drives, scale, std::move(unknowns));
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
        result.unknowns = std::move(fit.unknowns);
        result.covariance = std::move(fit.covariance);
        return result;
    }
    std::vector<SpotFitter::Fit> fits;
    double best = 0.0;
    for (size_t i = 0; i < kLevels; ++i) {
        fits.push_back(fitter.fit(static_cast<Level>(i), scale, start, left_out));
        best = i == 0 ? fits[i].evidence : std::max(best, fits[i].evidence);
    }
    double sum = 0.0;
    for (size_t i = 0; i < kLevels; ++i) sum += std::exp(fits[i].evidence - best);
    const size_t count = fitter.num_unknowns();
    result.unknowns.assign(count, 0.0);
    for (size_t i = 0; i < kLevels; ++i) {
        result.weights[i] = std::exp(fits[i].evidence - best) / sum;
        for (size_t a = 0; a < count; ++a) {
            result.unknowns[a] += result.weights[i] * fits[i].unknowns[a];
        }
    }
    // Variance within the levels and between them.
    result.covariance = SquareMatrix(count);
    for (size_t i = 0; i < kLevels; ++i) {
        const double weight = result.weights[i];
        if (weight < 1e-6) continue;
        for (size_t a = 0; a < count; ++a) {
            const double da = fits[i].unknowns[a] - result.unknowns[a];
            for (size_t b = 0; b < count; ++b) {
                const double db = fits[i].unknowns[b] - result.unknowns[b];
                result.covariance(a, b) += weight * (fits[i].covariance(a, b) + da * db);
            }
        }
    }
    return result;
}

LeftOutResidual without(const SpotFitter::Linear& linear,
                        const SquareMatrix& covariance,
                        double variance) {
    // P = J C J^T is the prediction's variance with the record; what is left of its own noise R
    // says how much of the residual the fit has taken away: R (R - P)^-1 v.
    std::array<double, 4> p{};
    const size_t count = covariance.size();
    for (size_t k = 0; k < 2; ++k) {
        for (size_t a = 0; a < count; ++a) {
            if (linear.slope[k][a] == 0.0) continue;
            double row[2] = {0.0, 0.0};
            for (size_t b = 0; b < count; ++b) {
                row[0] += covariance(a, b) * linear.slope[0][b];
                row[1] += covariance(a, b) * linear.slope[1][b];
            }
            p[2 * k] += linear.slope[k][a] * row[0];
            p[2 * k + 1] += linear.slope[k][a] * row[1];
        }
    }
    // A record that the others say nothing about would leave no rest; keep a thousandth.
    const double least = 1e-3 * variance;
    const double a = std::max(variance - p[0], least), d = std::max(variance - p[3], least);
    const double limit = 0.999 * std::sqrt(a * d);
    const double b = std::clamp(-p[1], -limit, limit);
    const double determinant = a * d - b * b;
    const std::array<double, 4> inverse{d / determinant, -b / determinant, -b / determinant,
                                        a / determinant};
    LeftOutResidual result;
    for (size_t k = 0; k < 2; ++k) {
        result.value[k] = variance * (inverse[2 * k] * linear.value[0] +
                                      inverse[2 * k + 1] * linear.value[1]);
        // R (R - P)^-1 P = R (R - P)^-1 R - R.
        for (size_t l = 0; l < 2; ++l) {
            result.covariance[2 * k + l] =
                variance * variance * inverse[2 * k + l] - (k == l ? variance : 0.0);
        }
    }
    return result;
}

}  // namespace helioray::calibration

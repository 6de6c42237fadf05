// SPDX-License-Identifier: MIT
// Maximises the evidence by steps of Fisher's scoring.
#include "raytracer/solvers/reconstruction/fit/error_scales.h"

#include "raytracer/linear/cholesky.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace helioray::reconstruction {

namespace {

// Prior standard deviation of a scale's logarithm. With 1, two images of AA39 lead farther off more
// often; with 0.5, one image of a nearly right mirror of 30 facets does.
constexpr double kDeviation = 0.6;
constexpr std::array<double, 2> kScales{0.02, 10.0};
constexpr int kMostScaleSteps = 20;
constexpr double kLongestStep = 0.7;  // change of a logarithm
constexpr double kSmallestStep = 0.02;

/// Returns the likelihood of amplitudes: first those of the modes in units of one expected
/// deviation, then the other unknowns.
LinearLikelihood of_amplitudes(const std::vector<ErrorMode>& modes,
                               const LinearLikelihood& images,
                               size_t num_unknowns) {
    const size_t from = images.right.size();
    std::vector<std::vector<std::pair<size_t, double>>> columns;
    for (const ErrorMode& mode : modes) {
        auto& column = columns.emplace_back();
        for (size_t i = 0; i < num_unknowns; ++i)
            if (mode.unknowns[i] != 0.0) column.emplace_back(i, mode.unknowns[i]);
    }
    for (size_t i = num_unknowns; i < from; ++i) columns.push_back({{i, 1.0}});
    const size_t size = columns.size();
    LinearLikelihood made{std::vector<double>(size * size, 0.0), std::vector<double>(size, 0.0)};
    for (size_t a = 0; a < size; ++a) {
        std::vector<double> row(from, 0.0);
        for (const auto& [i, value] : columns[a]) {
            made.right[a] += value * images.right[i];
            for (size_t j = 0; j < from; ++j) row[j] += value * images.matrix[i * from + j];
        }
        for (size_t b = 0; b < size; ++b)
            for (const auto& [j, value] : columns[b]) made.matrix[a * size + b] += value * row[j];
    }
    return made;
}

}  // namespace

ErrorScales likely_scales(const MirrorShape& shape,
                          const LinearLikelihood& images,
                          const ErrorScales& start) {
    const std::vector<ErrorMode> modes = shape.error_modes();
    const LinearLikelihood known = of_amplitudes(modes, images, shape.num_unknowns());
    const size_t size = known.right.size(), kinds = start.size();
    ErrorScales scales = start;
    for (int step = 0; step < kMostScaleSteps; ++step) {
        SquareMatrix precision(size, known.matrix);
        for (size_t k = 0; k < modes.size(); ++k)
            precision(k, k) += std::pow(scales[modes[k].kind], -2);
        const Cholesky factors =
            factorise(std::move(precision), "the prior makes it positive definite");
        const std::vector<double> mean = factors.solve(known.right);
        const SquareMatrix covariance = factors.inverse();
        // Slope of the evidence's logarithm with respect to the logarithms of scales, and its
        // expected curvature.
        std::vector<double> slope(kinds, 0.0);
        SquareMatrix curvature(kinds);
        for (size_t a = 0; a < modes.size(); ++a) {
            const size_t kind = modes[a].kind;
            const double square = scales[kind] * scales[kind];
            slope[kind] += (mean[a] * mean[a] + covariance(a, a)) / square - 1.0;
            for (size_t b = 0; b < modes.size(); ++b) {
                if (modes[b].kind > kind) continue;
                const double shown = (a == b ? 1.0 : 0.0) -
                                     covariance(a, b) / (scales[kind] * scales[modes[b].kind]);
                curvature(kind, modes[b].kind) += 2.0 * shown * shown;
            }
        }
        for (size_t kind = 0; kind < kinds; ++kind) {
            slope[kind] -= std::log(scales[kind]) / (kDeviation * kDeviation);
            curvature(kind, kind) += 1.0 / (kDeviation * kDeviation);
        }
        const std::vector<double> change =
            factorise(std::move(curvature), "expected scales make it so").solve(std::move(slope));
        double longest = 0.0;
        for (size_t kind = 0; kind < kinds; ++kind) {
            const double length = std::clamp(change[kind], -kLongestStep, kLongestStep);
            const double next = std::clamp(scales[kind] * std::exp(length), kScales[0], kScales[1]);
            longest = std::max(longest, std::abs(std::log(next / scales[kind])));
            scales[kind] = next;
        }
        if (longest < kSmallestStep) break;
    }
    return scales;
}

double log_expectation(const ErrorScales& scales) {
    double sum = 0.0;
    for (const double scale : scales) sum -= 0.5 * std::pow(std::log(scale) / kDeviation, 2);
    return sum;
}

}  // namespace helioray::reconstruction

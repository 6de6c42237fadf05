// SPDX-License-Identifier: MIT
// Separates the differences between images and model into noise of pixels and misfit that
// neighbours share.
#include "raytracer/solvers/reconstruction/fit/posterior.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace helioray::reconstruction {

namespace {

// Candidate powers of the noise: camera noise does not depend on the brightness; the error of the
// model grows with the light.
constexpr std::array<double, 2> kNoisePowers{0.0, 0.3};
// Differences from the model are correlated over half a metre.
constexpr size_t kBlock = 4;
constexpr double kDarkest = PixelNoise::kDarkest;

}  // namespace

double PixelNoise::deviation(double brightness) const {
    return scale * std::pow(std::max(brightness, kDarkest), power);
}

SmoothMisfit Posterior::smooth_misfit(const FitState& state) const {
    double of_blocks = 0.0, blocks = 0.0, of_pairs = 0.0, pairs = 0.0;
    for (size_t i = 0; i < images_.size(); ++i) {
        const std::vector<double> made = model(i, state);
        for (size_t row = 0; row < kImagePixels; row += kBlock) {
            for (size_t column = 0; column < kImagePixels; column += kBlock) {
                std::array<std::array<double, kBlock>, kBlock> left{};
                double sum = 0.0, light = 0.0;
                bool whole = true;
                for (size_t r = 0; r < kBlock; ++r) {
                    for (size_t c = 0; c < kBlock; ++c) {
                        const size_t pixel = (row + r) * kImagePixels + column + c;
                        const double brightness = images_[i].brightness[pixel];
                        left[r][c] = weights_[i][pixel] * (brightness - made[pixel]);
                        sum += left[r][c];
                        light += brightness;
                        whole = whole && images_[i].seen[pixel];
                    }
                }
                if (!whole || light < kDarkest * kBlock * kBlock) continue;
                of_blocks += sum * sum / (kBlock * kBlock);
                blocks += 1.0;
                for (size_t r = 0; r < kBlock; ++r) {
                    for (size_t c = 1; c < kBlock; ++c) {
                        of_pairs += 0.5 * std::pow(left[r][c] - left[r][c - 1], 2) +
                                    0.5 * std::pow(left[c][r] - left[c - 1][r], 2);
                        pairs += 2.0;
                    }
                }
            }
        }
    }
    SmoothMisfit result;
    if (!(of_blocks > 0.0)) return result;
    result.share = std::clamp(1.0 - of_pairs / pairs / (of_blocks / blocks), 0.0, 1.0);
    const LinearLikelihood about = likelihood(state, 1.0);
    const size_t size = about.right.size();
    double of_errors = 0.0;
    for (const auto& [kind, unknowns] : shape_.error_modes()) {
        if (kind == common_canting || kind == common_curvature) continue;
        for (size_t i = 0; i < unknowns.size(); ++i)
            of_errors += unknowns[i] * unknowns[i] * about.matrix[i * size + i];
    }
    result.in_errors = result.share * of_blocks / of_errors;
    return result;
}

PixelNoise Posterior::residual_noise(const FitState& state,
                                     const std::vector<double>& covariance) const {
    // Degrees of freedom of the fit: the number of parameters that images determine better than the
    // prior.
    const size_t unknowns = shape_.num_unknowns();
    double freedom = -2.0 - static_cast<double>(unknowns + kNuisances * images_.size());
    for (size_t i = 0; i < covariance.size(); ++i) freedom += precision_[i] * covariance[i];
    std::array<double, kNoisePowers.size()> squares{}, logarithms{};
    double blocks = 0.0;
    for (size_t i = 0; i < images_.size(); ++i) {
        const std::vector<double> made = model(i, state);
        for (size_t row = 0; row < kImagePixels; row += kBlock) {
            for (size_t column = 0; column < kImagePixels; column += kBlock) {
                double difference = 0.0, light = 0.0;
                std::array<double, kNoisePowers.size()> variance{};
                for (size_t k = 0; k < kBlock * kBlock; ++k) {
                    const size_t pixel = (row + k / kBlock) * kImagePixels + column + k % kBlock;
                    const double brightness = images_[i].brightness[pixel];
                    if (!images_[i].seen[pixel]) continue;
                    light += brightness;
                    difference += brightness - made[pixel];
                    for (size_t p = 0; p < variance.size(); ++p)
                        variance[p] +=
                            std::pow(PixelNoise{1.0, kNoisePowers[p]}.deviation(brightness), 2);
                }
                if (light < kDarkest * kBlock * kBlock) continue;
                blocks += 1.0;
                for (size_t p = 0; p < variance.size(); ++p) {
                    squares[p] += difference * difference / variance[p];
                    logarithms[p] += std::log(variance[p]);
                }
            }
        }
    }
    // Twice the negative logarithm of the likelihood, without terms common to all powers.
    const auto cost = [&](size_t p) { return blocks * std::log(squares[p]) + logarithms[p]; };
    size_t best = 0;
    for (size_t p = 1; p < kNoisePowers.size(); ++p)
        if (cost(p) < cost(best)) best = p;
    return {std::sqrt(squares[best] / std::max(1.0, blocks + freedom)), kNoisePowers[best]};
}

}  // namespace helioray::reconstruction

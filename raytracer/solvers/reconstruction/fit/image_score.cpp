// SPDX-License-Identifier: MIT
// Fits shift, brightness and background of a traced map to an image by least squares.
#include "raytracer/solvers/reconstruction/fit/image_score.h"

#include "raytracer/solvers/reconstruction/fit/posterior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace helioray::reconstruction {

namespace {

constexpr double kFirstStep = 0.24;  // metres
constexpr double kLastStep = 0.01;
// Number of steps of each size. A centre of light is not off by more than a few metres; without
// this bound, a map that explains nothing would move over the whole image.
constexpr int kMostMoves = 8;

/// Returns the misfit with the best brightness and background.
double misfit_at(const FitImage& measured,
                 const std::vector<double>& weights,
                 const FluxWindow& traced) {
    double mm = 0.0, m = 0.0, md = 0.0, d = 0.0, dd = 0.0;
    double ww = 1.0 / (kBackgroundDeviation * kBackgroundDeviation);
    for (size_t i = 0; i < weights.size(); ++i) {
        const double square = weights[i] * weights[i];
        const double light = traced.values[i], value = measured.brightness[i];
        mm += square * light * light;
        m += square * light;
        md += square * light * value;
        d += square * value;
        dd += square * value * value;
        ww += square;
    }
    const double determinant = mm * ww - m * m;
    if (!(determinant > 1e-12 * mm * ww)) return dd - d * d / ww;
    const double scale = (md * ww - d * m) / determinant;
    const double background = (d * mm - md * m) / determinant;
    return dd - scale * md - background * d;
}

}  // namespace

double misfit_of_traced(const FitImage& measured, const FluxMap& traced, const PixelNoise& noise) {
    std::vector<double> weights;
    for (size_t i = 0; i < measured.brightness.size(); ++i)
        weights.push_back(measured.seen[i] ? 1.0 / noise.deviation(measured.brightness[i]) : 0.0);
    // Vary the shift, because the image's own centre of light depends on its noise and background.
    std::array<double, 2> centre = window_about_centroid(traced, kImagePixels).centre;
    const auto at = [&](const std::array<double, 2>& place) {
        return misfit_at(measured, weights, window_about(traced, place, kImagePixels));
    };
    double least = at(centre);
    double step = kFirstStep;
    while (step >= kLastStep) {
        bool moved = true;
        for (int move = 0; moved && move < kMostMoves; ++move) {
            moved = false;
            for (const auto& [x, y] : {std::array{step, 0.0},
                                       std::array{-step, 0.0},
                                       std::array{0.0, step},
                                       std::array{0.0, -step}}) {
                const std::array<double, 2> next{centre[0] + x, centre[1] + y};
                const double misfit = at(next);
                if (!(misfit < least)) continue;
                least = misfit;
                centre = next;
                moved = true;
            }
        }
        step *= 0.5;
    }
    return least;
}

}  // namespace helioray::reconstruction

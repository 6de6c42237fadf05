// SPDX-License-Identifier: MIT
// Model of the noise of a flux map.
#include "raytracer/tracing/job/noise_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

/// Returns the second antiderivative of a normal density with standard deviation `spread`.
double ramp(double x, double spread) {
    if (spread <= 0.0) return std::max(x, 0.0);
    const double z = x / spread;
    return 0.5 * x * std::erfc(-z / std::numbers::sqrt2) +
           spread * std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
}

/// Integrates the normal density of the difference of two coordinates over two intervals of lengths
/// a and b, whose centres are `apart`.
double overlap(double a, double b, double apart, double spread) {
    const double sum = 0.5 * (a + b);
    const double difference = 0.5 * (a - b);
    return ramp(sum + apart, spread) + ramp(apart - sum, spread) -
           ramp(difference + apart, spread) - ramp(apart - difference, spread);
}

}  // namespace

NoiseModel::NoiseModel(const NoisyMap& map) : excess_(map.shared.excess) {
    // The bilinear filter spreads each ray by a triangle on either side, so the coordinates of
    // two rays differ by an additional variance of 1/6 pixel^2.
    own_ = map.shared.bilinear ? std::sqrt(1.0 / 6.0) : 0.0;
    // The difference of two rays of a bundle has a normal density whose peak is the inverse of
    // the area.
    const double spread = std::sqrt(map.shared.area_m2 / (2.0 * std::numbers::pi));
    across_ = std::hypot(spread / map.pixel_width_m, own_);
    down_ = std::hypot(spread / map.pixel_height_m, own_);
}

double NoiseModel::corrected_covariance(
    const BoxSize& a, const BoxSize& b, double across, double down, bool with_shared) const {
    const double weight_a = curvature_weight(a);
    const double weight_b = curvature_weight(b);
    const auto mean_covariance = [&](const BoxSize& first, const BoxSize& second) {
        return sum_covariance(first, second, across, down, with_shared) /
               (first.pixels() * second.pixels());
    };
    double covariance = (1.0 + weight_a) * (1.0 + weight_b) * mean_covariance(a, b);
    if (weight_b > 0.0)
        covariance -= (1.0 + weight_a) * weight_b * mean_covariance(a, three_times(b));
    if (weight_a > 0.0)
        covariance -= weight_a * (1.0 + weight_b) * mean_covariance(three_times(a), b);
    if (weight_a > 0.0 && weight_b > 0.0)
        covariance += weight_a * weight_b * mean_covariance(three_times(a), three_times(b));
    return covariance / sum_covariance({1, 1}, {1, 1}, 0.0, 0.0, with_shared);
}

double NoiseModel::sum_covariance(
    const BoxSize& a, const BoxSize& b, double across, double down, bool with_shared) const {
    const auto product = [&](double spread_across, double spread_down) {
        return overlap(static_cast<double>(a.width),
                       static_cast<double>(b.width),
                       across,
                       spread_across) *
               overlap(
                   static_cast<double>(a.height), static_cast<double>(b.height), down, spread_down);
    };
    const double own = product(own_, own_);
    return with_shared && excess_ > 0.0 ? own + excess_ * product(across_, down_) : own;
}

}  // namespace helioray

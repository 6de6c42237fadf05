// SPDX-License-Identifier: MIT
// Normal numbers from the counter-based generator, by the Box-Muller transform.
#include "raytracer/physical/tracking_error.h"

#include "kernels/random/sequence.h"

#include <cmath>
#include <numbers>

namespace helioray::physical {

namespace {

/// 52 random bits -> the open interval (0, 1).
double unit_interval(uint32_t high, uint32_t low) {
    const uint64_t bits = (static_cast<uint64_t>(high) << 20) | (low >> 12);
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace

std::vector<std::array<double, 2>> axis_errors(const TrackingError& error,
                                               const std::vector<size_t>& heliostats) {
    std::vector<std::array<double, 2>> errors;
    for (const size_t heliostat : heliostats) {
        const auto words = kernels::stream<float>(
            error.seed, static_cast<uint32_t>(heliostat), kernels::StreamTag::tracking, 0, 0);
        const double radius =
            error.sigma * std::sqrt(-2.0 * std::log(unit_interval(words.word[0], words.word[1])));
        const double angle = 2.0 * std::numbers::pi * unit_interval(words.word[2], words.word[3]);
        errors.push_back({radius * std::cos(angle), radius * std::sin(angle)});
    }
    return errors;
}

}  // namespace helioray::physical

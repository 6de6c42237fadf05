// SPDX-License-Identifier: MIT
// Normal deviates for statistics of results. Rays use the numbers of kernels/random instead.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <utility>

namespace helioray {

/// Sequence of independent standard normal deviates (Box and Muller, Ann. Math. Stat. 29, 1958).
/// Unlike with std::normal_distribution, a seed gives the same sequence on every machine.
class NormalDeviates {
  public:
    explicit NormalDeviates(std::uint64_t seed) : random_(seed) {}

    /// Returns the next two deviates.
    std::pair<double, double> next_pair() {
        const double radius = std::sqrt(-2.0 * std::log(uniform()));
        const double angle = 2.0 * std::numbers::pi * uniform();
        return {radius * std::cos(angle), radius * std::sin(angle)};
    }
    /// Returns the next deviate; drops the second one of its pair.
    double next() { return next_pair().first; }

  private:
    /// Returns a number in the open interval (0, 1).
    double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }

    std::mt19937_64 random_;
};

}  // namespace helioray

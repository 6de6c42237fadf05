// SPDX-License-Identifier: MIT
// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace helioray {

/// Positions and labels of ticks.
struct AxisTicks {
    std::vector<double> positions;    ///< ascending, within the range
    std::vector<std::string> labels;  ///< one per position; with equal steps, equal decimals
    double step = 0.0;                ///< 1, 2 or 5 times a power of ten; logarithmic scales: 10
};

/// The finest ticks on multiples of 1, 2 or 5 times a power of ten with at most `max_count` (>= 2)
/// of them in [low, high], low < high. At least one for ranges around 0.
AxisTicks nice_ticks(double low, double high, int max_count);

/// Power of ten to take out of a scale up to `largest` so that its labels stay short:
/// 0 for 0.01 <= largest < 100000, else a multiple of 3.
int scale_exponent(double largest);

/// "×10⁻⁶"; empty for 0.
std::string power_of_ten_text(int exponent);

}  // namespace helioray

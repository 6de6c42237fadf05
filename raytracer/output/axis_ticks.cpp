// SPDX-License-Identifier: MIT
// Choice of tick steps.
#include "raytracer/output/axis_ticks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace helioray {

namespace {

// Multiples of the step within [low, high], a hair of rounding allowed at the ends.
std::pair<double, double> multiples(double low, double high, double step) {
    constexpr double kHair = 1e-9;
    return {std::ceil(low / step - kHair), std::floor(high / step + kHair)};
}

}  // namespace

AxisTicks nice_ticks(double low, double high, int max_count) {
    AxisTicks ticks;
    if (!(high > low) || !std::isfinite(high - low)) return ticks;

    // Start one decade too fine and coarsen until few enough are left.
    int exponent = static_cast<int>(std::floor(std::log10((high - low) / max_count))) - 1;
    const std::array<double, 3> factors{1.0, 2.0, 5.0};
    for (size_t i = 0;; ++i) {
        if (i == factors.size()) {
            i = 0;
            ++exponent;
        }
        ticks.step = factors[i] * std::pow(10.0, exponent);
        const auto [first, last] = multiples(low, high, ticks.step);
        if (last - first + 1.0 <= std::max(2, max_count)) break;
    }

    const auto [first, last] = multiples(low, high, ticks.step);
    const int decimals = std::max(0, -exponent);
    const int count = static_cast<int>(last - first) + 1;
    for (int i = 0; i < count; ++i) {
        const double k = first + i;
        const double position = k == 0.0 ? 0.0 : k * ticks.step;
        ticks.positions.push_back(position);
        std::string label = fmt::format("{:.{}f}", std::abs(position), decimals);
        // The minus sign has the width of a plus, a hyphen does not.
        ticks.labels.push_back(position < 0.0 ? "−" + label : label);
    }
    return ticks;
}

int scale_exponent(double largest) {
    if (!(largest > 0.0) || !std::isfinite(largest)) return 0;
    if (largest >= 0.01 && largest < 1e5) return 0;
    return static_cast<int>(std::floor(std::log10(largest) / 3.0)) * 3;
}

std::string power_of_ten_text(int exponent) {
    if (exponent == 0) return {};
    static const std::array<const char*, 10> digits{
        "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    std::string text = exponent < 0 ? "×10⁻" : "×10";
    for (const char digit : std::to_string(std::abs(exponent))) {
        text += digits[static_cast<size_t>(digit - '0')];
    }
    return text;
}

}  // namespace helioray

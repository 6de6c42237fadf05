// SPDX-License-Identifier: MIT
// Places, ticks and colours of scales.
#include "raytracer/output/color_scale.h"

#include "raytracer/output/number_text.h"

#include <algorithm>
#include <cmath>

namespace helioray {

ColorScale ColorScale::linear(double low, double high, bool on_white) {
    return {on_white ? Kind::on_white : Kind::flux, low, high};
}

ColorScale ColorScale::logarithmic(double high) {
    constexpr double kDecades = 1e-4;
    return {Kind::logarithmic, high * kDecades, high};
}

ColorScale ColorScale::about_zero(double reach) {
    return {Kind::about_zero, -reach, reach};
}

double ColorScale::place(double value) const {
    if (kind_ != Kind::logarithmic) return (value - low_) / (high_ - low_);
    if (std::isnan(value)) return value;
    if (!(value > low_)) return 0.0;
    return std::log(value / low_) / std::log(high_ / low_);
}

Rgb8 ColorScale::color_at(double place) const {
    switch (kind_) {
        case Kind::on_white:
            return field_color(place);
        case Kind::about_zero:
            return difference_color(place);
        case Kind::flux:
        case Kind::logarithmic:
            break;
    }
    return flux_color(place);
}

AxisTicks ColorScale::ticks(int max_count) const {
    if (kind_ != Kind::logarithmic) return nice_ticks(low_, high_, max_count);
    // Powers of ten, and their threefold where there is room.
    AxisTicks ticks;
    constexpr double kHair = 1e-9;
    const int first = static_cast<int>(std::floor(std::log10(low_) + kHair));
    const int last = static_cast<int>(std::floor(std::log10(high_) + kHair));
    const bool fine = 2 * (last - first + 1) <= max_count;
    for (int exponent = first; exponent <= last; ++exponent) {
        for (const double factor : {1.0, 3.0}) {
            const double value = factor * std::pow(10.0, exponent);
            if ((factor != 1.0 && !fine) || value < low_ * (1.0 - kHair) || value > high_) continue;
            ticks.positions.push_back(value);
            ticks.labels.push_back(significant(value, 1));
        }
    }
    ticks.step = 10.0;
    return ticks;
}

Color canvas_color(const Rgb8& color) {
    return {color[0] / 255.0, color[1] / 255.0, color[2] / 255.0};
}

std::uint32_t packed_color(const Rgb8& color) {
    return static_cast<std::uint32_t>(color[0]) << 16U |
           static_cast<std::uint32_t>(color[1]) << 8U | color[2];
}

}  // namespace helioray

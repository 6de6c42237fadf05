// SPDX-License-Identifier: MIT
// OKLab conversions and the spiral of flux colours.
#include "raytracer/output/color_map.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

double encode_srgb(double linear) {
    const double x = std::clamp(linear, 0.0, 1.0);
    return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1.0 / 2.4) - 0.055;
}

double decode_srgb(double encoded) {
    return encoded <= 0.04045 ? encoded / 12.92 : std::pow((encoded + 0.055) / 1.055, 2.4);
}

std::uint8_t to_byte(double linear) {
    return static_cast<std::uint8_t>(std::lround(255.0 * encode_srgb(linear)));
}

double cube(double x) {
    return x * x * x;
}

Rgb8 from_oklab(double lightness, double a, double b) {
    const double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
    const double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
    const double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
    return {to_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
            to_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
            to_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Rgb8 flux_color(double share) {
    if (std::isnan(share)) return {128, 128, 128};
    const double t = std::clamp(share, 0.0, 1.0);
    constexpr double kDegree = std::numbers::pi / 180.0;
    const double lightness = 0.12 + 0.85 * t;
    const double hue = (282.0 + 188.0 * t) * kDegree;
    const double chroma =
        0.045 + 0.135 * std::sin(std::numbers::pi * std::pow(t, 0.9)) + 0.06 * t * t * t * t;
    return from_oklab(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
}

Rgb8 field_color(double share) {
    return flux_color(std::isnan(share) ? share : 0.08 + 0.8 * std::clamp(share, 0.0, 1.0));
}

Rgb8 difference_color(double share) {
    if (std::isnan(share)) return {128, 128, 128};
    const double side = 2.0 * std::clamp(share, 0.0, 1.0) - 1.0;
    constexpr double kDegree = std::numbers::pi / 180.0;
    const double size = std::abs(side);
    const double hue = (side < 0.0 ? 255.0 : 48.0) * kDegree;
    const double chroma = 0.125 * std::sin(0.5 * std::numbers::pi * std::pow(size, 0.8));
    return from_oklab(0.97 - 0.46 * size, chroma * std::cos(hue), chroma * std::sin(hue));
}

double perceived_lightness(const Rgb8& color) {
    const double r = decode_srgb(color[0] / 255.0);
    const double g = decode_srgb(color[1] / 255.0);
    const double b = decode_srgb(color[2] / 255.0);
    const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Converts OKLab colours; defines palettes and scales; draws colour bars.
#include "app/output/plot/drawing/colors.h"

#include "app/output/plot/drawing/axes.h"
#include "app/output/plot/drawing/panel_style.h"
#include "scenario/files/number_text.h"
#include "scenario/files/units.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace helioray {

using namespace panel_style;

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
    const double lightness = 0.12 + 0.85 * t;
    const double hue = (282.0 + 188.0 * t) * kRadiansPerDegree;
    const double chroma =
        0.045 + 0.135 * std::sin(std::numbers::pi * std::pow(t, 0.9)) + 0.06 * t * t * t * t;
    return from_oklab(lightness, chroma * std::cos(hue), chroma * std::sin(hue));
}

Rgb8 field_color(double share, Theme theme) {
    const double low = theme == Theme::light ? 0.08 : 0.4;
    const double range = theme == Theme::light ? 0.8 : 0.6;
    return flux_color(std::isnan(share) ? share : low + range * std::clamp(share, 0.0, 1.0));
}

Rgb8 difference_color(double share) {
    if (std::isnan(share)) return {128, 128, 128};
    const double side = 2.0 * std::clamp(share, 0.0, 1.0) - 1.0;
    const double size = std::abs(side);
    const double hue = (side < 0.0 ? 255.0 : 48.0) * kRadiansPerDegree;
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

ColorScale ColorScale::linear(double low, double high, bool on_ground) {
    return {on_ground ? Kind::on_ground : Kind::flux, low, high};
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

Rgb8 ColorScale::color_at(double place, Theme theme) const {
    switch (kind_) {
        case Kind::on_ground:
            return field_color(place, theme);
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
    // Use powers of ten, and their threefold if there is space.
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

namespace {

ColorImage bar_image(const ColorScale& scale, bool upright, Theme theme) {
    constexpr int kSteps = 256;
    ColorImage image{upright ? 1 : kSteps, upright ? kSteps : 1, {}};
    for (int i = 0; i < kSteps; ++i) {
        const double share = (i + 0.5) / kSteps;
        image.pixels.push_back(packed_color(scale.color_at(upright ? 1.0 - share : share, theme)));
    }
    return image;
}

}  // namespace

ColorBar::ColorBar(
    ColorScale scale, std::string label, bool upright, double length, Canvas& measure)
    : scale_(scale), label_(std::move(label)), upright_(upright), length_(length) {
    ticks_ =
        scale_.ticks(upright ? ticks_that_fit(length, 28.0, 11) : ticks_that_fit(length, 55.0, 11));
    label_width_ = widest(measure, ticks_.labels);
    const double line = kLabel.size + kGap;
    thickness_ = upright ? kBarThickness + kTickLength + kGap + label_width_ + line
                         : kBarThickness + kTickLength + kTickLabel.size + kGap + line;
}

void ColorBar::draw(Canvas& canvas, double x, double y) const {
    if (upright_) {
        draw_upright(canvas, x, y);
    } else {
        draw_lying(canvas, x, y);
    }
}

void ColorBar::draw_upright(Canvas& canvas, double x, double y) const {
    const double end = x + kBarThickness;
    canvas.image(bar_image(scale_, true, canvas.theme()), x, y, kBarThickness, length_);
    canvas.frame(x, y, kBarThickness, length_, kLine);
    for (size_t i = 0; i < ticks_.positions.size(); ++i) {
        const double at = y + (1.0 - scale_.place(ticks_.positions[i])) * length_;
        canvas.line(end, at, end + kTickLength, at, kLine);
        canvas.text(
            end + kTickLength + 2.0, at + 0.36 * kTickLabel.size, ticks_.labels[i], kTickLabel);
    }
    canvas.text_upwards(
        end + kTickLength + kGap + label_width_ + kLabel.size, y + length_ / 2.0, label_, kLabel);
}

void ColorBar::draw_lying(Canvas& canvas, double x, double y) const {
    const double end = y + kBarThickness;
    canvas.image(bar_image(scale_, false, canvas.theme()), x, y, length_, kBarThickness);
    canvas.frame(x, y, length_, kBarThickness, kLine);
    for (size_t i = 0; i < ticks_.positions.size(); ++i) {
        const double at = x + scale_.place(ticks_.positions[i]) * length_;
        canvas.line(at, end, at, end + kTickLength, kLine);
        canvas.text(at,
                    end + kTickLength + kTickLabel.size + 1.0,
                    ticks_.labels[i],
                    kTickLabel,
                    TextAnchor::middle);
    }
    canvas.text(x + length_ / 2.0,
                end + kTickLength + kTickLabel.size + kGap + kLabel.size,
                label_,
                kLabel,
                TextAnchor::middle);
}

}  // namespace helioray

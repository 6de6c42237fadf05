// SPDX-License-Identifier: MIT
// Layout of one map.
#include "raytracer/output/flux_panel.h"

#include "raytracer/output/number_text.h"
#include "raytracer/output/panel_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

// The style is a list of names for exactly these files.
using namespace panel_style;

namespace {

// "−0.12": the minus sign of typography, centimetres or what small targets need.
std::string metres_text(double value, double extent) {
    const int decimals =
        std::clamp(1 - static_cast<int>(std::floor(std::log10(extent / 10.0))), 2, 6);
    const std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
    const bool zero = digits.find_first_not_of("0.") == std::string::npos;
    return (value < 0.0 && !zero ? "−" : "") + digits;
}

bool is_upright(const Target& target) {
    if (const auto* plane = std::get_if<PlanarTarget>(&target.geometry)) {
        return std::abs(plane->normal[2]) < 1e-3;
    }
    const Vec3& axis = std::get<CylindricalTarget>(target.geometry).axis;
    return std::hypot(axis[0], axis[1]) < 1e-3;
}

}  // namespace

double scale_reach(const TargetResult& target, FluxPanelStyle::Scale scale) {
    if (scale != FluxPanelStyle::Scale::difference) return largest_flux(target);
    double reach = 0.0;
    for (const double value : target.flux) {
        if (std::isfinite(value)) reach = std::max(reach, std::abs(value));
    }
    return reach;
}

ShownScale shown_scale(const TargetResult& target, double reach, FluxPanelStyle::Scale scale) {
    const FluxUnit unit = flux_unit(target);
    const double top = reach > 0.0 ? reach / unit.factor : 1.0;
    // Very small and very large values: the power of ten goes into the label.
    const int exponent = scale == FluxPanelStyle::Scale::logarithmic ? 0 : scale_exponent(top);
    const double ten = std::pow(10.0, exponent);
    std::string label = unit.label;
    if (exponent != 0) {
        const std::string power = power_of_ten_text(exponent);
        const size_t bracket = label.find('(');
        label = bracket == std::string::npos
                    ? label + " (" + power + ")"
                    : label.substr(0, bracket + 1) + power + " " + label.substr(bracket + 1);
    }
    const double shown = top / ten;
    const double factor = 1.0 / unit.factor / ten;
    switch (scale) {
        case FluxPanelStyle::Scale::logarithmic:
            return {ColorScale::logarithmic(shown), factor, label};
        case FluxPanelStyle::Scale::difference:
            return {ColorScale::about_zero(shown), factor, "Difference: " + label};
        case FluxPanelStyle::Scale::linear:
            break;
    }
    return {ColorScale::linear(0.0, shown), factor, label};
}

FluxPanel::FluxPanel(const TargetResult& target, FluxPanelStyle style, Canvas& measure)
    : target_(target), style_(std::move(style)) {
    const auto [width, height] = surface_extent(target.target);
    extent_width_ = width;
    extent_height_ = height;
    if (style_.scale != FluxPanelStyle::Scale::difference) centroid_ = flux_centroid(target);
    size_map();
    shown_ = shown_scale(
        target_, style_.full_scale.value_or(scale_reach(target_, style_.scale)), style_.scale);
    bar_.emplace(shown_->scale, shown_->label, !wide_, wide_ ? map_width_ : map_height_, measure);
    make_titles();
    make_axes(measure);
    measure_margins(measure);
}

// The map keeps its proportions within an area, and within the longest edges that a page can take.
void FluxPanel::size_map() {
    constexpr double kArea = 520.0 * 400.0;
    constexpr double kLongestWidth = 800.0;
    constexpr double kLongestHeight = 560.0;
    constexpr double kShortest = 4.0;
    const double aspect = extent_width_ / extent_height_;
    double height = std::min(std::sqrt(kArea / aspect), kLongestHeight);
    height = std::min(height, kLongestWidth / aspect);
    map_height_ = std::max(kShortest, height * style_.shrink);
    map_width_ = std::max(kShortest, height * aspect * style_.shrink);
    constexpr double kWide = 2.2;
    wide_ = aspect > kWide;
}

void FluxPanel::make_titles() {
    title_ = target_.target.name;
    if (style_.subtitle) {
        subtitle_ = *style_.subtitle;
        return;
    }
    const FluxUnit unit = flux_unit(target_);
    const std::string peak = significant(largest_flux(target_) / unit.factor, 4) + " " + unit.name;
    if (target_.unit == "W/m2") {
        subtitle_ = power_text(target_.power_w);
        if (target_.power_w > 0.0 && target_.power_std_error_w > 0.0) {
            subtitle_ += fmt::format(
                " ± {} %", significant(100.0 * target_.power_std_error_w / target_.power_w, 2));
        }
    } else {
        const double sum = total_flux(target_);
        subtitle_ = target_.unit == "W" ? power_text(sum) : "sum " + significant(sum, 5);
    }
    if (centroid_) {
        subtitle_ += "  ·  peak " + peak;
        subtitle_ +=
            fmt::format("  ·  + centroid ({}, {}) m",
                        metres_text(centroid_->x, std::max(extent_width_, extent_height_)),
                        metres_text(centroid_->y, std::max(extent_width_, extent_height_)));
    } else {
        subtitle_ = "no flux";
    }
    if (style_.contours) subtitle_ += "  ·  lines: " + unit.name;
}

void FluxPanel::make_axes(Canvas& measure) {
    x_axis_.ticks =
        nice_ticks(-extent_width_ / 2.0, extent_width_ / 2.0, ticks_that_fit(map_width_, 42.0, 13));
    y_axis_.ticks = nice_ticks(
        -extent_height_ / 2.0, extent_height_ / 2.0, ticks_that_fit(map_height_, 30.0, 13));
    x_axis_.place = [extent = extent_width_](double x) { return x / extent + 0.5; };
    y_axis_.place = [extent = extent_height_](double y) { return y / extent + 0.5; };

    const bool plane = std::holds_alternative<PlanarTarget>(target_.target.geometry);
    x_axis_.label = plane ? "Horizontal from centre (m)" : "Unrolled around the axis (m)";
    y_axis_.label = is_upright(target_.target) ? "Vertical from centre (m)" : "Along height (m)";
    // Short maps cannot carry a long rotated label.
    if (measure.text_width(y_axis_.label, kLabel) > map_height_ + 30.0) {
        y_axis_.label = "Height (m)";
    }
    if (measure.text_width(x_axis_.label, kLabel) > map_width_ + 60.0) x_axis_.label = "Width (m)";
    // Edges too short for two ticks get their length in words.
    if (x_axis_.ticks.positions.size() < 2) {
        x_axis_.label = "Width " + significant(extent_width_, 3) + " m";
    }
    if (y_axis_.ticks.positions.size() < 2) {
        y_axis_.label = "Height " + significant(extent_height_, 3) + " m";
    }
}

void FluxPanel::measure_margins(Canvas& measure) {
    left_ = axis_width(measure, y_axis_);
    above_ = kTitleHeight;
    below_ = axis_height();
    // Half of the last tick's label hangs over.
    right_ = widest(measure, x_axis_.ticks.labels) / 2.0;
    if (wide_) {
        below_ += kGap + bar_->thickness();
    } else {
        right_ = kBarGap + bar_->thickness();
    }
    // Titles start at the map's left edge and may run over the colour bar.
    const double titles =
        std::max(measure.text_width(title_, kTitle), measure.text_width(subtitle_, kSubtitle));
    middle_ = std::max(map_width_, titles - right_);
}

}  // namespace helioray

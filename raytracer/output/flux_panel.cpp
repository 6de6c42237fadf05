// SPDX-License-Identifier: MIT
// Layout of one map.
#include "raytracer/output/flux_panel.h"

#include "raytracer/output/number_text.h"
#include "raytracer/output/panel_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

// The style is a list of names for exactly these files.
using namespace panel_style;

namespace {

double widest(Canvas& measure, const std::vector<std::string>& labels) {
    double width = 0.0;
    for (const std::string& label : labels) {
        width = std::max(width, measure.text_width(label, kTickLabel));
    }
    return width;
}

int ticks_that_fit(double length, double spacing, int most) {
    return std::clamp(static_cast<int>(length / spacing) + 1, 2, most);
}

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

FluxPanel::FluxPanel(const TargetResult& target,
                     double shrink,
                     std::optional<double> full_scale,
                     Canvas& measure)
    : target_(target), centroid_(flux_centroid(target)) {
    const auto [width, height] = surface_extent(target.target);
    extent_width_ = width;
    extent_height_ = height;
    size_map(shrink);
    choose_scale(full_scale);
    make_titles();
    measure_margins(measure);
}

// The map keeps its proportions within an area, and within the longest edges that a page can take.
void FluxPanel::size_map(double shrink) {
    constexpr double kArea = 520.0 * 400.0;
    constexpr double kLongestWidth = 800.0;
    constexpr double kLongestHeight = 560.0;
    constexpr double kShortest = 4.0;
    const double aspect = extent_width_ / extent_height_;
    double height = std::min(std::sqrt(kArea / aspect), kLongestHeight);
    height = std::min(height, kLongestWidth / aspect);
    map_height_ = std::max(kShortest, height * shrink);
    map_width_ = std::max(kShortest, height * aspect * shrink);
    constexpr double kWide = 2.2;
    wide_ = aspect > kWide;
}

void FluxPanel::choose_scale(std::optional<double> full_scale) {
    const double peak = full_scale.value_or(largest_flux(target_));
    const FluxUnit unit = flux_unit(target_);
    full_scale_ = peak > 0.0 ? peak : unit.factor;

    // Very small and very large values: the power of ten goes into the label.
    const int exponent = scale_exponent(full_scale_ / unit.factor);
    bar_top_ = full_scale_ / unit.factor / std::pow(10.0, exponent);
    bar_label_ = unit.label;
    if (exponent != 0) {
        const std::string power = power_of_ten_text(exponent);
        const size_t bracket = bar_label_.find('(');
        bar_label_ = bracket == std::string::npos ? bar_label_ + " (" + power + ")"
                                                  : bar_label_.substr(0, bracket + 1) + power +
                                                        " " + bar_label_.substr(bracket + 1);
    }
    const double bar_length = wide_ ? map_width_ : map_height_;
    bar_ticks_ = nice_ticks(
        0.0,
        bar_top_,
        wide_ ? ticks_that_fit(bar_length, 55.0, 11) : ticks_that_fit(bar_length, 28.0, 11));
    x_ticks_ =
        nice_ticks(-extent_width_ / 2.0, extent_width_ / 2.0, ticks_that_fit(map_width_, 42.0, 13));
    y_ticks_ = nice_ticks(
        -extent_height_ / 2.0, extent_height_ / 2.0, ticks_that_fit(map_height_, 30.0, 13));
}

void FluxPanel::make_titles() {
    title_ = target_.target.name;
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

    const bool plane = std::holds_alternative<PlanarTarget>(target_.target.geometry);
    x_label_ = plane ? "Horizontal from centre (m)" : "Unrolled around the axis (m)";
    y_label_ = is_upright(target_.target) ? "Vertical from centre (m)" : "Along height (m)";
}

void FluxPanel::measure_margins(Canvas& measure) {
    // Short maps cannot carry a long rotated label.
    if (measure.text_width(y_label_, kLabel) > map_height_ + 30.0) y_label_ = "Height (m)";
    if (measure.text_width(x_label_, kLabel) > map_width_ + 60.0) x_label_ = "Width (m)";

    // Edges too short for two ticks get their length in words.
    if (x_ticks_.positions.size() < 2) x_label_ = "Width " + significant(extent_width_, 3) + " m";
    if (y_ticks_.positions.size() < 2) {
        y_label_ = "Height " + significant(extent_height_, 3) + " m";
    }

    const double line = kLabel.size + kGap;
    left_ = line + widest(measure, y_ticks_.labels) + kGap + kTickLength;
    above_ = kTitleHeight;
    below_ = kTickLength + kTickLabel.size + kGap + line;
    // Half of the last tick's label hangs over.
    right_ = widest(measure, x_ticks_.labels) / 2.0;
    if (wide_) {
        below_ += kGap + kBarThickness + kTickLength + kTickLabel.size + kGap + line;
    } else {
        right_ = kBarGap + kBarThickness + kTickLength + kGap + widest(measure, bar_ticks_.labels) +
                 line;
    }
    // Titles start at the map's left edge and may run over the colour bar.
    const double titles =
        std::max(measure.text_width(title_, kTitle), measure.text_width(subtitle_, kSubtitle));
    middle_ = std::max(map_width_, titles - right_);
}

}  // namespace helioray

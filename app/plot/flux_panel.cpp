// SPDX-License-Identifier: MIT
// Layout of one map, then its drawing with cuts and contour lines.
#include "app/plot/flux_panel.h"

#include "app/plot/contour_lines.h"
#include "app/plot/panel_style.h"
#include "raytracer/geometry/frames.h"
#include "scenario/files/number_text.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace helioray {

using namespace panel_style;

namespace {

// "−0.12" with a typographic minus sign: centimetres, or more digits for small targets.
std::string metres_text(double value, double extent) {
    const int decimals =
        std::clamp(1 - static_cast<int>(std::floor(std::log10(extent / 10.0))), 2, 6);
    const std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
    const bool zero = digits.find_first_not_of("0.") == std::string::npos;
    return (value < 0.0 && !zero ? "−" : "") + digits;
}

// Whether up on the surface is up in the world.
bool is_upright(const Target& target) {
    const Vec3 up = subtract(surface_point(target, 0.0, 1.0), surface_point(target, 0.0, 0.0));
    return std::hypot(up[0], up[1]) < 1e-3;
}

/// Leaves the corners of the map blank, where a round receiver has no surface.
void draw_rim(Canvas& canvas, const PageBox& map, const DiscTarget&) {
    const double a = 0.5 * map.width;
    const double b = 0.5 * map.height;
    constexpr int kPointsOfQuarter = 64;
    for (const auto& [right, down] : {std::pair{1, 1}, {-1, 1}, {-1, -1}, {1, -1}}) {
        std::vector<PagePoint> arc;
        for (int i = 0; i <= kPointsOfQuarter; ++i) {
            const double angle = 0.5 * std::numbers::pi * i / kPointsOfQuarter;
            arc.push_back({map.x + a * (1.0 + right * std::cos(angle)),
                           map.y + b * (1.0 + down * std::sin(angle))});
        }
        std::vector<PagePoint> corner = arc;
        corner.push_back({map.x + a * (1.0 + right), map.y + b * (1.0 + down)});
        canvas.fill(corner, kWhite);
        canvas.polyline(arc, kLine, kBlack);
    }
}
/// Receivers of other shapes fill their map.
void draw_rim(Canvas&, const PageBox&, const auto&) {}

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

    x_axis_.label =
        is_flat(target_.target) ? "Horizontal from centre (m)" : "Unrolled around the axis (m)";
    y_axis_.label = is_upright(target_.target) ? "Vertical from centre (m)" : "Along height (m)";
    // Short maps cannot carry a long rotated label.
    if (measure.text_width(y_axis_.label, kLabel) > map_height_ + 30.0) {
        y_axis_.label = "Height (m)";
    }
    if (measure.text_width(x_axis_.label, kLabel) > map_width_ + 60.0) x_axis_.label = "Width (m)";
    // If an edge is too short for two ticks, the label gives its length.
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

void FluxPanel::draw(Canvas& canvas, double x, double y) const {
    const double map_x = x + left_;
    const double map_y = y + above_;
    draw_titles(canvas, map_x, y);
    canvas.image(
        flux_image(target_, shown_->scale, shown_->factor), map_x, map_y, map_width_, map_height_);
    canvas.within(map_x, map_y, map_width_, map_height_, [&] {
        if (style_.mark_cuts) draw_cuts(canvas, map_x, map_y);
        if (style_.contours) draw_contours(canvas, map_x, map_y);
        draw_centroid(canvas, map_x, map_y);
    });
    const PageBox box{map_x, map_y, map_width_, map_height_};
    std::visit([&](const auto& shape) { draw_rim(canvas, box, shape); }, target_.target.geometry);
    canvas.frame(map_x, map_y, map_width_, map_height_, kLine);
    draw_compass(canvas, map_x, map_y);
    draw_axis_below(canvas, box, x_axis_);
    draw_axis_left(canvas, box, y_axis_, left_);
    if (wide_) {
        bar_->draw(canvas, map_x, map_y + map_height_ + axis_height() + kGap);
    } else {
        bar_->draw(canvas, map_x + map_width_ + kBarGap, map_y);
    }
}

void FluxPanel::draw_titles(Canvas& canvas, double x, double y) const {
    canvas.text(x, y + kTitle.size, title_, kTitle);
    canvas.text(x, y + kTitle.size + 16.0, subtitle_, kSubtitle, TextAnchor::start, kGrey);
}

void FluxPanel::draw_compass(Canvas& canvas, double x, double y) const {
    const bool flat = is_flat(target_.target);
    double free_from = -1e9;
    for (const CompassMark& mark : compass_marks(target_.target)) {
        const double at = x + (mark.x / extent_width_ + 0.5) * map_width_;
        const double width = canvas.text_width(mark.label, kCompass);
        // Labels of a plane stay inside its edges, those of a cylinder stand over their place.
        const double start = !flat ? at - width / 2.0 : mark.x < 0.0 ? at : at - width;
        if (start < free_from) continue;
        free_from = start + width + kGap;
        canvas.text(start, y - 5.0, mark.label, kCompass, TextAnchor::start, kGrey);
        if (!flat) canvas.line(at, y - 3.0, at, y, kLine, kGrey);
    }
}

void FluxPanel::draw_centroid(Canvas& canvas, double x, double y) const {
    if (!centroid_) return;
    const double at_x = x + (centroid_->x / extent_width_ + 0.5) * map_width_;
    const double at_y = y + (0.5 - centroid_->y / extent_height_) * map_height_;
    // White with a black border is visible on every colour.
    const double arm = std::min({6.0, map_width_ / 4.0, map_height_ / 4.0});
    for (const auto& [extra, width, color] : {std::tuple{1.0, 3.0, kBlack}, {0.0, 1.2, kWhite}}) {
        const double reach = arm + extra;
        canvas.line(at_x - reach, at_y, at_x + reach, at_y, width, color);
        canvas.line(at_x, at_y - reach, at_x, at_y + reach, width, color);
    }
}

void FluxPanel::draw_cuts(Canvas& canvas, double x, double y) const {
    const SurfacePoint peak = pixel_position(target_, peak_pixel(target_));
    const double at_x = x + x_axis_.place(peak.x) * map_width_;
    const double at_y = y + (1.0 - y_axis_.place(peak.y)) * map_height_;
    for (const auto& [width, dash, color] : {std::tuple{2.0, 0.0, kBlack}, {0.9, 4.0, kWhite}}) {
        canvas.polyline({{x, at_y}, {x + map_width_, at_y}}, width, color, dash);
        canvas.polyline({{at_x, y}, {at_x, y + map_height_}}, width, color, dash);
    }
}

namespace {

struct PlacedLabels {
    std::vector<PageBox> boxes;

    /// Takes the box if it lies inside `map` and overlaps no other; returns whether it did.
    bool take(const PageBox& box, const PageBox& map) {
        if (box.x < map.x || box.y < map.y || box.x + box.width > map.x + map.width ||
            box.y + box.height > map.y + map.height) {
            return false;
        }
        for (const PageBox& other : boxes) {
            if (box.x < other.x + other.width && other.x < box.x + box.width &&
                box.y < other.y + other.height && other.y < box.y + box.height) {
                return false;
            }
        }
        boxes.push_back(box);
        return true;
    }
};

double length_of(const std::vector<PagePoint>& line) {
    double length = 0.0;
    for (size_t i = 1; i < line.size(); ++i) {
        length += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
    }
    return length;
}

}  // namespace

void FluxPanel::draw_contours(Canvas& canvas, double x, double y) const {
    // Contours of a noisy map are ragged, so average blocks and filter first.
    constexpr int64_t kBlocks = 128;
    const BlockMap blocks = block_means(target_, kBlocks);
    const std::vector<double> values = smoothed(blocks.values, blocks.width, blocks.height, 2);
    const double block_width =
        map_width_ * static_cast<double>(blocks.step) / static_cast<double>(target_.width);
    const double block_height =
        map_height_ * static_cast<double>(blocks.step) / static_cast<double>(target_.height);
    const PageBox map{x, y, map_width_, map_height_};
    PlacedLabels labels;
    std::vector<std::tuple<PagePoint, std::string, Color, Color>> texts;

    constexpr int kLevels = 9;
    const AxisTicks levels = shown_->scale.ticks(kLevels);
    for (size_t k = levels.positions.size(); k-- > 0;) {
        const double level = levels.positions[k];
        const double place = shown_->scale.place(level);
        if (place <= 0.0 || place >= 1.0) continue;
        const Rgb8 ground = shown_->scale.color_at(place);
        const Color color = perceived_lightness(ground) > 0.62 ? kBlack : kWhite;
        for (const auto& line :
             contour_lines(values, blocks.width, blocks.height, level / shown_->factor)) {
            std::vector<PagePoint> points;
            for (const ContourPoint& p : line) {
                points.push_back({x + (p.x + 0.5) * block_width, y + (p.y + 0.5) * block_height});
            }
            const double length = length_of(points);
            const double text_width = canvas.text_width(levels.labels[k], kContour);
            constexpr double kShortest = 10.0;
            if (length < kShortest) continue;
            canvas.polyline(points, 0.9, color);
            if (length < 3.0 * text_width) continue;
            // Label the first free one of some places along the line.
            constexpr size_t kTries = 12;
            for (size_t i = 0; i < kTries; ++i) {
                const PagePoint at = points[points.size() * (2 * i + 1) / (2 * kTries)];
                const double height = kContour.size + 2.0;
                if (labels.take({at.x - text_width / 2.0 - 2.0,
                                 at.y - height / 2.0,
                                 text_width + 4.0,
                                 height},
                                map)) {
                    texts.emplace_back(at, levels.labels[k], color, canvas_color(ground));
                    break;
                }
            }
        }
    }
    for (const auto& [at, text, color, ground] : texts) {
        canvas.text_with_halo(at.x, at.y, text, kContour, color, ground);
    }
}

}  // namespace helioray

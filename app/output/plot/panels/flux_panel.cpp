// SPDX-License-Identifier: MIT
// Arranges one map, then draws it with cuts and contour lines.
#include "app/output/plot/panels/flux_panel.h"

#include "app/output/plot/drawing/contour_lines.h"
#include "app/output/plot/drawing/panel_style.h"
#include "app/output/summary/peak_text.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace helioray {

using namespace panel_style;

namespace {

constexpr Color kMark{0.1, 0.95, 1.0};  // a hue that the colours of flux do not contain

// Returns "−0.12" with a typographic minus sign, to centimetres, or with more digits for small
// targets.
std::string metres_text(double value, double extent) {
    const int decimals =
        std::clamp(1 - static_cast<int>(std::floor(std::log10(extent / 10.0))), 2, 6);
    const std::string digits = fmt::format("{:.{}f}", std::abs(value), decimals);
    const bool zero = digits.find_first_not_of("0.") == std::string::npos;
    return (value < 0.0 && !zero ? "−" : "") + digits;
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

DisplayScale display_scale(const TargetResult& target,
                           double reach,
                           FluxPanelStyle::Scale scale,
                           const std::optional<std::string>& name) {
    const FluxUnit unit = flux_unit(target);
    const double top = reach > 0.0 ? reach / unit.factor : 1.0;
    // The label contains the power of ten of very small and very large values.
    const int exponent = scale == FluxPanelStyle::Scale::logarithmic ? 0 : scale_exponent(top);
    const double ten = std::pow(10.0, exponent);
    std::string label = name.value_or(unit.label);
    if (exponent != 0) {
        const std::string power = power_of_ten_text(exponent);
        const size_t bracket = label.find('(');
        label = bracket == std::string::npos
                    ? label + " (" + power + ")"
                    : label.substr(0, bracket + 1) + power + " " + label.substr(bracket + 1);
    }
    const double displayed_top = top / ten;
    const double factor = 1.0 / unit.factor / ten;
    switch (scale) {
        case FluxPanelStyle::Scale::logarithmic:
            return {ColorScale::logarithmic(displayed_top), factor, label};
        case FluxPanelStyle::Scale::difference:
            return {ColorScale::about_zero(displayed_top), factor, "Difference: " + label};
        case FluxPanelStyle::Scale::linear:
            break;
    }
    return {ColorScale::linear(0.0, displayed_top), factor, label};
}

FluxPanel::FluxPanel(const TargetResult& target, FluxPanelStyle style, Canvas& measure)
    : SurfacePanel(target.target, style.shrink), target_(target), style_(std::move(style)) {
    if (style_.centroid && style_.scale != FluxPanelStyle::Scale::difference)
        centroid_ = flux_centroid(target);
    display_scale_ = display_scale(target_,
                                   style_.full_scale.value_or(scale_reach(target_, style_.scale)),
                                   style_.scale,
                                   style_.label);
    lay_out(style_.title.value_or(target_.target.name),
            style_.subtitle ? *style_.subtitle : describe_light(),
            display_scale_->scale,
            display_scale_->label,
            measure);
}

std::string FluxPanel::describe_light() const {
    const FluxUnit unit = flux_unit(target_);
    const std::string peak =
        target_.unit == "W/m2"
            ? peak_text(target_, unit.name)
            : significant(largest_flux(target_) / unit.factor, 4) + " " + unit.name;
    std::string text;
    if (target_.unit == "W/m2") {
        text = power_text(target_.power_w);
        if (target_.power_w > 0.0 && target_.power_std_error_w > 0.0) {
            text += fmt::format(
                " ± {} %", significant(100.0 * target_.power_std_error_w / target_.power_w, 2));
        }
    } else {
        const double sum = total_flux(target_);
        text = target_.unit == "W" ? power_text(sum) : "sum " + significant(sum, 5);
    }
    if (centroid_) {
        text += "  ·  peak " + peak;
        text += fmt::format("  ·  + centroid ({}, {}) m",
                            metres_text(centroid_->x, std::max(extent_width(), extent_height())),
                            metres_text(centroid_->y, std::max(extent_width(), extent_height())));
    } else {
        text = "no flux";
    }
    if (style_.contours) text += "  ·  lines: " + unit.name;
    return text;
}

void FluxPanel::draw_map(Canvas& canvas, const PageBox& map) const {
    canvas.image(flux_image(target_, display_scale_->scale, display_scale_->factor),
                 map.x,
                 map.y,
                 map.width,
                 map.height);
    canvas.within(map.x, map.y, map.width, map.height, [&] {
        if (style_.mark_cuts) draw_cuts(canvas, map);
        if (style_.contours) draw_contours(canvas, map);
        if (!style_.marked.empty()) draw_marked(canvas, map);
        draw_centroid(canvas, map);
    });
}

void FluxPanel::draw_centroid(Canvas& canvas, const PageBox& map) const {
    if (!centroid_) return;
    const auto [at_x, at_y] = place(map, *centroid_);
    // White with a black border is visible on every colour.
    const double arm = std::min({6.0, map.width / 4.0, map.height / 4.0});
    for (const auto& [extra, width, color] : {std::tuple{1.0, 3.0, kBlack}, {0.0, 1.2, kWhite}}) {
        const double reach = arm + extra;
        canvas.line(at_x - reach, at_y, at_x + reach, at_y, width, color);
        canvas.line(at_x, at_y - reach, at_x, at_y + reach, width, color);
    }
}

void FluxPanel::draw_cuts(Canvas& canvas, const PageBox& map) const {
    const auto [at_x, at_y] = place(map, pixel_position(target_, peak_pixel(target_)));
    for (const auto& [width, dash, color] : {std::tuple{2.0, 0.0, kBlack}, {0.9, 4.0, kWhite}}) {
        canvas.polyline({{map.x, at_y}, {map.x + map.width, at_y}}, width, color, dash);
        canvas.polyline({{at_x, map.y}, {at_x, map.y + map.height}}, width, color, dash);
    }
}

namespace {

struct PlacedLabels {
    std::vector<PageBox> boxes;

    /// Adds the box if it lies inside `map` and overlaps no other; returns true if it was added.
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

double line_length(const std::vector<PagePoint>& line) {
    double length = 0.0;
    for (size_t i = 1; i < line.size(); ++i) {
        length += std::hypot(line[i].x - line[i - 1].x, line[i].y - line[i - 1].y);
    }
    return length;
}

}  // namespace

void FluxPanel::draw_contours(Canvas& canvas, const PageBox& map) const {
    // Contours of a noisy map are ragged, so average blocks and filter first.
    constexpr int64_t kBlocks = 128;
    const BlockMap blocks = block_means(target_, kBlocks);
    const std::vector<double> values = smoothed(blocks.values, blocks.width, blocks.height, 2);
    const double block_width =
        map.width * static_cast<double>(blocks.step) / static_cast<double>(target_.width);
    const double block_height =
        map.height * static_cast<double>(blocks.step) / static_cast<double>(target_.height);
    PlacedLabels labels;
    std::vector<std::tuple<PagePoint, std::string, Color, Color>> texts;

    constexpr int kLevels = 9;
    const AxisTicks levels = display_scale_->scale.ticks(kLevels);
    for (size_t k = levels.positions.size(); k-- > 0;) {
        const double level = levels.positions[k];
        const double place = display_scale_->scale.place(level);
        if (place <= 0.0 || place >= 1.0) continue;
        const Rgb8 ground = display_scale_->scale.color_at(place);
        const Color color = perceived_lightness(ground) > 0.62 ? kBlack : kWhite;
        for (const auto& line :
             contour_lines(values, blocks.width, blocks.height, level / display_scale_->factor)) {
            std::vector<PagePoint> points;
            for (const ContourPoint& p : line) {
                points.push_back(
                    {map.x + (p.x + 0.5) * block_width, map.y + (p.y + 0.5) * block_height});
            }
            const double length = line_length(points);
            const double text_width = canvas.text_width(levels.labels[k], kContour);
            constexpr double kShortest = 10.0;
            if (length < kShortest) continue;
            canvas.polyline(points, 0.9, color);
            if (length < 3.0 * text_width) continue;
            // Try several places along the line for the label.
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

void FluxPanel::draw_marked(Canvas& canvas, const PageBox& map) const {
    const double cell_width = map.width / static_cast<double>(target_.width);
    const double cell_height = map.height / static_cast<double>(target_.height);
    const auto marked = [&](int64_t row, int64_t column) {
        return row >= 0 && row < target_.height && column >= 0 && column < target_.width &&
               style_.marked[static_cast<size_t>(row * target_.width + column)];
    };
    // Hatching below the outlines: segments of diagonals that lie on marked cells.
    constexpr double kApart = 7.0;
    constexpr double kStep = 0.5;
    const auto lines = static_cast<int>((map.width + map.height) / kApart) + 1;
    const auto steps = static_cast<int>(map.height / kStep) + 1;
    for (int line = 0; line < lines; ++line) {
        const double start = line * kApart - map.height;
        const auto right_of = [&](int step) { return start + map.height - step * kStep; };
        int first = -1;
        for (int step = 0; step <= steps; ++step) {
            const double down = step * kStep;
            const double right = right_of(step);
            const bool on = down < map.height && right >= 0.0 &&
                            marked(static_cast<int64_t>(down / cell_height),
                                   static_cast<int64_t>(right / cell_width));
            if (on && first < 0) first = step;
            if (on || first < 0) continue;
            canvas.line(map.x + right_of(first),
                        map.y + first * kStep,
                        map.x + right,
                        map.y + down,
                        0.6,
                        kMark);
            first = -1;
        }
    }
    // Collect the edges between marked and unmarked cells.
    std::vector<std::array<double, 4>> edges;
    for (int64_t row = 0; row <= target_.height; ++row) {
        for (int64_t column = 0; column <= target_.width; ++column) {
            const double x = map.x + static_cast<double>(column) * cell_width;
            const double y = map.y + static_cast<double>(row) * cell_height;
            const bool here = marked(row, column);
            if (here != marked(row - 1, column)) edges.push_back({x, y, x + cell_width, y});
            if (here != marked(row, column - 1)) edges.push_back({x, y, x, y + cell_height});
        }
    }
    for (const auto& [width, color] : {std::pair{2.2, kBlack}, {1.1, kMark}}) {
        for (const auto& [x0, y0, x1, y1] : edges) canvas.line(x0, y0, x1, y1, width, color);
    }
}

}  // namespace helioray

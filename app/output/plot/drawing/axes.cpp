// SPDX-License-Identifier: MIT
// Chooses tick steps; arranges and draws axes.
#include "app/output/plot/drawing/axes.h"

#include "app/output/plot/drawing/panel_style.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace helioray {

using namespace panel_style;

namespace {

// Returns the multiples of the step within [low, high], with a tolerance for rounding at the ends.
std::pair<double, double> multiples(double low, double high, double step) {
    constexpr double kHair = 1e-9;
    return {std::ceil(low / step - kHair), std::floor(high / step + kHair)};
}

}  // namespace

AxisTicks nice_ticks(double low, double high, int max_count) {
    AxisTicks ticks;
    if (!(high > low) || !std::isfinite(high - low)) return ticks;

    // Start with steps one decade too fine and coarsen them until few enough ticks are left.
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
        // The minus sign is as wide as a plus; a hyphen would be narrower.
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

double axis_height() {
    return kTickLength + kTickLabel.size + kGap + kLabel.size + kGap;
}

double axis_width(Canvas& measure, const Axis& axis) {
    return kLabel.size + kGap + widest(measure, axis.ticks.labels) + kGap + kTickLength;
}

void draw_axis_below(Canvas& canvas, const PageBox& box, const Axis& axis) {
    const double bottom = box.y + box.height;
    for (size_t i = 0; i < axis.ticks.positions.size(); ++i) {
        const double at = box.x + axis.place(axis.ticks.positions[i]) * box.width;
        canvas.line(at, bottom, at, bottom + kTickLength, kLine);
        canvas.text(at,
                    bottom + kTickLength + kTickLabel.size + 1.0,
                    axis.ticks.labels[i],
                    kTickLabel,
                    TextAnchor::middle);
    }
    canvas.text(box.x + box.width / 2.0,
                bottom + kTickLength + kTickLabel.size + kGap + kLabel.size,
                axis.label,
                kLabel,
                TextAnchor::middle);
}

void draw_axis_left(Canvas& canvas, const PageBox& box, const Axis& axis, double left) {
    for (size_t i = 0; i < axis.ticks.positions.size(); ++i) {
        const double at = box.y + (1.0 - axis.place(axis.ticks.positions[i])) * box.height;
        canvas.line(box.x - kTickLength, at, box.x, at, kLine);
        canvas.text(box.x - kTickLength - 2.0,
                    at + 0.36 * kTickLabel.size,
                    axis.ticks.labels[i],
                    kTickLabel,
                    TextAnchor::end);
    }
    canvas.text_upwards(box.x - left + kLabel.size, box.y + box.height / 2.0, axis.label, kLabel);
}

void draw_axis_right(Canvas& canvas, const PageBox& box, const Axis& axis, double right) {
    const double edge = box.x + box.width;
    for (size_t i = 0; i < axis.ticks.positions.size(); ++i) {
        const double at = box.y + (1.0 - axis.place(axis.ticks.positions[i])) * box.height;
        canvas.line(edge, at, edge + kTickLength, at, kLine);
        canvas.text(edge + kTickLength + 2.0,
                    at + 0.36 * kTickLabel.size,
                    axis.ticks.labels[i],
                    kTickLabel);
    }
    canvas.text_upwards(edge + right, box.y + box.height / 2.0, axis.label, kLabel);
}

void draw_titles(Canvas& canvas, const Graph& graph) {
    const double x = graph.box.x;
    const double y = graph.top + kTitle.size;
    canvas.text(x, y, graph.title, kTitle);
    canvas.text(x, y + 16.0, graph.subtitle, kSubtitle, TextAnchor::start, kGrey);
}

void draw_graph(Canvas& canvas, const Graph& graph, const std::function<void()>& draw_inside) {
    const PageBox& box = graph.box;
    draw_titles(canvas, graph);
    if (graph.has_grid) {
        for (const double tick : graph.vertical.ticks.positions) {
            const double at = box.y + (1.0 - graph.vertical.place(tick)) * box.height;
            canvas.line(box.x, at, box.x + box.width, at, 0.5, kPaleGrey);
        }
    }
    if (graph.clips_content)
        canvas.within(box.x, box.y, box.width, box.height, draw_inside);
    else
        draw_inside();
    canvas.frame(box.x, box.y, box.width, box.height, kLine);
    draw_axis_below(canvas, box, graph.horizontal);
    draw_axis_left(canvas, box, graph.vertical, graph.left);
}

}  // namespace helioray

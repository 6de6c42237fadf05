// SPDX-License-Identifier: MIT
// Layout and drawing of axes.
#include "raytracer/output/axes.h"

#include "raytracer/output/panel_style.h"

#include <algorithm>

namespace helioray {

using namespace panel_style;

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

}  // namespace helioray

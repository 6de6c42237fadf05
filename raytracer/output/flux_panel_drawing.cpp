// SPDX-License-Identifier: MIT
// Drawing of one map.
#include "raytracer/output/flux_panel.h"
#include "raytracer/output/panel_style.h"

#include <algorithm>
#include <tuple>

namespace helioray {

// The style is a list of names for exactly these files.
using namespace panel_style;

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
    canvas.frame(map_x, map_y, map_width_, map_height_, kLine);
    draw_compass(canvas, map_x, map_y);
    const PageBox box{map_x, map_y, map_width_, map_height_};
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
    const bool plane = std::holds_alternative<PlanarTarget>(target_.target.geometry);
    double free_from = -1e9;
    for (const CompassMark& mark : compass_marks(target_.target)) {
        const double at = x + (mark.x / extent_width_ + 0.5) * map_width_;
        const double width = canvas.text_width(mark.label, kCompass);
        // Labels of a plane stay inside its edges, those of a cylinder stand over their place.
        const double start = !plane ? at - width / 2.0 : mark.x < 0.0 ? at : at - width;
        if (start < free_from) continue;
        free_from = start + width + kGap;
        canvas.text(start, y - 5.0, mark.label, kCompass, TextAnchor::start, kGrey);
        if (!plane) canvas.line(at, y - 3.0, at, y, kLine, kGrey);
    }
}

void FluxPanel::draw_centroid(Canvas& canvas, double x, double y) const {
    if (!centroid_) return;
    const double at_x = x + (centroid_->x / extent_width_ + 0.5) * map_width_;
    const double at_y = y + (0.5 - centroid_->y / extent_height_) * map_height_;
    // White on a black border is seen on every colour.
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

}  // namespace helioray

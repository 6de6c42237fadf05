// SPDX-License-Identifier: MIT
// Drawing of one map.
#include "raytracer/output/color_map.h"
#include "raytracer/output/flux_panel.h"
#include "raytracer/output/panel_style.h"

#include <algorithm>
#include <tuple>

namespace helioray {

// The style is a list of names for exactly these files.
using namespace panel_style;

namespace {

ColorImage bar_image(bool upright) {
    constexpr int kSteps = 256;
    ColorImage image{upright ? 1 : kSteps, upright ? kSteps : 1, {}};
    for (int i = 0; i < kSteps; ++i) {
        const double share = (i + 0.5) / kSteps;
        const auto [r, g, b] = flux_color(upright ? 1.0 - share : share);
        image.pixels.push_back(static_cast<std::uint32_t>(r) << 16U |
                               static_cast<std::uint32_t>(g) << 8U | b);
    }
    return image;
}

}  // namespace

void FluxPanel::draw(Canvas& canvas, double x, double y) const {
    const double map_x = x + left_;
    const double map_y = y + above_;
    draw_titles(canvas, map_x, y);
    canvas.image(flux_image(target_, full_scale_), map_x, map_y, map_width_, map_height_);
    draw_centroid(canvas, map_x, map_y);
    canvas.frame(map_x, map_y, map_width_, map_height_, kLine);
    draw_compass(canvas, map_x, map_y);
    draw_axes(canvas, map_x, map_y);
    if (wide_) {
        draw_horizontal_bar(canvas, map_x, map_y);
    } else {
        draw_vertical_bar(canvas, map_x, map_y);
    }
}

void FluxPanel::draw_titles(Canvas& canvas, double x, double y) const {
    canvas.text(x, y + kTitle.size, title_, kTitle);
    canvas.text(x, y + kTitle.size + 16.0, subtitle_, kSubtitle, TextAnchor::start, kGrey);
}

void FluxPanel::draw_axes(Canvas& canvas, double x, double y) const {
    const double bottom = y + map_height_;
    for (size_t i = 0; i < x_ticks_.positions.size(); ++i) {
        const double at = x + (x_ticks_.positions[i] / extent_width_ + 0.5) * map_width_;
        canvas.line(at, bottom, at, bottom + kTickLength, kLine);
        canvas.text(at,
                    bottom + kTickLength + kTickLabel.size + 1.0,
                    x_ticks_.labels[i],
                    kTickLabel,
                    TextAnchor::middle);
    }
    canvas.text(x + map_width_ / 2.0,
                bottom + kTickLength + kTickLabel.size + kGap + kLabel.size,
                x_label_,
                kLabel,
                TextAnchor::middle);

    for (size_t i = 0; i < y_ticks_.positions.size(); ++i) {
        const double at = y + (0.5 - y_ticks_.positions[i] / extent_height_) * map_height_;
        canvas.line(x - kTickLength, at, x, at, kLine);
        canvas.text(x - kTickLength - 2.0,
                    at + 0.36 * kTickLabel.size,
                    y_ticks_.labels[i],
                    kTickLabel,
                    TextAnchor::end);
    }
    canvas.text_upwards(x - left_ + kLabel.size, y + map_height_ / 2.0, y_label_, kLabel);
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

void FluxPanel::draw_vertical_bar(Canvas& canvas, double x, double y) const {
    const double bar_x = x + map_width_ + kBarGap;
    const double bar_end = bar_x + kBarThickness;
    canvas.image(bar_image(true), bar_x, y, kBarThickness, map_height_);
    canvas.frame(bar_x, y, kBarThickness, map_height_, kLine);
    double label_width = 0.0;
    for (size_t i = 0; i < bar_ticks_.positions.size(); ++i) {
        const double at = y + (1.0 - bar_ticks_.positions[i] / bar_top_) * map_height_;
        canvas.line(bar_end, at, bar_end + kTickLength, at, kLine);
        canvas.text(bar_end + kTickLength + 2.0,
                    at + 0.36 * kTickLabel.size,
                    bar_ticks_.labels[i],
                    kTickLabel);
        label_width = std::max(label_width, canvas.text_width(bar_ticks_.labels[i], kTickLabel));
    }
    canvas.text_upwards(bar_end + kTickLength + kGap + label_width + kLabel.size,
                        y + map_height_ / 2.0,
                        bar_label_,
                        kLabel);
}

void FluxPanel::draw_horizontal_bar(Canvas& canvas, double x, double y) const {
    const double bar_y =
        y + map_height_ + kTickLength + kTickLabel.size + kGap + kLabel.size + kGap + kGap;
    const double bar_end = bar_y + kBarThickness;
    canvas.image(bar_image(false), x, bar_y, map_width_, kBarThickness);
    canvas.frame(x, bar_y, map_width_, kBarThickness, kLine);
    for (size_t i = 0; i < bar_ticks_.positions.size(); ++i) {
        const double at = x + bar_ticks_.positions[i] / bar_top_ * map_width_;
        canvas.line(at, bar_end, at, bar_end + kTickLength, kLine);
        canvas.text(at,
                    bar_end + kTickLength + kTickLabel.size + 1.0,
                    bar_ticks_.labels[i],
                    kTickLabel,
                    TextAnchor::middle);
    }
    canvas.text(x + map_width_ / 2.0,
                bar_end + kTickLength + kTickLabel.size + kGap + kLabel.size,
                bar_label_,
                kLabel,
                TextAnchor::middle);
}

}  // namespace helioray

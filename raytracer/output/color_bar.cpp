// SPDX-License-Identifier: MIT
// Layout and drawing of colour bars.
#include "raytracer/output/color_bar.h"

#include "raytracer/output/axes.h"
#include "raytracer/output/panel_style.h"

#include <algorithm>
#include <utility>

namespace helioray {

using namespace panel_style;

namespace {

ColorImage bar_image(const ColorScale& scale, bool upright) {
    constexpr int kSteps = 256;
    ColorImage image{upright ? 1 : kSteps, upright ? kSteps : 1, {}};
    for (int i = 0; i < kSteps; ++i) {
        const double share = (i + 0.5) / kSteps;
        image.pixels.push_back(packed_color(scale.color_at(upright ? 1.0 - share : share)));
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
    canvas.image(bar_image(scale_, true), x, y, kBarThickness, length_);
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
    canvas.image(bar_image(scale_, false), x, y, length_, kBarThickness);
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

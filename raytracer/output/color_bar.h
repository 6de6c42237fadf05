// SPDX-License-Identifier: MIT
// The scale beside or below a map.
#pragma once

#include "raytracer/output/canvas.h"
#include "raytracer/output/color_scale.h"

#include <string>

namespace helioray {

/// A bar of colours with ticks and a label.
class ColorBar {
  public:
    /// `upright` stands to the right of a map, else the bar lies below; `length` points long.
    ColorBar(ColorScale scale, std::string label, bool upright, double length, Canvas& measure);

    const ColorScale& scale() const { return scale_; }  ///< whose colours it shows
    bool is_upright() const { return upright_; }        ///< else it lies
    /// Points across the bar from its near edge to the far end of the label, and half of a label
    /// that may hang over an end of a lying bar.
    double thickness() const { return thickness_; }

    /// Draws with the top left corner of the bar itself at (x, y).
    void draw(Canvas& canvas, double x, double y) const;

  private:
    void draw_upright(Canvas& canvas, double x, double y) const;
    void draw_lying(Canvas& canvas, double x, double y) const;

    ColorScale scale_;
    std::string label_;
    bool upright_;
    double length_;
    AxisTicks ticks_;
    double label_width_ = 0.0;
    double thickness_ = 0.0;
};

}  // namespace helioray

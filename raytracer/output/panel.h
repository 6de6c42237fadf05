// SPDX-License-Identifier: MIT
// A part of a picture that knows its size before it is drawn.
#pragma once

#include "raytracer/output/canvas.h"

namespace helioray {

/// A part of a page that draws itself.
class Panel {
  public:
    virtual ~Panel() = default;

    virtual double width() const = 0;   ///< points
    virtual double height() const = 0;  ///< points
    /// Draws with the top left corner at (x, y).
    virtual void draw(Canvas& canvas, double x, double y) const = 0;

    /// Space left of the drawing for its axis; panels below each other get the largest, so that
    /// they line up.
    double left_margin() const { return left_; }
    /// At least what the panel asked for, points.
    void set_left_margin(double left) { left_ = left; }

  protected:
    double left_ = 0.0;  ///< points, the left margin; set when the panel is made
};

}  // namespace helioray

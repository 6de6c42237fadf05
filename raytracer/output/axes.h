// SPDX-License-Identifier: MIT
// Horizontal and vertical axes around a rectangle of the page.
#pragma once

#include "raytracer/output/axis_ticks.h"
#include "raytracer/output/canvas.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// Widest of the labels in the font of ticks, points.
double widest(Canvas& measure, const std::vector<std::string>& labels);

/// How many ticks a length takes with `spacing` points each: 2 to `most`.
int ticks_that_fit(double length, double spacing, int most);

/// A rectangle of the page, points.
struct PageBox {
    double x = 0.0;       ///< left edge
    double y = 0.0;       ///< top edge; downwards
    double width = 0.0;   ///< to the right
    double height = 0.0;  ///< downwards
};

/// An axis: ticks, their places from 0 (left or bottom) to 1, and what the numbers are.
struct Axis {
    AxisTicks ticks;                      ///< values and their texts
    std::string label;                    ///< quantity and unit
    std::function<double(double)> place;  ///< of a value
};

/// Below and to the left of a box: points that axes take, ticks and labels included.
double axis_height();
double axis_width(Canvas& measure, const Axis& axis);

/// Draws below or to the left of the box, in black; the box itself is the caller's.
void draw_axis_below(Canvas& canvas, const PageBox& box, const Axis& axis);
/// `left`: points from the label's outer edge to the box.
void draw_axis_left(Canvas& canvas, const PageBox& box, const Axis& axis, double left);
/// Its mirror image, `right` points from the box to the label's outer edge.
void draw_axis_right(Canvas& canvas, const PageBox& box, const Axis& axis, double right);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Axes around a rectangle of the page: round numbers for their ticks, layout and drawing.
#pragma once

#include "app/plot/canvas.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// Positions and labels of ticks.
struct AxisTicks {
    std::vector<double> positions;    ///< ascending, within the range
    std::vector<std::string> labels;  ///< one per position; with equal steps, equal decimals
    double step = 0.0;                ///< 1, 2 or 5 times a power of ten; logarithmic scales: 10
};

/// The finest ticks on multiples of 1, 2 or 5 times a power of ten with at most `max_count` (>= 2)
/// of them in [low, high], low < high. At least one for ranges around 0.
AxisTicks nice_ticks(double low, double high, int max_count);

/// Power of ten to take out of a scale up to `largest` so that its labels stay short:
/// 0 for 0.01 <= largest < 100000, else a multiple of 3.
int scale_exponent(double largest);

/// "×10⁻⁶"; empty for 0.
std::string power_of_ten_text(int exponent);

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

/// Points that an axis takes below or to the left of its box, ticks and label included.
double axis_height();
double axis_width(Canvas& measure, const Axis& axis);

/// Draws below or to the left of the box, in black; the box itself is the caller's.
void draw_axis_below(Canvas& canvas, const PageBox& box, const Axis& axis);
/// `left`: points from the label's outer edge to the box.
void draw_axis_left(Canvas& canvas, const PageBox& box, const Axis& axis, double left);
/// Its mirror image, `right` points from the box to the label's outer edge.
void draw_axis_right(Canvas& canvas, const PageBox& box, const Axis& axis, double right);

}  // namespace helioray

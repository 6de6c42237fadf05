// SPDX-License-Identifier: MIT
// Axes around a rectangle of the page: chooses round numbers for their ticks, arranges and draws
// them.
#pragma once

#include "app/output/plot/drawing/canvas.h"

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

/// Returns the finest ticks on multiples of 1, 2 or 5 times a power of ten with at most `max_count`
/// (>= 2) of them in [low, high], low < high. Ranges around 0 have at least one tick.
AxisTicks nice_ticks(double low, double high, int max_count);

/// Returns the power of ten to divide a scale up to `largest` by, so that its labels stay short: 0
/// for 0.01 <= largest < 100000, otherwise a multiple of 3.
int scale_exponent(double largest);

/// Returns "×10⁻⁶", or an empty text for 0.
std::string power_of_ten_text(int exponent);

/// Returns the width of the widest label in the font of ticks, in points.
double widest(Canvas& measure, const std::vector<std::string>& labels);

/// Returns the number of ticks for a length with `spacing` points each: 2 to `most`.
int ticks_that_fit(double length, double spacing, int most);

/// A rectangle of the page, in points.
struct PageBox {
    double x = 0.0;       ///< left edge
    double y = 0.0;       ///< top edge, measured downwards
    double width = 0.0;   ///< to the right
    double height = 0.0;  ///< downwards
};

/// An axis: its ticks, the place of values on it from 0 (left or bottom) to 1, and its label.
struct Axis {
    AxisTicks ticks;                      ///< values and their texts
    std::string label;                    ///< quantity and unit
    std::function<double(double)> place;  ///< returns the place of a value
};

/// Returns the points that an axis needs below its box, including ticks and label.
double axis_height();
/// Returns the points that an axis needs to the left of its box, including ticks and label.
double axis_width(Canvas& measure, const Axis& axis);

/// Draws an axis below the box in black; the caller draws the box itself.
void draw_axis_below(Canvas& canvas, const PageBox& box, const Axis& axis);
/// Draws an axis to the left of the box; `left` is the number of points from the label's outer edge
/// to the box.
void draw_axis_left(Canvas& canvas, const PageBox& box, const Axis& axis, double left);
/// Draws an axis to the right of the box; `right` is the number of points from the box to the
/// label's outer edge.
void draw_axis_right(Canvas& canvas, const PageBox& box, const Axis& axis, double right);

/// A box on a page with two axes, and a title and a subtitle above it.
struct Graph {
    double top;                   ///< top of the titles, points
    PageBox box;                  ///< box between the axes
    const std::string& title;     ///< first line above the box
    const std::string& subtitle;  ///< second line
    const Axis& horizontal;       ///< axis below the box
    const Axis& vertical;         ///< axis to its left
    double left;                  ///< space of the vertical axis, points
    bool has_grid = false;        ///< a line at each tick of the vertical axis
    bool clips_content = false;   ///< the content is drawn within the box only
};

/// Draws the title and the subtitle.
void draw_titles(Canvas& canvas, const Graph& graph);

/// Draws the frame and the axes on top of what draw_inside() draws.
void draw_graph(Canvas& canvas, const Graph& graph, const std::function<void()>& draw_inside);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// A graph of quantities with errors over steps.
#pragma once

#include "app/output/plot/drawing/axes.h"
#include "app/output/plot/drawing/plot_page.h"

#include <cstddef>
#include <string>
#include <vector>

namespace helioray {

/// A quantity at every step, in the unit of the graph.
struct StepCurve {
    std::string name;            ///< name in the legend
    std::vector<double> values;  ///< values; steps without a number are left out
    std::vector<double> errors;  ///< standard errors; empty if unknown
    Color color;                 ///< colour of line, dots and errors
};

/// The texts, the horizontal axis and the size of a graph.
struct CurveGraph {
    std::string title;                ///< first line above the graph
    std::string subtitle;             ///< second line
    std::string label;                ///< label of the vertical axis, with the unit
    Axis steps;                       ///< horizontal axis
    std::vector<double> places;       ///< position of each step on it
    std::vector<std::size_t> breaks;  ///< steps before which lines end, ascending
    bool from_zero = true;            ///< the vertical axis begins at 0
    double width = 430.0;             ///< width of the graph, points
    double height = 210.0;            ///< height of the graph, points
};

/// Panel with curves over common steps: a dot for each value, a vertical bar of one standard error
/// on either side, and lines between the dots of a day. A legend names several curves.
class CurvePanel : public Panel {
  public:
    /// Every curve has a value for each place of the graph.
    CurvePanel(CurveGraph graph, std::vector<StepCurve> curves, Canvas& measure);

    double width() const override;
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    void make_axis(Canvas& measure);
    void place_legend(Canvas& measure);
    void draw_curve(Canvas& canvas, const PageBox& box, const StepCurve& curve) const;
    void draw_legend(Canvas& canvas, const PageBox& box) const;

    CurveGraph graph_;
    std::vector<StepCurve> curves_;
    Axis values_;
    std::vector<PagePoint> legend_;  // from the lower left corner of the axis
    double legend_height_ = 0.0;
    double text_width_ = 0.0;
};

}  // namespace helioray

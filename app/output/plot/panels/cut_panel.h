// SPDX-License-Identifier: MIT
// Flux along a line through the peak of a map.
#pragma once

#include "app/output/plot/drawing/axes.h"
#include "app/output/plot/drawing/plot_page.h"
#include "app/output/plot/panels/flux_panel.h"

#include <string>
#include <vector>

namespace helioray {

enum class CutDirection { horizontal, vertical };

/// Values of the row or column of pixels through the peak, from left to right or from the bottom
/// up.
struct FluxCut {
    std::vector<double> position_m;  ///< distances from the target's centre
    std::vector<double> flux;        ///< flux in the map's unit
    std::vector<double> std_error;   ///< standard errors in the map's unit; NaN if unknown
    double across_m = 0.0;           ///< distance of the cut from the centre in the other direction
};
FluxCut flux_cut(const TargetResult& target, CutDirection direction);

/// A graph of a cut with a band of one standard error on either side.
class CutPanel : public Panel {
  public:
    /// `reach` and `scale` are those of the target's FluxPanel, so that both show the same numbers.
    CutPanel(const TargetResult& target,
             CutDirection direction,
             double reach,
             FluxPanelStyle::Scale scale,
             double shrink,
             Canvas& measure);

    double width() const override;
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    void draw_curve(Canvas& canvas, const PageBox& box) const;

    FluxCut cut_;
    DisplayScale display_scale_;
    Axis x_axis_;
    Axis y_axis_;
    std::string title_;
    std::string subtitle_;
    double plot_width_;
    double plot_height_;
    double text_width_ = 0.0;
};

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Bars by month: the energy on the targets beside the sun on the mirrors.
#pragma once

#include "raytracer/annual/annual.h"
#include "raytracer/output/axes.h"
#include "raytracer/output/panel.h"

#include <array>
#include <string>
#include <vector>

namespace helioray {

/// Two bars for each month on one scale: the energy on the targets, target upon target, and the
/// direct sun on the area of all mirrors, which the right axis gives per area. So the left bar's
/// part of the right one is the month's efficiency; it stands above as a number.
class MonthsPanel : public Panel {
  public:
    MonthsPanel(const AnnualYield& yield, Canvas& measure);

    double width() const override;
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    /// A stack's part: a target, or all smaller ones.
    struct Part {
        std::string name;
        Months energy{};  // J
        Color color;
    };

    void choose_parts(const AnnualYield& yield);
    void make_axes(const AnnualYield& yield, Canvas& measure);
    void place_legend(Canvas& measure);
    void draw_bars(Canvas& canvas, const PageBox& box) const;
    void draw_legend(Canvas& canvas, const PageBox& box) const;

    std::vector<Part> parts_;  // from the bottom
    Months sun_{};             // on all mirrors, J
    Months on_targets_{};      // J
    double highest_ = 1.0;     // J
    Axis month_axis_;
    Axis energy_axis_;
    Axis insolation_axis_;
    double right_ = 0.0;  // points
    std::string sun_name_;
    std::vector<PagePoint> legend_;  // from the box's lower left corner: each part, then the sun
    double legend_height_ = 0.0;
    std::string subtitle_;
    double text_width_ = 0.0;
};

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Draws pictures of a year: energy by month, and the data of the field plot.
#pragma once

#include "app/output/plot/drawing/axes.h"
#include "app/output/plot/drawing/plot_page.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/studies/annual/annual.h"

#include <array>
#include <string>
#include <vector>

namespace helioray {

/// Panel with two bars for each month on one scale: the energy on the targets, stacked by target,
/// and the direct sun on the area of all mirrors, which the right axis shows per area. The ratio of
/// the left bar to the right one is the month's efficiency, printed above them.
class MonthsPanel : public Panel {
  public:
    /// Copies its numbers; `measure` gives the sizes of text.
    MonthsPanel(const AnnualYield& yield, Canvas& measure);

    double width() const override;
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    /// A part of a stack: one target, or all smaller ones together.
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

    std::vector<Part> parts_;  // in stacking order, the lowest first
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

/// Returns a page with the energy on the targets by month beside the direct sun.
PlotPage months_page(const AnnualYield& yield);

/// Returns the quantities of heliostats with the names of a year: efficiency, solar_energy, the
/// losses, target_energy, target_energy_std_error. They are for field_page() with the yield's plan.
const std::vector<HeliostatQuantity>& annual_quantities();

/// Returns the plan for pictures of the field. Throws InputError with the name `where` for a yield
/// without one.
const RunResult& find_plan(const AnnualYield& yield, const std::string& where);

/// Returns lines with the light and the rays, the extent of the field, and heliostats that are off.
std::string year_text(const AnnualYield& yield);

}  // namespace helioray

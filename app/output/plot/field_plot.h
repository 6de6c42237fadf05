// SPDX-License-Identifier: MIT
// Draws pictures of the field from above, with heliostats coloured by one of their numbers.
#pragma once

#include "app/output/plot/drawing/axes.h"
#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/drawing/plot_page.h"
#include "app/output/summary/run_context.h"
#include "raytracer/results/heliostat_quantity.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Unit in which a quantity is displayed.
enum class FieldUnit {
    percent,  ///< per cent of each heliostat's solar_power
    power,    ///< W, kW or MW, depending on the size; kWh, MWh or GWh for a year
};

/// One number for every heliostat of a result, with the texts of its plan.
struct FieldNumbers {
    std::string title;           ///< title of the plan
    std::string subtitle;        ///< may be empty
    std::string label;           ///< label of the colour bar, with the unit
    std::vector<double> values;  ///< NaN for heliostats without a number
    bool cross_out = false;      ///< mark heliostats without a number by a cross instead of grey
};

/// Returns a quantity with the field's total. Fractions are always in percent.
FieldNumbers field_numbers(const RunResult& result,
                           const HeliostatQuantity& quantity,
                           FieldUnit unit);

/// A plan with true proportions: mirrors as their outlines seen from above (dots if these are too
/// small to see or unknown), targets, bodies in grey, heliostats that are off as crosses, axes in
/// metres, north, and the direction to the sun.
class FieldPanel : public Panel {
  public:
    /// `result` outlives the panel and has heliostats; `shrink` scales the plan. Throws
    /// std::logic_error unless there is a number for each heliostat.
    FieldPanel(const RunResult& result,
               FieldNumbers numbers,
               double shrink,
               Canvas& measure,
               Surroundings surroundings = {});

    double width() const override;
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    struct Bounds {
        double east_low, east_high, north_low, north_high;  // metres
    };

    void measure_field(double shrink);
    void make_axes(Canvas& measure);
    PagePoint place(const PageBox& box, double east, double north) const;
    void draw_heliostats(Canvas& canvas, const PageBox& box) const;
    void draw_crosses(Canvas& canvas, const PageBox& box) const;
    void draw_obstacles(Canvas& canvas, const PageBox& box) const;
    void draw_idle(Canvas& canvas, const PageBox& box) const;
    void draw_targets(Canvas& canvas, const PageBox& box) const;
    void draw_arrows(Canvas& canvas, const PageBox& box) const;

    const RunResult& result_;
    FieldNumbers numbers_;
    Surroundings surroundings_;
    Bounds bounds_{};
    double plot_width_ = 0.0;   // points
    double plot_height_ = 0.0;  // points
    double points_per_metre_ = 1.0;
    Axis x_axis_;
    Axis y_axis_;
    std::optional<ColorBar> bar_;
    double text_width_ = 0.0;
};

/// Returns a place for a name of this size (points) beside a symbol, inside the frame and outside
/// of the boxes in `taken`. It is to the right or left of the symbol, as close to the height of its
/// middle as possible. If there is no free place, returns the one to the right, moved into the
/// frame.
PageBox label_place(const PageBox& frame,
                    const PageBox& symbol,
                    const std::vector<PageBox>& taken,
                    double width,
                    double height);

/// Returns the plan of the field with its surroundings (see read_surroundings()) as a page;
/// `result` outlives it. Throws InputError for a result without heliostats.
PlotPage field_page(const RunResult& result, const HeliostatQuantity& quantity, FieldUnit unit);

}  // namespace helioray

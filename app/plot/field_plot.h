// SPDX-License-Identifier: MIT
// Pictures of the field from above, heliostats coloured by one of their numbers.
#pragma once

#include "app/plot/axes.h"
#include "app/plot/colors.h"
#include "app/plot/plot_page.h"
#include "raytracer/results/heliostat_quantity.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// How a quantity is shown.
enum class FieldUnit {
    percent,  ///< of each heliostat's solar_power
    power,    ///< W, kW or MW as fits; of a year kWh, MWh or GWh
};

/// One number for every heliostat of a result, as a plan shows it.
struct FieldNumbers {
    std::string title;           ///< of the plan
    std::string subtitle;        ///< may be empty
    std::string label;           ///< of the colour bar, with the unit
    std::vector<double> values;  ///< NaN: none
    bool cross_out = false;  ///< mark heliostats without a number by a cross; else they are grey
};

/// A quantity with the field's total. A share is always shown in percent.
FieldNumbers field_numbers(const RunResult& result,
                           const HeliostatQuantity& quantity,
                           FieldUnit unit);

/// A plan with true proportions: mirrors as their outlines seen from above (dots if these are too
/// small to see or unknown), targets, axes in metres, north, the direction to the sun.
class FieldPanel : public Panel {
  public:
    /// `result` outlives the panel and has heliostats; `shrink` of the plan. Throws
    /// std::logic_error unless there is a number for each.
    FieldPanel(const RunResult& result, FieldNumbers numbers, double shrink, Canvas& measure);

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
    void draw_targets(Canvas& canvas, const PageBox& box) const;
    void draw_arrows(Canvas& canvas, const PageBox& box) const;

    const RunResult& result_;
    FieldNumbers numbers_;
    Bounds bounds_{};
    double plot_width_ = 0.0;   // points
    double plot_height_ = 0.0;  // points
    double points_per_metre_ = 1.0;
    Axis x_axis_;
    Axis y_axis_;
    std::optional<ColorBar> bar_;
    double text_width_ = 0.0;
};

/// A place for a name of this size (points) beside a symbol, inside the frame and free of what is
/// taken: to the right or to the left, as little above or below the symbol's middle as can be.
/// Where nothing is free: to the right, moved into the frame.
PageBox label_place(const PageBox& frame,
                    const PageBox& symbol,
                    const std::vector<PageBox>& taken,
                    double width,
                    double height);

/// The plan of the field as a page; `result` outlives it. Throws InputError for a result without
/// heliostats.
PlotPage field_page(const RunResult& result, const HeliostatQuantity& quantity, FieldUnit unit);

}  // namespace helioray

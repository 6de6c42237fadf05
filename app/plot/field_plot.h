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

/// A plan with true proportions: mirrors as their outlines seen from above (dots if these are too
/// small to see or unknown), targets, axes in metres, north, the direction to the sun.
class FieldPanel : public Panel {
  public:
    /// `result` outlives the panel and has heliostats. A share is always shown in percent.
    FieldPanel(const RunResult& result,
               const HeliostatQuantity& quantity,
               FieldUnit unit,
               Canvas& measure);

    double width() const override;
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

  private:
    struct Bounds {
        double east_low, east_high, north_low, north_high;  // metres
    };

    void choose_values(FieldUnit unit);
    void measure_field();
    void make_axes(Canvas& measure);
    PagePoint place(const PageBox& box, double east, double north) const;
    void draw_heliostats(Canvas& canvas, const PageBox& box) const;
    void draw_targets(Canvas& canvas, const PageBox& box) const;
    void draw_arrows(Canvas& canvas, const PageBox& box) const;

    const RunResult& result_;
    const HeliostatQuantity& quantity_;
    std::vector<double> values_;  // as shown
    std::string value_label_;
    std::string subtitle_;
    Bounds bounds_{};
    double plot_width_ = 0.0;   // points
    double plot_height_ = 0.0;  // points
    double points_per_metre_ = 1.0;
    Axis x_axis_;
    Axis y_axis_;
    std::optional<ColorBar> bar_;
    double text_width_ = 0.0;
};

/// The plan of the field as a page; `result` outlives it. Throws InputError for a result without
/// heliostats.
PlotPage field_page(const RunResult& result, const HeliostatQuantity& quantity, FieldUnit unit);

}  // namespace helioray

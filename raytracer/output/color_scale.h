// SPDX-License-Identifier: MIT
// From numbers to places on an axis and to colours: linear, logarithmic, about zero.
#pragma once

#include "raytracer/output/axis_ticks.h"
#include "raytracer/output/canvas.h"
#include "raytracer/output/color_map.h"

namespace helioray {

/// A range of numbers with ticks, places in [0, 1] and colours.
class ColorScale {
  public:
    /// From low to high (> low); colours of flux, or with `on_white` those of fields.
    static ColorScale linear(double low, double high, bool on_white = false);
    /// Four decades below `high` (> 0). What is smaller, 0 and negative values have the place 0.
    static ColorScale logarithmic(double high);
    /// From -reach to reach (> 0); colours of differences.
    static ColorScale about_zero(double reach);

    double low() const { return low_; }    ///< value at place 0
    double high() const { return high_; }  ///< value at place 1
    /// Place on the axis: 0 at low, 1 at high, linear in the value or its logarithm, not clamped
    /// above; NaN stays.
    double place(double value) const;
    /// Colour of a value, or of a place that is known already; clamped, grey for NaN.
    Rgb8 color(double value) const { return color_at(place(value)); }
    Rgb8 color_at(double place) const;

    /// Ticks at values within the range, at most about max_count.
    AxisTicks ticks(int max_count) const;

  private:
    enum class Kind { flux, on_white, logarithmic, about_zero };
    ColorScale(Kind kind, double low, double high) : kind_(kind), low_(low), high_(high) {}

    Kind kind_;
    double low_;
    double high_;
};

/// The same colour for the canvas, and as 0x00RRGGBB.
Color canvas_color(const Rgb8& color);
std::uint32_t packed_color(const Rgb8& color);

}  // namespace helioray

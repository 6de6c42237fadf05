// SPDX-License-Identifier: MIT
// Colours of numbers: palettes, scales from numbers to colours, and the colour bar beside a map.
#pragma once

#include "app/plot/axes.h"
#include "app/plot/canvas.h"

#include <array>
#include <cstdint>
#include <string>

namespace helioray {

/// Red, green and blue of an sRGB colour, 0 to 255.
using Rgb8 = std::array<std::uint8_t, 3>;

/// Colour of a share of the scale, clamped to [0, 1]; grey for NaN. Lightness grows linearly with
/// the share, so that order and size stay visible in grey prints and for the colour-blind. The
/// path is a spiral in OKLab (Ottosson, "A perceptual color space for image processing", 2020), its
/// chroma chosen to stay inside sRGB.
Rgb8 flux_color(double share);

/// Colour of a share of a scale on a white ground: the same path without its ends.
Rgb8 field_color(double share);

/// Colour of a difference, from blue over near white (0.5: no difference) to orange; clamped to
/// [0, 1], grey for NaN. Equal differences of either sign are equally dark; blue and orange are
/// distinct for the colour-blind.
Rgb8 difference_color(double share);

/// Lightness of an sRGB colour in OKLab, 0 to 1.
double perceived_lightness(const Rgb8& color);

/// A range of numbers with ticks, places in [0, 1] and colours.
class ColorScale {
  public:
    /// From low to high (> low); colours of flux, or with `on_white` those of fields.
    static ColorScale linear(double low, double high, bool on_white = false);
    /// Four decades below `high` (> 0). Smaller and negative values have the place 0.
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

/// A bar of colours with ticks and a label.
class ColorBar {
  public:
    /// `upright` stands to the right of a map, otherwise the bar is below it; `length` points long.
    ColorBar(ColorScale scale, std::string label, bool upright, double length, Canvas& measure);

    const ColorScale& scale() const { return scale_; }  ///< whose colours it shows
    /// Points across the bar from its near edge to the far end of the label, and half of a label
    /// that may hang over an end of a horizontal bar.
    double thickness() const { return thickness_; }

    /// Draws with the top left corner of the bar itself at (x, y).
    void draw(Canvas& canvas, double x, double y) const;

  private:
    void draw_upright(Canvas& canvas, double x, double y) const;
    void draw_lying(Canvas& canvas, double x, double y) const;

    ColorScale scale_;
    std::string label_;
    bool upright_;
    double length_;
    AxisTicks ticks_;
    double label_width_ = 0.0;
    double thickness_ = 0.0;
};

}  // namespace helioray

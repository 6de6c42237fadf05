// SPDX-License-Identifier: MIT
// Colours for numbers: palettes, scales from numbers to colours, and the colour bar beside a map.
#pragma once

#include "app/output/plot/drawing/axes.h"
#include "app/output/plot/drawing/canvas.h"

#include <array>
#include <cstdint>
#include <string>

namespace helioray {

/// Red, green and blue of an sRGB colour, 0 to 255.
using Rgb8 = std::array<std::uint8_t, 3>;

/// Returns the colour of a fraction of the scale, clamped to [0, 1]; grey for NaN. Lightness grows
/// linearly with the fraction, so that order and size stay visible in grey prints and for the
/// colour-blind. The path is a spiral in OKLab (Ottosson, "A perceptual color space for image
/// processing", 2020), its chroma chosen to stay inside sRGB.
Rgb8 flux_color(double share);

/// Returns the colour of a fraction of a scale on the ground of a theme: the path of flux_color()
/// without the colours that are near the ground.
Rgb8 field_color(double share, Theme theme = Theme::light);

/// Returns the colour of a difference, from blue over near white (0.5: no difference) to orange;
/// clamped to [0, 1], grey for NaN. Equal differences of either sign are equally dark; blue and
/// orange are distinct for the colour-blind.
Rgb8 difference_color(double share);

/// Returns the lightness of an sRGB colour in OKLab, 0 to 1.
double perceived_lightness(const Rgb8& color);

/// A range of numbers with ticks, places in [0, 1] and colours.
class ColorScale {
  public:
    /// Creates a linear scale from low to high (> low), with colours of flux, or with `on_ground`
    /// those of fields.
    static ColorScale linear(double low, double high, bool on_ground = false);
    /// Creates a logarithmic scale of four decades below `high` (> 0). Smaller and negative values
    /// have the place 0.
    static ColorScale logarithmic(double high);
    /// Creates a scale from -reach to reach (> 0) with colours of differences.
    static ColorScale about_zero(double reach);

    double low() const { return low_; }    ///< value at place 0
    double high() const { return high_; }  ///< value at place 1
    /// Returns the place on the axis: 0 at low, 1 at high, linear in the value or its logarithm,
    /// not clamped above. NaN stays NaN.
    double place(double value) const;
    /// @{
    /// Returns the colour of a value, or of a known place; clamped, grey for NaN. Scales of fields
    /// have other colours on dark grounds.
    Rgb8 color(double value, Theme theme = Theme::light) const {
        return color_at(place(value), theme);
    }
    Rgb8 color_at(double place, Theme theme = Theme::light) const;
    /// @}

    /// Returns ticks at values within the range, about max_count at most.
    AxisTicks ticks(int max_count) const;

  private:
    enum class Kind { flux, on_ground, logarithmic, about_zero };
    ColorScale(Kind kind, double low, double high) : kind_(kind), low_(low), high_(high) {}

    Kind kind_;
    double low_;
    double high_;
};

/// Converts the colour for the canvas.
Color canvas_color(const Rgb8& color);
/// Converts the colour to 0x00RRGGBB.
std::uint32_t packed_color(const Rgb8& color);

/// A bar of colours with ticks and a label.
class ColorBar {
  public:
    /// Arranges the bar. An `upright` bar is to the right of a map, otherwise the bar is below it;
    /// it is `length` points long.
    ColorBar(ColorScale scale, std::string label, bool upright, double length, Canvas& measure);

    const ColorScale& scale() const { return scale_; }  ///< scale whose colours the bar shows
    /// Returns the points across the bar from its near edge to the far end of the label, and half
    /// of a label that may extend beyond an end of a horizontal bar.
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

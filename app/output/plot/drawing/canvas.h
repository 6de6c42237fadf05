// SPDX-License-Identifier: MIT
// Draws on PNG, SVG and PDF in points; the origin is at the top left.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// A colour in sRGB; black by default.
struct Color {
    /// @{
    /// Components from 0 to 1.
    double red = 0.0;
    double green = 0.0;
    double blue = 0.0;
    /// @}
};

/// Size and weight of text.
struct Font {
    double size = 10.0;  ///< size of the em square in points
    bool bold = false;   ///< bold instead of regular
};

/// The end of a text, or its middle, that is placed at the given point.
enum class TextAnchor { start, middle, end };

/// An image to be placed on a page.
struct ColorImage {
    int width = 0;                      ///< pixels
    int height = 0;                     ///< pixels
    std::vector<std::uint32_t> pixels;  ///< [height * width] from the top left, 0x00RRGGBB
};

/// A point of the page.
struct PagePoint {
    double x = 0.0;  ///< distance from the left edge in points
    double y = 0.0;  ///< distance from the top edge in points
};

/// Format of a stored picture: pixels, or lines and text of any resolution.
enum class PictureFormat { png, svg, pdf };

/// Ground of a picture: white, or that of dark pages, on which black and grey lines and texts are
/// light.
enum class Theme { light, dark };

/// Returns the colour with which a canvas of this theme draws `color`. On dark grounds the
/// lightness of greys is turned over, and dark hues become lighter.
Color themed_color(const Color& color, Theme theme);

/// One page to draw on. Coordinates, sizes and widths are points, y points down. Text is UTF-8;
/// invalid bytes appear as '?'.
class Canvas {
  public:
    /// Creates a canvas that can only measure text.
    Canvas();
    /// Creates an empty page of `width` x `height` points; a PNG gets `pixels_per_point` pixels per
    /// point. Throws std::runtime_error if it cannot be created.
    Canvas(PictureFormat format,
           double width,
           double height,
           double pixels_per_point,
           Theme theme = Theme::light);
    ~Canvas();
    Canvas(Canvas&&) noexcept;  ///< Moves the page
    Canvas& operator=(Canvas&&) = delete;

    /// Returns the width of a text, by which it advances the pen.
    double text_width(const std::string& text, const Font& font);
    /// Draws text with its baseline at y.
    void text(double x,
              double y,
              const std::string& text,
              const Font& font,
              TextAnchor anchor = TextAnchor::start,
              const Color& color = {});
    /// Draws text centred at (x, y) with a border that separates it from the background.
    void text_with_halo(double x,
                        double y,
                        const std::string& text,
                        const Font& font,
                        const Color& color,
                        const Color& halo);
    /// Draws text that reads upwards, with its baseline at x and its middle at y.
    void text_upwards(double x, double y, const std::string& text, const Font& font);
    /// Draws a straight line.
    void line(double x0, double y0, double x1, double y1, double width, const Color& color = {});
    /// Draws straight lines from point to point with round joints; dashes of `dash` points if
    /// positive.
    void polyline(const std::vector<PagePoint>& points,
                  double width,
                  const Color& color,
                  double dash = 0.0);
    /// Fills a polygon, closed from its last point to its first, without its outline.
    void fill(const std::vector<PagePoint>& polygon, const Color& color);
    /// Draws a filled circle about (x, y).
    void disc(double x, double y, double radius, const Color& color);
    /// Draws the outline of a rectangle in black; (x, y) is its top left corner.
    void frame(double x, double y, double width, double height, double line_width);
    /// Draws the image stretched over a rectangle; magnified pixels stay sharp.
    void image(const ColorImage& image, double x, double y, double width, double height);

    /// Draws only inside the rectangle until `draw` returns.
    template <typename Draw>
    void within(double x, double y, double width, double height, const Draw& draw) {
        begin_clip(x, y, width, height);
        draw();
        end_clip();
    }

    /// Draws with the same colours in all themes until `draw` returns: lines and texts on images,
    /// whose colours do not depend on the theme.
    template <typename Draw>
    void on_image(const Draw& draw) {
        const Theme before = theme_;
        theme_ = Theme::light;
        draw();
        theme_ = before;
    }

    Theme theme() const { return theme_; }  ///< ground of the page

    /// Returns the bytes of the picture; afterwards nothing can be drawn. Throws std::runtime_error
    /// if the picture cannot be created.
    std::string finish();

  private:
    void begin_clip(double x, double y, double width, double height);
    void end_clip();

    void set_color(const Color& color);

    struct State;
    std::unique_ptr<State> state_;
    Theme theme_ = Theme::light;
};

}  // namespace helioray

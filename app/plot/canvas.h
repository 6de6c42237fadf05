// SPDX-License-Identifier: MIT
// Drawing on PNG, SVG and PDF in points, the origin at the top left.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// A colour in sRGB; black as it is made.
struct Color {
    /// 0 to 1 each.
    double red = 0.0;
    double green = 0.0;
    double blue = 0.0;
};

/// Size and weight of text.
struct Font {
    double size = 10.0;  ///< points, of the em square
    bool bold = false;   ///< else regular
};

/// Which end of a text, or its middle, lies at the given point.
enum class TextAnchor { start, middle, end };

/// An image to be placed on a page.
struct ColorImage {
    int width = 0;                      ///< pixels
    int height = 0;                     ///< pixels
    std::vector<std::uint32_t> pixels;  ///< [height * width] from the top left, 0x00RRGGBB
};

/// A point of the page.
struct PagePoint {
    double x = 0.0;  ///< points, from the left edge
    double y = 0.0;  ///< points, from the top edge
};

/// How a picture is stored: in pixels, or as lines and text of any resolution.
enum class PictureFormat { png, svg, pdf };

/// One page to draw on. Coordinates, sizes and widths are points, y points down. Text is UTF-8;
/// bytes that are not are shown as '?'.
class Canvas {
  public:
    /// For measuring text only.
    Canvas();
    /// A white page of `width` x `height` points; a PNG gets `pixels_per_point` pixels per point.
    /// Throws std::runtime_error when it cannot be made.
    Canvas(PictureFormat format, double width, double height, double pixels_per_point);
    ~Canvas();
    Canvas(Canvas&&) noexcept;
    Canvas& operator=(Canvas&&) = delete;

    /// Width of a text, by how far it advances the pen.
    double text_width(const std::string& text, const Font& font);
    /// Text with its baseline at y.
    void text(double x,
              double y,
              const std::string& text,
              const Font& font,
              TextAnchor anchor = TextAnchor::start,
              const Color& color = {});
    /// Text in the middle of (x, y) with a border that sets it off from what is below.
    void text_with_halo(double x,
                        double y,
                        const std::string& text,
                        const Font& font,
                        const Color& color,
                        const Color& halo);
    /// Text that reads upwards, its baseline at x, its middle at y.
    void text_upwards(double x, double y, const std::string& text, const Font& font);
    /// A straight line.
    void line(double x0, double y0, double x1, double y1, double width, const Color& color = {});
    /// Straight lines from point to point with round joints; dashes of `dash` points if positive.
    void polyline(const std::vector<PagePoint>& points,
                  double width,
                  const Color& color,
                  double dash = 0.0);
    /// A polygon, closed from its last point to its first, without its outline.
    void fill(const std::vector<PagePoint>& polygon, const Color& color);
    /// A filled circle about (x, y).
    void disc(double x, double y, double radius, const Color& color);
    /// The outline of a rectangle in black, (x, y) its top left corner.
    void frame(double x, double y, double width, double height, double line_width);
    /// The image stretched over a rectangle; magnified pixels stay sharp.
    void image(const ColorImage& image, double x, double y, double width, double height);

    /// Draws only inside the rectangle until the function returns.
    template <typename Draw>
    void within(double x, double y, double width, double height, Draw draw) {
        begin_clip(x, y, width, height);
        draw();
        end_clip();
    }

    /// The bytes of the picture; nothing can be drawn afterwards. Throws std::runtime_error when it
    /// cannot be made.
    std::string finish();

  private:
    void begin_clip(double x, double y, double width, double height);
    void end_clip();

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace helioray

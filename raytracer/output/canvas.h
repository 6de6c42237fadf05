// SPDX-License-Identifier: MIT
// Drawing on PNG, SVG and PDF in points, the origin at the top left.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

struct Color {
    double red = 0.0;
    double green = 0.0;
    double blue = 0.0;
};

struct Font {
    double size = 10.0;  ///< points
    bool bold = false;
};

enum class TextAnchor { start, middle, end };

/// Pixels in rows from the top, 0x00RRGGBB each.
struct ColorImage {
    int width = 0;
    int height = 0;
    std::vector<std::uint32_t> pixels;
};

enum class PictureFormat { png, svg, pdf };

/// One page to draw on. Text is UTF-8; bytes that are not are shown as '?'.
class Canvas {
  public:
    /// For measuring text only.
    Canvas();
    /// A white page of `width` x `height` points that finish() stores in `file`; a PNG gets
    /// `pixels_per_point` pixels per point. Throws std::runtime_error when it cannot be made.
    Canvas(PictureFormat format,
           const std::filesystem::path& file,
           double width,
           double height,
           double pixels_per_point);
    ~Canvas();
    Canvas(Canvas&&) noexcept;
    Canvas& operator=(Canvas&&) = delete;

    double text_width(const std::string& text, const Font& font);
    /// Text with its baseline at y.
    void text(double x,
              double y,
              const std::string& text,
              const Font& font,
              TextAnchor anchor = TextAnchor::start,
              const Color& color = {});
    /// Text that reads upwards, its baseline at x, its middle at y.
    void text_upwards(double x, double y, const std::string& text, const Font& font);
    void line(double x0, double y0, double x1, double y1, double width, const Color& color = {});
    void frame(double x, double y, double width, double height, double line_width);
    /// The image stretched over a rectangle; magnified pixels stay sharp.
    void image(const ColorImage& image, double x, double y, double width, double height);

    /// Stores the page. Throws std::runtime_error when the file cannot be written.
    void finish();

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace helioray

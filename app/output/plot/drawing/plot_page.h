// SPDX-License-Identifier: MIT
// Arranges panels, title and footer on one page, and stores pictures as files.
#pragma once

#include "app/output/plot/drawing/canvas.h"
#include "raytracer/tracing/job/result.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// A part of a page that draws itself.
class Panel {
  public:
    virtual ~Panel() = default;

    virtual double width() const = 0;   ///< width in points
    virtual double height() const = 0;  ///< height in points
    /// Draws with the top left corner at (x, y).
    virtual void draw(Canvas& canvas, double x, double y) const = 0;

    /// Returns the space left of the drawing for its axis in points. Panels below each other use
    /// the largest one, so that they are aligned.
    double left_margin() const { return left_; }
    /// Sets the left margin in points, to at least the panel's own margin.
    void set_left_margin(double left) { left_ = left; }

  protected:
    double left_ = 0.0;  ///< left margin in points, set by the constructor
};

/// The content of a page. Without a title there is no header, without a footer no space for it.
struct PlotPage {
    std::string title;     ///< large, at the top left; empty: neither title nor subtitle
    std::string subtitle;  ///< lines below it; may be empty
    std::string footer;    ///< small, at the bottom; empty: none
    std::vector<std::unique_ptr<Panel>> panels;  ///< row by row
    /// Number of columns; 0: chosen for a page with the proportions of a screen.
    std::size_t columns = 0;
};

/// Returns the picture's bytes. Throws std::runtime_error if it cannot be created.
std::string draw_page(const PlotPage& page,
                      PictureFormat format,
                      double pixels_per_point,
                      Theme theme = Theme::light);

/// Returns the title of a result's pictures: its scenario's name, or `otherwise`.
std::string scenario_title(const Provenance& provenance, const std::string& otherwise);
/// Returns a line with the program, the time and the fingerprint.
std::string origin_text(const Provenance& provenance);

/// Returns the format for the file's extension: .png, .svg or .pdf, in upper or lower case. Throws
/// InputError for others.
PictureFormat picture_format(const std::filesystem::path& picture);

/// Stores a picture, completely or not at all. Throws std::runtime_error with the file's name.
void store_page(const PlotPage& page,
                const std::filesystem::path& picture,
                double pixels_per_point);

}  // namespace helioray

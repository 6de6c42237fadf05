// SPDX-License-Identifier: MIT
// Panels, title and footer on one page; pictures as files.
#pragma once

#include "app/plot/canvas.h"
#include "raytracer/job/result.h"

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

    virtual double width() const = 0;   ///< points
    virtual double height() const = 0;  ///< points
    /// Draws with the top left corner at (x, y).
    virtual void draw(Canvas& canvas, double x, double y) const = 0;

    /// Space left of the drawing for its axis; panels below each other get the largest, so that
    /// they line up.
    double left_margin() const { return left_; }
    /// Sets it, to at least the panel's own margin; points.
    void set_left_margin(double left) { left_ = left; }

  protected:
    double left_ = 0.0;  ///< points, the left margin; set when the panel is made
};

/// The content of a page. Without a title there is no header, without a footer no space for it.
struct PlotPage {
    std::string title;     ///< large, at the top left; empty: neither title nor subtitle
    std::string subtitle;  ///< lines below it; may be empty
    std::string footer;    ///< small, at the bottom; empty: none
    std::vector<std::unique_ptr<Panel>> panels;  ///< row by row
    std::size_t columns = 0;                     ///< 0: chosen for a page like a screen
};

/// The picture's bytes. Throws std::runtime_error when it cannot be made.
std::string draw_page(const PlotPage& page, PictureFormat format, double pixels_per_point);

/// Title of a result's pictures: its scenario's name, else `otherwise`.
std::string scenario_title(const Provenance& provenance, const std::string& otherwise);
/// Sun, number of heliostats and rays.
std::string run_text(const RunResult& result);
/// Program, time and fingerprint.
std::string origin_text(const Provenance& provenance);

/// Format by the file's ending: .png, .svg or .pdf in any case. Throws InputError for others.
PictureFormat picture_format(const std::filesystem::path& picture);

/// Stores a picture, completely or not at all. Throws std::runtime_error naming the file.
void store_page(const PlotPage& page,
                const std::filesystem::path& picture,
                double pixels_per_point);

}  // namespace helioray

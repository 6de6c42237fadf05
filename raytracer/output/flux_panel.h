// SPDX-License-Identifier: MIT
// One target's map with title, axes and colour bar: measured first, then drawn.
#pragma once

#include "raytracer/output/axis_ticks.h"
#include "raytracer/output/canvas.h"
#include "raytracer/output/flux_image.h"

#include <optional>

namespace helioray {

/// A panel of a picture. Its map has the target's true proportions; everything else is arranged
/// around it so that nothing is cut off or overlaps.
class FluxPanel {
  public:
    /// `target` outlives the panel. `shrink` scales the map (1: as large as a single panel gets).
    /// `full_scale`: top of the colour bar in the map's unit; nothing: the map's own peak.
    FluxPanel(const TargetResult& target,
              double shrink,
              std::optional<double> full_scale,
              Canvas& measure);

    double width() const { return left_ + middle_ + right_; }        ///< points
    double height() const { return above_ + map_height_ + below_; }  ///< points
    double map_width() const { return map_width_; }    ///< points, true to map_height()
    double map_height() const { return map_height_; }  ///< points

    /// Space left of the map; the panels of a page get the largest, so that their maps line up.
    double left_margin() const { return left_; }
    void set_left_margin(double left) { left_ = left; }

    /// Draws with the top left corner at (x, y).
    void draw(Canvas& canvas, double x, double y) const;

  private:
    void size_map(double shrink);
    void choose_scale(std::optional<double> full_scale);
    void make_titles();
    void measure_margins(Canvas& measure);
    void draw_titles(Canvas& canvas, double x, double y) const;
    void draw_axes(Canvas& canvas, double x, double y) const;
    void draw_compass(Canvas& canvas, double x, double y) const;
    void draw_centroid(Canvas& canvas, double x, double y) const;
    void draw_vertical_bar(Canvas& canvas, double x, double y) const;
    void draw_horizontal_bar(Canvas& canvas, double x, double y) const;

    const TargetResult& target_;
    double extent_width_ = 0.0;   // metres
    double extent_height_ = 0.0;  // metres
    bool wide_ = false;           // colour bar below instead of beside the map

    std::string title_;
    std::string subtitle_;
    std::string x_label_;
    std::string y_label_;
    std::string bar_label_;
    AxisTicks x_ticks_;
    AxisTicks y_ticks_;
    AxisTicks bar_ticks_;
    double full_scale_ = 1.0;  // in the map's unit
    double bar_top_ = 1.0;     // in the bar's unit
    std::optional<SurfacePoint> centroid_;

    // Points. middle_ is the width of map or titles, whichever is larger.
    double map_width_ = 0.0;
    double map_height_ = 0.0;
    double left_ = 0.0;
    double middle_ = 0.0;
    double right_ = 0.0;
    double above_ = 0.0;
    double below_ = 0.0;
};

}  // namespace helioray

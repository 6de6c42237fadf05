// SPDX-License-Identifier: MIT
// Panel of a target's unrolled surface; draws everything except the content of the map.
#pragma once

#include "app/output/plot/drawing/axes.h"
#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/drawing/flux_image.h"
#include "app/output/plot/drawing/plot_page.h"
#include "scenario/types/types.h"

#include <optional>
#include <string>

namespace helioray {

/// A panel with a map in the target's true proportions. Titles, axes, compass, rim and colour bar
/// are arranged around it so that none is cut off or overlaps. The derived panel draws the map.
class SurfacePanel : public Panel {
  public:
    double width() const override { return left_ + middle_ + right_; }
    double height() const override;
    void draw(Canvas& canvas, double x, double y) const override;

    const std::string& title() const { return title_; }        ///< first line above the map
    const std::string& subtitle() const { return subtitle_; }  ///< second line above the map
    double map_width() const { return map_width_; }    ///< points, in proportion to map_height()
    double map_height() const { return map_height_; }  ///< points

  protected:
    /// `shrink` scales the map; 1: as large as a single panel.
    SurfacePanel(const Target& target, double shrink);

    /// Arranges everything around the map; called once, at the end of the derived constructor.
    void lay_out(const std::string& title,
                 const std::string& subtitle,
                 const ColorScale& scale,
                 const std::string& scale_label,
                 Canvas& measure);

    /// Draws the map into its box, which lies within the page.
    virtual void draw_map(Canvas& canvas, const PageBox& map) const = 0;

    /// Returns true if the map covers its ground, so that its colours are the same in all themes.
    virtual bool is_image() const { return true; }

    /// Returns the point of the page for a point of the surface.
    PagePoint place(const PageBox& map, const SurfacePoint& point) const;
    const ColorScale& bar_scale() const { return bar_->scale(); }  ///< valid after lay_out()
    double extent_width() const { return extent_width_; }          ///< metres
    double extent_height() const { return extent_height_; }        ///< metres

  private:
    void size_map(double shrink);
    void make_axes(Canvas& measure);
    void measure_margins(Canvas& measure);
    void draw_compass(Canvas& canvas, const PageBox& map) const;

    Target target_;
    double extent_width_ = 0.0;   // metres
    double extent_height_ = 0.0;  // metres
    bool wide_ = false;           // true if the colour bar is below instead of beside the map

    std::string title_;
    std::string subtitle_;
    Axis x_axis_;
    Axis y_axis_;
    std::optional<ColorBar> bar_;

    // Lengths in points. middle_ is the width of map or titles, whichever is larger.
    double map_width_ = 0.0;
    double map_height_ = 0.0;
    double middle_ = 0.0;
    double right_ = 0.0;
    double below_ = 0.0;
};

}  // namespace helioray

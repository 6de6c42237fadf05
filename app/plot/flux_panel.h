// SPDX-License-Identifier: MIT
// One target's map with title, axes and colour bar: measured first, then drawn.
#pragma once

#include "app/plot/axes.h"
#include "app/plot/colors.h"
#include "app/plot/flux_image.h"
#include "app/plot/plot_page.h"

#include <optional>
#include <string>

namespace helioray {

/// The appearance of a map.
struct FluxPanelStyle {
    enum class Scale {
        linear,       ///< from 0
        logarithmic,  ///< four decades
        difference,   ///< about 0; no centroid
    };

    double shrink = 1.0;               ///< of the map; 1: as large as a single panel gets
    std::optional<double> full_scale;  ///< top of the bar in the map's unit; nothing: its own peak
    Scale scale = Scale::linear;
    bool contours = false;                ///< lines of equal flux with their values
    bool mark_cuts = false;               ///< lines through the peak
    std::optional<std::string> subtitle;  ///< nothing: power, peak and centroid
};

/// The map's largest value by size, in its unit.
double scale_reach(const TargetResult& target, FluxPanelStyle::Scale scale);

/// A scale from 0 (or four decades, or about 0) to `reach` in shown units, see FluxUnit.
struct ShownScale {
    ColorScale scale;
    double factor = 1.0;  ///< shown number = value * factor
    std::string label;    ///< with the unit
};
ShownScale shown_scale(const TargetResult& target, double reach, FluxPanelStyle::Scale scale);

/// A panel of a picture. Its map has the target's true proportions; everything else is arranged
/// around it so that nothing is cut off or overlaps.
class FluxPanel : public Panel {
  public:
    /// `target` outlives the panel.
    FluxPanel(const TargetResult& target, FluxPanelStyle style, Canvas& measure);

    double width() const override { return left_ + middle_ + right_; }
    double height() const override { return above_ + map_height_ + below_; }
    void draw(Canvas& canvas, double x, double y) const override;

    double map_width() const { return map_width_; }    ///< points, true to map_height()
    double map_height() const { return map_height_; }  ///< points

  private:
    void size_map();
    void make_titles();
    void make_axes(Canvas& measure);
    void measure_margins(Canvas& measure);
    void draw_titles(Canvas& canvas, double x, double y) const;
    void draw_compass(Canvas& canvas, double x, double y) const;
    void draw_centroid(Canvas& canvas, double x, double y) const;
    void draw_cuts(Canvas& canvas, double x, double y) const;
    void draw_contours(Canvas& canvas, double x, double y) const;

    const TargetResult& target_;
    FluxPanelStyle style_;
    double extent_width_ = 0.0;   // metres
    double extent_height_ = 0.0;  // metres
    bool wide_ = false;           // colour bar below instead of beside the map

    std::string title_;
    std::string subtitle_;
    Axis x_axis_;
    Axis y_axis_;
    std::optional<ShownScale> shown_;
    std::optional<ColorBar> bar_;
    std::optional<SurfacePoint> centroid_;

    // Points. middle_ is the width of map or titles, whichever is larger.
    double map_width_ = 0.0;
    double map_height_ = 0.0;
    double middle_ = 0.0;
    double right_ = 0.0;
    double above_ = 0.0;
    double below_ = 0.0;
};

}  // namespace helioray

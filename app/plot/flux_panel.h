// SPDX-License-Identifier: MIT
// One target's map of flux with contours, cuts and marks.
#pragma once

#include "app/plot/surface_panel.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

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
    bool centroid = true;                 ///< a cross there; never on differences
    std::vector<bool> marked;             ///< [height, width]: outlined and hatched; empty: none
    std::optional<std::string> title;     ///< nothing: the target's name
    std::optional<std::string> subtitle;  ///< nothing: power, peak and centroid
    std::optional<std::string> label;     ///< of the bar, unit in brackets; nothing: flux
};

/// The map's largest value by size, in its unit.
double scale_reach(const TargetResult& target, FluxPanelStyle::Scale scale);

/// A scale from 0 (or four decades, or about 0) to `reach` in shown units, see FluxUnit. `label`
/// replaces that of the unit.
struct ShownScale {
    ColorScale scale;
    double factor = 1.0;  ///< shown number = value * factor
    std::string label;    ///< with the unit
};
ShownScale shown_scale(const TargetResult& target,
                       double reach,
                       FluxPanelStyle::Scale scale,
                       const std::optional<std::string>& label = {});

/// The map of one target.
class FluxPanel : public SurfacePanel {
  public:
    /// `target` outlives the panel.
    FluxPanel(const TargetResult& target, FluxPanelStyle style, Canvas& measure);

  private:
    std::string subtitle() const;
    void draw_map(Canvas& canvas, const PageBox& map) const override;
    void draw_centroid(Canvas& canvas, const PageBox& map) const;
    void draw_cuts(Canvas& canvas, const PageBox& map) const;
    void draw_contours(Canvas& canvas, const PageBox& map) const;
    void draw_marked(Canvas& canvas, const PageBox& map) const;

    const TargetResult& target_;
    FluxPanelStyle style_;
    std::optional<ShownScale> shown_;
    std::optional<SurfacePoint> centroid_;
};

/// A map that is made for its panel and lives with it.
struct OwnMap {
    TargetResult map;  ///< what the panel shows
};
/// The panel of such a map.
class OwnMapPanel : private OwnMap, public FluxPanel {
  public:
    OwnMapPanel(TargetResult flux, FluxPanelStyle style, Canvas& measure)
        : OwnMap{std::move(flux)}, FluxPanel(map, std::move(style), measure) {}
};

}  // namespace helioray

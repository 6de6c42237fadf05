// SPDX-License-Identifier: MIT
// One target's flux map with contours, cuts and marks.
#pragma once

#include "app/output/plot/panels/surface_panel.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// The appearance of a map.
struct FluxPanelStyle {
    enum class Scale {
        linear,       ///< linear from 0
        logarithmic,  ///< four decades
        difference,   ///< symmetric about 0; no centroid
    };

    double shrink = 1.0;  ///< scale of the map; 1: as large as a single panel
    /// Top of the colour bar in the map's unit; empty: the map's own peak.
    std::optional<double> full_scale;
    Scale scale = Scale::linear;
    bool contours = false;   ///< lines of equal flux with their values
    bool mark_cuts = false;  ///< lines through the peak
    bool centroid = true;    ///< cross at the centroid; never on differences
    /// [height, width]: true for cells that are outlined and hatched; empty: none.
    std::vector<bool> marked;
    std::optional<std::string> title;     ///< title; empty: the target's name
    std::optional<std::string> subtitle;  ///< subtitle; empty: power, peak and centroid
    std::optional<std::string> label;  ///< label of the colour bar, unit in brackets; empty: flux
};

/// Returns the map's largest absolute value, in its unit.
double scale_reach(const TargetResult& target, FluxPanelStyle::Scale scale);

/// A scale from 0 (or over four decades, or about 0) to `reach` in displayed units, see FluxUnit.
/// `label` replaces that of the unit.
struct DisplayScale {
    ColorScale scale;
    double factor = 1.0;  ///< displayed number = value * factor
    std::string label;    ///< label with the unit
};
DisplayScale display_scale(const TargetResult& target,
                           double reach,
                           FluxPanelStyle::Scale scale,
                           const std::optional<std::string>& label = {});

/// The map of one target.
class FluxPanel : public SurfacePanel {
  public:
    /// `target` outlives the panel.
    FluxPanel(const TargetResult& target, FluxPanelStyle style, Canvas& measure);

  private:
    std::string describe_light() const;
    void draw_map(Canvas& canvas, const PageBox& map) const override;
    void draw_centroid(Canvas& canvas, const PageBox& map) const;
    void draw_cuts(Canvas& canvas, const PageBox& map) const;
    void draw_contours(Canvas& canvas, const PageBox& map) const;
    void draw_marked(Canvas& canvas, const PageBox& map) const;

    const TargetResult& target_;
    FluxPanelStyle style_;
    std::optional<DisplayScale> display_scale_;
    std::optional<SurfacePoint> centroid_;
};

/// A map that its panel owns.
struct OwnMap {
    TargetResult map;  ///< map that the panel displays
};
/// A panel that owns its map.
class OwnMapPanel : private OwnMap, public FluxPanel {
  public:
    OwnMapPanel(TargetResult flux, FluxPanelStyle style, Canvas& measure)
        : OwnMap{std::move(flux)}, FluxPanel(map, std::move(style), measure) {}
};

}  // namespace helioray

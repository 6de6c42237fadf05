// SPDX-License-Identifier: MIT
// Data of a flux map for pictures: unit, colours, peak, centroid, compass directions.
#pragma once

#include "app/output/plot/drawing/canvas.h"
#include "app/output/plot/drawing/colors.h"
#include "raytracer/tracing/job/result.h"

#include <optional>

namespace helioray {

/// Unit in which values of a target are displayed: value = displayed number * factor.
struct FluxUnit {
    double factor = 1.0;
    std::string name;   ///< "kW/m²", "W per pixel"
    std::string label;  ///< label of the colour bar: "Flux (kW/m²)"
};
FluxUnit flux_unit(const TargetResult& target);

/// Returns the largest finite value of the map, at least 0.
double largest_flux(const TargetResult& target);

/// Row and column of the largest value (the first of equal ones); the middle if none is above 0.
struct PixelIndex {
    int64_t row = 0;
    int64_t column = 0;
};
PixelIndex peak_pixel(const TargetResult& target);

/// Returns the sum of the map's finite values.
double total_flux(const TargetResult& target);

/// A coarser map: means over blocks of pixels, at most `most` of them along either edge. Blocks at
/// the right and lower edge may be cut.
struct BlockMap {
    int width = 0;
    int height = 0;
    int64_t step = 1;  ///< pixels along the edge of a block
    std::vector<double> values;
};
BlockMap block_means(const TargetResult& target, int64_t most);

/// Returns the colours of value * factor on a scale. Maps with more than 2048 pixels along an edge
/// are averaged over blocks first.
ColorImage flux_image(const TargetResult& target, const ColorScale& scale, double factor = 1.0);

/// A position on the (unrolled) surface in metres from its centre, right and up for the observer.
struct SurfacePoint {
    double x = 0.0;
    double y = 0.0;
};

/// Returns the centre of a pixel.
SurfacePoint pixel_position(const TargetResult& target, const PixelIndex& pixel);

/// Returns the flux-weighted mean of the pixel centres, or nothing without flux.
std::optional<SurfacePoint> flux_centroid(const TargetResult& target);

/// A compass direction that is written above the map.
struct CompassMark {
    double x = 0.0;  ///< distance from the centre in metres
    std::string label;
};

/// Returns the compass marks. For a plane these are the directions of its left and right edges ("←
/// E", "W →"); for a cylinder about the vertical those that it faces ("N", "NE", ...). Other
/// cylinders have none.
std::vector<CompassMark> compass_marks(const Target& target);

}  // namespace helioray

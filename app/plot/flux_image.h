// SPDX-License-Identifier: MIT
// What pictures show of a flux map: unit, colours, peak, centroid, directions of the compass.
#pragma once

#include "app/plot/canvas.h"
#include "app/plot/colors.h"
#include "raytracer/job/result.h"

#include <optional>

namespace helioray {

/// The unit in which values of a target are shown: value = shown * factor.
struct FluxUnit {
    double factor = 1.0;
    std::string name;   ///< "kW/m²", "W per pixel"
    std::string label;  ///< of the colour bar: "Flux (kW/m²)"
};
FluxUnit flux_unit(const TargetResult& target);

/// Largest finite value of the map, at least 0.
double largest_flux(const TargetResult& target);

/// Row and column of the largest value (the first of equal ones); the middle if none is above 0.
struct PixelIndex {
    int64_t row = 0;
    int64_t column = 0;
};
PixelIndex peak_pixel(const TargetResult& target);

/// Sum of the map's finite values.
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

/// Colours of value * factor on a scale. Maps with more than 2048 pixels along an edge are averaged
/// over blocks first.
ColorImage flux_image(const TargetResult& target, const ColorScale& scale, double factor = 1.0);

/// A position on the (unrolled) surface in metres from its centre: right and up for the observer.
struct SurfacePoint {
    double x = 0.0;
    double y = 0.0;
};

/// Centre of a pixel.
SurfacePoint pixel_position(const TargetResult& target, const PixelIndex& pixel);

/// Flux-weighted mean of the pixel centres; nothing without flux.
std::optional<SurfacePoint> flux_centroid(const TargetResult& target);

/// A direction of the compass that is written above the map.
struct CompassMark {
    double x = 0.0;  ///< metres from the centre
    std::string label;
};

/// For a plane: towards which side its left and right edges lie ("← E", "W →"). For a cylinder
/// about the vertical: the sides it faces ("N", "NE", ...). Nothing for other cylinders.
std::vector<CompassMark> compass_marks(const Target& target);

}  // namespace helioray

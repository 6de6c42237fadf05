// SPDX-License-Identifier: MIT
// From flux maps to what a picture shows: colours, the centroid, directions of the compass.
#pragma once

#include "raytracer/output/canvas.h"
#include "raytracer/result.h"

#include <optional>

namespace helioray {

/// How the values of a target are shown: value = shown * factor, in `label`.
struct FluxUnit {
    double factor = 1.0;
    std::string name;   ///< "kW/m²", "W per pixel"
    std::string label;  ///< of the colour bar: "Flux (kW/m²)"
};
FluxUnit flux_unit(const TargetResult& target);

/// Largest finite value of the map, at least 0.
double largest_flux(const TargetResult& target);

/// Sum of the map's finite values.
double total_flux(const TargetResult& target);

/// Colours of the map on a scale from 0 to `full_scale` (> 0). Maps with more than 2048 pixels
/// along an edge are averaged over blocks first.
ColorImage flux_image(const TargetResult& target, double full_scale);

/// A position on the (unrolled) surface in metres from its centre: right and up for the observer.
struct SurfacePoint {
    double x = 0.0;
    double y = 0.0;
};

/// Flux-weighted mean of the pixel centres; nothing without flux.
std::optional<SurfacePoint> flux_centroid(const TargetResult& target);

/// A direction of the compass to write above the map.
struct CompassMark {
    double x = 0.0;  ///< metres from the centre
    std::string label;
};

/// For a plane: towards which side its left and right edges lie ("← E", "W →"). For a cylinder
/// about the vertical: the sides it faces ("N", "NE", ...). Nothing for other cylinders.
std::vector<CompassMark> compass_marks(const Target& target);

}  // namespace helioray

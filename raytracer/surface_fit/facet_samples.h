// SPDX-License-Identifier: MIT
// Measured samples of a facet in its own frame.
#pragma once

#include "raytracer/surface_fit/fit_surface.h"
#include "raytracer/surface_fit/height_spline.h"

#include <array>

namespace helioray {

/// Rigid frame of a facet: e along canting_e, u perpendicular to both canting vectors.
struct FacetFrame {
    explicit FacetFrame(const Facet& facet);

    std::array<Vec3, 3> axes;
    Vec3 origin{};

    Vec3 point_to_facet(const Vec3& p) const;
    Vec3 direction_to_facet(const Vec3& v) const;
    Vec3 point_to_mirror(const Vec3& p) const;
};

/// What of a facet's samples enters the fit.
struct FacetSamples {
    HeightSamples samples;
    std::array<double, 2> low{}, high{};  ///< the rectangle, metres in the facet's frame
    size_t num_outside = 0;               ///< samples beyond it
    double coverage = 0.0;                ///< share of it that was measured
};

/// Chooses the rectangle, turns the samples into its frame and thins them. Throws InputError when
/// samples lie elsewhere (more than 5 % of them outside of the rectangle), when normals stand
/// nearly upright on the facet's own, or when less than half of it was measured.
FacetSamples samples_in_facet_frame(const MeasuredFacet& measured,
                                    const Facet& facet,
                                    const SurfaceFitOptions& options);

}  // namespace helioray

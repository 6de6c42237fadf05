// SPDX-License-Identifier: MIT
// Simplified mirrors for shading and blocking: facets as bent parallelograms, and bounds on their
// normals.
#pragma once

#include "raytracer/tracing/physical/spline_bases.h"
#include "scenario/types/types.h"

#include <array>
#include <span>
#include <vector>

namespace helioray::physical {

/// Approximation of a facet: points center + x X + y Y + (b0 x^2 + b1 x y + b2 y^2) normal with
/// |x|, |y| <= 1; metres, mirror frame.
struct FacetPatch {
    Vec3 center{};
    Vec3 half_x{};  ///< vector X
    Vec3 half_y{};  ///< vector Y
    std::array<double, 3> bending{};
    double radius = 0.0;  ///< radius of a sphere about the centre that contains the facet
    std::vector<float> outline = {};  ///< see occluder_outline()
};

/// Simplified mirror of a heliostat in its own frame.
struct MirrorShape {
    std::vector<FacetPatch> facets;
    Vec3 center{};        ///< centre of a sphere that contains all facets, metres
    double radius = 0.0;  ///< radius of this sphere, metres
    /// Lower corner of a box along the mirror's axes that contains all facets, metres.
    Vec3 box_low{};
    Vec3 box_high{};     ///< upper corner of this box, metres
    Vec3 mean_normal{};  ///< mean unit normal
    /// Upper bound of the angle between a normal and the mean normal, radians.
    double normal_spread = 0.0;
    /// Largest difference of the facets' centres along the third axis of the mirror, metres.
    double depth = 0.0;
};

/// Fits patches to the surface's facets by least squares (analytic paraboloids exactly, others to
/// the third order of their deformation).
MirrorShape mirror_shape(const Surface& surface);

/// Fits patches to several surfaces in their order, which is faster than one call per surface.
/// `bases` must contain the basis functions of the surfaces. The result does not depend on how the
/// surfaces are divided over calls, to the last bit.
std::vector<MirrorShape> mirror_shapes(std::span<const Surface* const> surfaces,
                                       const SplineBases& bases);

}  // namespace helioray::physical

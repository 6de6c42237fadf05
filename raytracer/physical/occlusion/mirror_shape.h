// SPDX-License-Identifier: MIT
// A mirror as its neighbours' light meets it: facets as bent parallelograms, and how far their
// normals spread.
#pragma once

#include "raytracer/physical/spline_bases.h"
#include "scenario/types.h"

#include <array>
#include <span>
#include <vector>

namespace helioray::physical {

/// Facet: points center + x X + y Y + (b0 x^2 + b1 x y + b2 y^2) normal with |x|, |y| <= 1; metres,
/// mirror frame.
struct FacetPatch {
    Vec3 center{};
    Vec3 half_x{};  ///< X
    Vec3 half_y{};  ///< Y
    std::array<double, 3> bending{};
    double radius = 0.0;  ///< of a sphere about the centre that holds the facet
};

/// Mirror of a heliostat in its own frame.
struct MirrorShape {
    std::vector<FacetPatch> facets;
    Vec3 center{};               ///< of a sphere that holds all facets, metres
    double radius = 0.0;         ///< of that sphere
    Vec3 box_low{};              ///< of a box along the mirror's axes that holds all facets
    Vec3 box_high{};             ///< metres
    Vec3 mean_normal{};          ///< unit
    double normal_spread = 0.0;  ///< radians, bound on the angle between a normal and the mean one
};

/// Fits patches to the surface's facets by least squares (analytic paraboloids exactly, others to
/// the third order of their deformation).
MirrorShape mirror_shape(const Surface& surface);

/// The same of several surfaces, in their order, which takes less time than each alone; `bases` are
/// those of the surfaces. Equal bits however surfaces are divided over calls.
std::vector<MirrorShape> mirror_shapes(std::span<const Surface* const> surfaces,
                                       const SplineBases& bases);

}  // namespace helioray::physical

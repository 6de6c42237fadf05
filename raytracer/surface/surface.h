// SPDX-License-Identifier: MIT
// Facets of every shape as points and normals in the mirror frame.
#pragma once

#include "raytracer/surface/bspline.h"
#include "scenario/types.h"

namespace helioray {

/// Where a facet's control points live (ARTIST's convention, see Surface::is_fitted).
enum class ControlPointFrame {
    facet,   ///< canting and translation are applied on evaluation (ideal surfaces)
    mirror,  ///< they contain both already (fitted surfaces)
};

/// Frame of the control points of a surface.
ControlPointFrame control_point_frame(const Surface& surface);

/// Control points of a facet as a [nu, nv, 3] float64 tensor. Throws c10::Error when there are none
/// or too few numbers.
at::Tensor control_points_tensor(const Facet& facet);

/// A facet in the mirror frame at uv ([P, 2], float64, in [0, 1]; u along the facet's e edge).
///
/// Flat, paraboloid and sphere facets have x = (2u - 1)|canting_e|, y = (2v - 1)|canting_n| and the
/// height 0, (x^2 + y^2) / (4 f) or 2f - sqrt(4 f^2 - x^2 - y^2) in their own frame, and are always
/// canted and translated.
///
/// control_points ([nu, nv, 3], B-spline only) replace the facet's own; differentiable in them and
/// in uv. Throws InputError for a focal length that is not positive and for a facet that reaches
/// beyond its sphere.
SurfacePoints evaluate_facet(const Facet& facet,
                             ControlPointFrame frame,
                             const at::Tensor& uv,
                             const at::Tensor& control_points);
/// The same with the facet's own control points.
SurfacePoints evaluate_facet(const Facet& facet, ControlPointFrame frame, const at::Tensor& uv);

/// Points and unit normals of all facets of a heliostat, in the mirror frame.
struct SurfaceSamples {
    at::Tensor points;   ///< [F, ne * nn, 3] metres; east index outermost
    at::Tensor normals;  ///< [F, ne * nn, 3] unit vectors
};

/// Samples every facet on a regular grid in its parameters (evaluation_grid); facets may differ in
/// shape, degrees and number of control points.
SurfaceSamples sample_surface(const Surface& surface, int64_t ne, int64_t nn, double margin = 0.0);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Evaluates points, tangents and normals of facets of every shape in the mirror frame.
#pragma once

#include "kernels/core/trace_types.h"
#include "scenario/types/types.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray {

/// Frame in which a facet's control points are given (ARTIST's convention, see Surface::is_fitted).
enum class ControlPointFrame {
    facet,   ///< facet frame: evaluation applies canting and translation (ideal surfaces)
    mirror,  ///< mirror frame: the points already contain canting and translation (fitted surfaces)
};

/// Returns the frame of the control points of a surface.
ControlPointFrame control_point_frame(const Surface& surface);

/// Converts a shape to the kernels' enumeration.
kernels::FacetKind facet_kind(FacetShape shape);

/// Parameters u, v of a point of a facet in [0, 1]: u along its e edge, v along its n edge.
using FacetParameters = std::array<double, 2>;

/// A point of a facet.
struct FacetPoint {
    Vec3 point{};      ///< metres
    Vec3 tangent_u{};  ///< derivative with respect to u, metres
    Vec3 tangent_v{};  ///< derivative with respect to v, metres
    Vec3 normal{};     ///< unit normal, along tangent_u x tangent_v
};

/// Throws InputError for B-splines of a degree above 7, which can be neither evaluated nor traced.
void check_degrees(const Facet& facet);

/// Evaluates a facet in the mirror frame at each of the parameters.
///
/// Flat, paraboloid and sphere facets have x = (2u - 1)|canting_e|, y = (2v - 1)|canting_n| and the
/// height 0, (x^2 + y^2) / (4 f) or 2f - sqrt(4 f^2 - x^2 - y^2) in their own frame, and are always
/// canted and translated.
///
/// Throws InputError like check_degrees(), for a focal length that is not positive and for a facet
/// that is larger than its sphere. Throws std::invalid_argument for a B-spline with fewer control
/// points than stated or required by its degree, and for parameters outside [0, 1].
std::vector<FacetPoint> evaluate_facet(const Facet& facet,
                                       ControlPointFrame frame,
                                       std::span<const FacetParameters> parameters);

/// Returns true if a point of the facet's rectangle is part of its outline.
bool is_in_outline(const Facet& facet, const FacetParameters& uv);

/// Returns the parameters of a regular grid from `margin` to 1 - `margin`: ne * nn points, east
/// index outermost. A single row or column lies at `margin`.
std::vector<FacetParameters> evaluation_grid(int64_t ne, int64_t nn, double margin = 0.0);

}  // namespace helioray

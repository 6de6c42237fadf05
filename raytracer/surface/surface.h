// SPDX-License-Identifier: MIT
// Facets of every shape as points, tangents and normals in the mirror frame.
#pragma once

#include "kernels/core/trace_types.h"
#include "scenario/types.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray {

/// Where a facet's control points live (ARTIST's convention, see Surface::is_fitted).
enum class ControlPointFrame {
    facet,   ///< canting and translation are applied on evaluation (ideal surfaces)
    mirror,  ///< they contain both already (fitted surfaces)
};

/// Frame of the control points of a surface.
ControlPointFrame control_point_frame(const Surface& surface);

/// The kernels' name of a shape.
kernels::FacetKind facet_kind(FacetShape shape);

/// Parameters u, v of a point of a facet in [0, 1]: u along its e edge, v along its n edge.
using FacetParameters = std::array<double, 2>;

/// A point of a facet.
struct FacetPoint {
    Vec3 point{};      ///< metres
    Vec3 tangent_u{};  ///< derivative by u, metres
    Vec3 tangent_v{};  ///< derivative by v, metres
    Vec3 normal{};     ///< unit, along tangent_u x tangent_v
};

/// Throws InputError for B-splines of a degree above 7, which can be neither evaluated nor traced.
void check_degrees(const Facet& facet);

/// A facet in the mirror frame at each of the parameters.
///
/// Flat, paraboloid and sphere facets have x = (2u - 1)|canting_e|, y = (2v - 1)|canting_n| and the
/// height 0, (x^2 + y^2) / (4 f) or 2f - sqrt(4 f^2 - x^2 - y^2) in their own frame, and are always
/// canted and translated.
///
/// Throws InputError as check_degrees, for a focal length that is not positive and for a facet that
/// reaches beyond its sphere; std::invalid_argument for a B-spline with fewer control points than
/// it states or than its degree needs, and for parameters outside of it.
std::vector<FacetPoint> evaluate_facet(const Facet& facet,
                                       ControlPointFrame frame,
                                       std::span<const FacetParameters> parameters);

/// Parameters of a regular grid from `margin` to 1 - `margin`: ne * nn of them, east index
/// outermost. A single row or column lies at `margin`.
std::vector<FacetParameters> evaluation_grid(int64_t ne, int64_t nn, double margin = 0.0);

}  // namespace helioray

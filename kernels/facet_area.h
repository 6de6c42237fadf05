// SPDX-License-Identifier: MIT
// Areas and sampling tables of facets, computed once on the host in double precision.
#pragma once

#include "kernels/core/trace_types.h"

namespace helioray::kernels {

/// Returns the true area (m2) of a B-spline facet by Gauss-Legendre quadrature per knot span, and
/// computes its two marginal inverse-area tables: u, then v as piecewise linear functions of a
/// uniform number, kSamplingTableSize + 1 values each. control_points: [nu, nv, 3] metres; degrees
/// 1 to 7, below nu and nv.
double bspline_area_and_tables(
    const double* control_points, int num_u, int num_v, int degree_u, int degree_v, float* tables);

/// Returns the true area (m2) of an analytic facet over the rectangle of the half extents (metres).
double analytic_area(FacetKind kind, const double (&half_extent)[2], double focal_length);

}  // namespace helioray::kernels

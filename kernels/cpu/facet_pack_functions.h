// SPDX-License-Identifier: MIT
// What each instruction set computes of several facets at once, one per lane: the only symbols of
// their translation units.
#pragma once

#include "kernels/facet_grid.h"
#include "kernels/surface/bspline.h"

#include <cstdint>

namespace helioray::kernels {

/// One direction of B-spline facets: where they are evaluated.
struct SplineAxis {
    int num_control_points;
    int degree;
    int num_nodes;
    const double* weights;                ///< [num_nodes] of the quadrature
    const BasisValues<double>* at_nodes;  ///< [num_nodes]
    const BasisValues<double>* on_grid;   ///< [kGridSize]
};

/// Facets of a pack, all of the same kind; lanes without a facet of their own repeat another.
/// Memory of the pack is aligned to its vectors, a value of all lanes after the other.
struct FacetPackFunctions {
    int64_t num_lanes;

    /// Areas into area [lanes]; their increments at the nodes added up into cumulative_u and
    /// cumulative_v [num_nodes, lanes]. workspace: 3 nu nv + 6 nv values of all lanes.
    void (*integrate)(const SplineAxis& u,
                      const SplineAxis& v,
                      const double* const* control_points,
                      double* workspace,
                      double* area,
                      double* cumulative_u,
                      double* cumulative_v);

    /// Facets on their grids. workspace: 3 nu nv + 6 nu values of all lanes.
    void (*sample)(const SplineAxis& u,
                   const SplineAxis& v,
                   const double* const* control_points,
                   double* workspace,
                   FacetGrid* const* grids);

    /// Patches through the grids. workspace: 3 kGridSamples values of all lanes.
    void (*fit)(const FacetGrid* const* grids, double* workspace, BentPatch* const* patches);
};

/// The most lanes that a pack has.
inline constexpr int kMaxPackLanes = 8;

FacetPackFunctions facet_pack_portable();
FacetPackFunctions facet_pack_avx2();
FacetPackFunctions facet_pack_avx512();

}  // namespace helioray::kernels

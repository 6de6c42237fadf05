// SPDX-License-Identifier: MIT
// Areas, sampling tables and grids of many B-spline facets with the same numbers of control points.
#pragma once

#include "kernels/surface/bspline.h"
#include "kernels/surface/facet_grid.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace helioray::kernels {

struct SplineAxis;

/// Common data of B-spline facets with equal numbers of control points and degrees: the parameters
/// at which they are evaluated and the basis functions there. Computed once for all of them and
/// immutable, so threads may share it.
///
/// Results are bitwise equal for every instruction set and for any division of facets over calls;
/// calls with a multiple of eight facets are fastest. Control points are pointers to [num_u, num_v,
/// 3] doubles (metres), one per facet.
class SplineFacets {
  public:
    /// Creates the data for degrees from 1 to kMaxDegree, each below its number of control points.
    SplineFacets(int num_u, int num_v, int degree_u, int degree_v);

    /// Writes each facet's true area (m2), by Gauss-Legendre quadrature per knot span, to
    /// areas[facet], and its two marginal inverse-area tables to tables[facet]: u, then v as
    /// piecewise linear functions of a uniform number, kSamplingTableSize + 1 floats each. A facet
    /// whose area is 0 or NaN gets no tables. Throws std::invalid_argument like
    /// resolve_instruction_set().
    void areas_and_tables(std::span<const double* const> control_points,
                          double* areas,
                          float* const* tables,
                          InstructionSet set = InstructionSet::automatic) const;

    /// Evaluates each facet on its grid and writes to *grids[facet]. Throws like
    /// areas_and_tables().
    void sample(std::span<const double* const> control_points,
                FacetGrid* const* grids,
                InstructionSet set = InstructionSet::automatic) const;

  private:
    /// One direction.
    struct Axis {
        Axis(int num_control_points, int degree);

        SplineAxis view() const;

        int num_control_points;
        int degree;
        std::vector<double> weights;                ///< weights of the quadrature's nodes
        std::vector<double> borders;                ///< borders between the nodes' parts of [0, 1]
        std::vector<BasisValues<double>> at_nodes;  ///< basis functions at these nodes
        std::array<BasisValues<double>, kGridSize> on_grid;
    };

    size_t num_control_values() const;

    Axis u_;
    Axis v_;
};

}  // namespace helioray::kernels

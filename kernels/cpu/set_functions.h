// SPDX-License-Identifier: MIT
// What each instruction set has its own code for: the only symbols of the sources that are compiled
// once per set.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/core/instruction_set.h"
#include "kernels/core/macros.h"
#include "kernels/core/trace_types.h"
#include "kernels/surface/bspline.h"
#include "kernels/surface/facet_grid.h"

#include <cstdint>

namespace helioray::kernels {

struct Tile {
    int64_t* pixels;  ///< [height * width], zero outside [first, last]
    int32_t first;    ///< first touched pixel
    int32_t last;     ///< last touched pixel; below first: none

    HELIORAY_HD void touch(int32_t lowest, int32_t highest) {
        first = lowest < first ? lowest : first;
        last = highest > last ? highest : last;
    }
};

/// Quanta of one block.
struct BlockSums {
    int64_t energy[kNumEnergySums];
};

/// Quanta of both blocks of a pair.
struct PairSums {
    BlockSums half[2];
};

/// Traces both blocks of every heliostat of the unit into the two halves; sums [num_heliostats].
using TraceBlocks = void(const FieldView& field,
                         const WorkUnit& unit,
                         Tile* halves,
                         PairSums* sums);

/// Adds two half bitmaps of a unit to the flux and the squares of their differences, and clears
/// them.
using AddTiles = void(int64_t* a,
                      int64_t* b,
                      int64_t num_pixels,
                      double square_scale,
                      int64_t* flux,
                      int64_t* square);

/// Where a block adds its derivatives.
struct BlockGradient {
    double* heliostat;    ///< [kNumHeliostatGradients]
    double* floats;       ///< of FieldView::floats, from first_float on
    int64_t first_float;  ///< first control point of the heliostat's facets
    int64_t num_floats;   ///< from there to the end of its last facet's

    HELIORAY_HD void add(int index, float derivative) const {
        heliostat[index] += static_cast<double>(derivative);
    }
    HELIORAY_HD void add_float(int64_t index, float derivative) const {
        HELIORAY_ASSERT(index >= first_float && index - first_float < num_floats,
                        "a derivative belongs to the heliostat's control points");
        floats[index - first_float] += static_cast<double>(derivative);
    }
};

/// Adds the derivatives of all rays of one block of heliostat h. gradient: map of its target.
using TraceBlockBackward = void(const FieldView& field,
                                const HeliostatRecord& h,
                                int64_t block,
                                int64_t rays_per_block,
                                const float* gradient,
                                const BlockGradient& sums);

/// The same with light that crosses the edges of bodies and the rims of targets. edge_reach: see
/// CpuOptions.
using TraceBlockBackwardWithEdges = void(const FieldView& field,
                                         const HeliostatRecord& h,
                                         int64_t block,
                                         int64_t rays_per_block,
                                         const float* gradient,
                                         float edge_reach,
                                         const BlockGradient& sums);

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

// trace_block.cpp, trace_block_backward.cpp and facet_pack.cpp define these in the namespace of
// every set. The types above are those of functions, so each line declares one.
namespace portable {
TraceBlocks trace_blocks;
AddTiles add_tiles;
TraceBlockBackward trace_block_backward;
TraceBlockBackwardWithEdges trace_block_backward_with_edges;
FacetPackFunctions facet_pack();
}  // namespace portable
namespace avx2 {
TraceBlocks trace_blocks;
AddTiles add_tiles;
TraceBlockBackward trace_block_backward;
TraceBlockBackwardWithEdges trace_block_backward_with_edges;
FacetPackFunctions facet_pack();
}  // namespace avx2
namespace avx512 {
TraceBlocks trace_blocks;
AddTiles add_tiles;
TraceBlockBackward trace_block_backward;
TraceBlockBackwardWithEdges trace_block_backward_with_edges;
FacetPackFunctions facet_pack();
}  // namespace avx512

/// The functions of one set.
struct SetFunctions {
    TraceBlocks* trace_blocks;
    AddTiles* add_tiles;
    TraceBlockBackward* trace_block_backward;
    TraceBlockBackwardWithEdges* trace_block_backward_with_edges;
    FacetPackFunctions facet_pack;
};

/// Those of the set that resolve_instruction_set() chooses; throws as that does.
SetFunctions functions_of(InstructionSet wanted);

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// Functions that are compiled separately for each instruction set: the only symbols of these
// sources.
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
    int32_t last;     ///< last touched pixel; below `first` if none was touched
    /// Flags of the maps of surfaces of receivers that may have been touched: [num_surfaces], and
    /// as many for the incident light if surfaces reflect. A tile of receivers has these maps one
    /// after the other. Null for the tile of a single target.
    uint8_t* surfaces;
    bool is_large;  ///< the tile is larger than the caches of a core

    HELIORAY_HD void touch(int32_t lowest, int32_t highest) {
        first = lowest < first ? lowest : first;
        last = highest > last ? highest : last;
    }
};

/// Quanta of one block.
struct BlockSums {
    int64_t energy[kNumEnergySums];
    int64_t shielded;                      ///< see SumsView::shielded
    int64_t reflected[kNumReflectedSums];  ///< see SumsView::reflected
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

/// Adds two half bitmaps of a unit to the flux, their differences to the differences unless these
/// are null, and the squares of their differences to the squares; clears the half bitmaps.
/// Returns the sum of the differences.
using AddTiles = int64_t(int64_t* a,
                         int64_t* b,
                         int64_t num_pixels,
                         double square_scale,
                         int64_t* flux,
                         int64_t* square,
                         int64_t* difference);

/// Destination of the derivatives of a block.
struct BlockGradient {
    double* heliostat;    ///< [kNumHeliostatGradients]
    double* floats;       ///< part of FieldView::floats from first_float on
    int64_t first_float;  ///< first control point of the heliostat's facets
    int64_t num_floats;   ///< number of floats up to the last control point of the last facet

    HELIORAY_HD void add(int index, float derivative) const {
        heliostat[index] += static_cast<double>(derivative);
    }
    HELIORAY_HD void add_float(int64_t index, float derivative) const {
        HELIORAY_ASSERT(index >= first_float && index - first_float < num_floats,
                        "a derivative belongs to the heliostat's control points");
        floats[index - first_float] += static_cast<double>(derivative);
    }
};

/// Adds the derivatives of all rays of one block of heliostat h. gradient: map of its target; for a
/// surface of a receiver those of all surfaces, see SurfaceLight. edge_reach: see CpuOptions; it
/// has no effect on surfaces of receivers.
using TraceBlockBackward = void(const FieldView& field,
                                const HeliostatRecord& h,
                                int64_t block,
                                int64_t rays_per_block,
                                const float* gradient,
                                float edge_reach,
                                const BlockGradient& sums);

/// One direction of B-spline facets, with the parameters at which they are evaluated.
struct SplineAxis {
    int num_control_points;
    int degree;
    int num_nodes;
    const double* weights;                ///< weights of the quadrature, [num_nodes]
    const BasisValues<double>* at_nodes;  ///< [num_nodes]
    const BasisValues<double>* on_grid;   ///< [kGridSize]
};

/// Functions for a pack of facets of one kind; lanes without a separate facet repeat another one.
/// Memory of the pack is aligned to its vectors and stores each value for all lanes consecutively.
struct FacetPackFunctions {
    int64_t num_lanes;

    /// Writes areas to area [lanes], and their cumulative sums at the nodes to cumulative_u and
    /// cumulative_v [num_nodes, lanes]. workspace: 3 nu nv + 6 nv values of all lanes.
    void (*integrate)(const SplineAxis& u,
                      const SplineAxis& v,
                      const double* const* control_points,
                      double* workspace,
                      double* area,
                      double* cumulative_u,
                      double* cumulative_v);

    /// Evaluates the facets on their grids. workspace: 3 nu nv + 6 nu values of all lanes.
    void (*sample)(const SplineAxis& u,
                   const SplineAxis& v,
                   const double* const* control_points,
                   double* workspace,
                   FacetGrid* const* grids);

    /// Fits patches to the grids. workspace: 3 kGridSamples values of all lanes.
    void (*fit)(const FacetGrid* const* grids, double* workspace, BentPatch* const* patches);
};

/// Largest number of lanes of a pack.
inline constexpr int kMaxPackLanes = 8;

// trace_block.cpp, trace_block_backward.cpp and facet_pack.cpp define these functions in the
// namespace of every set. The types above are function types, so each line declares a function.
namespace portable {
TraceBlocks trace_blocks;
AddTiles add_tiles;
TraceBlockBackward trace_block_backward;
FacetPackFunctions facet_pack();
}  // namespace portable
namespace avx2 {
TraceBlocks trace_blocks;
AddTiles add_tiles;
TraceBlockBackward trace_block_backward;
FacetPackFunctions facet_pack();
}  // namespace avx2
namespace avx512 {
TraceBlocks trace_blocks;
AddTiles add_tiles;
TraceBlockBackward trace_block_backward;
FacetPackFunctions facet_pack();
}  // namespace avx512

/// The functions of one set.
struct SetFunctions {
    TraceBlocks* trace_blocks;
    AddTiles* add_tiles;
    TraceBlockBackward* trace_block_backward;
    FacetPackFunctions facet_pack;
};

/// Returns the functions of the set that resolve_instruction_set() chooses; throws like it.
SetFunctions select_functions(InstructionSet wanted);

}  // namespace helioray::kernels

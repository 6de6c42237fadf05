// SPDX-License-Identifier: MIT
// The fused tracing kernel: from random numbers to flux bitmaps, one call per list of work units;
// and gradients of a loss of the flux maps with respect to the field, by replaying the same rays.
#pragma once

#include "kernels/core/instruction_set.h"
#include "kernels/core/trace_types.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>

namespace helioray::kernels {

/// Options of CPU traces, with progress and cancellation.
struct CpuOptions {
    int num_threads = 1;  ///< number of threads including the calling one; below 1 counts as 1
    InstructionSet instruction_set = InstructionSet::automatic;  ///< see resolve_instruction_set()
    std::atomic<int64_t>* rays_done = nullptr;  ///< progress, increased after every finished unit
    const std::atomic<bool>* cancel =
        nullptr;  ///< if it becomes true, the call returns early, between two units
    /// Reach of edges for trace_flux_backward_cpu(): 0, or metres above 0. Light that crosses the
    /// edges of bodies and the rims of targets is then part of the derivative; the rays that pass
    /// an edge within this distance carry it. Its error grows with the square of the reach,
    /// relative to the distance over which the flux changes; its noise decreases with 1 /
    /// sqrt(reach).
    float edge_reach = 0.0f;
};

/// Traces units [0, num_units) and adds to sums. Returns the number of traced units, which are the
/// first ones; fewer than all if cancelled. The sums do not depend on threads, instruction set and
/// order of units, to the last bit. Throws std::invalid_argument like resolve_instruction_set().
int64_t trace_flux_cpu(const FieldView& field,
                       const WorkUnit* units,
                       int64_t num_units,
                       const SumsView& sums,
                       const CpuOptions& options);

/// Contribution of one heliostat to the sums of its field.
struct HeliostatSums {
    int32_t heliostat;               ///< index into FieldView::heliostats
    int64_t energy[kNumEnergySums];  ///< quanta
    int64_t power_square;            ///< square_scale * quanta^2
    /// [bitmap_height, bitmap_width] quanta of its target. If that is a surface of a receiver, the
    /// maps of all surfaces in their order in FieldView: [num_surfaces, bitmap_height,
    /// bitmap_width], and if surfaces reflect, as many maps of incident light.
    const int64_t* flux;
    const int64_t* flux_square;  ///< same shape, square_scale * quanta^2
    int64_t first_pixel;         ///< first pixel that may be non-zero
    int64_t last_pixel;  ///< last pixel that may be non-zero; below first_pixel if there is none
    /// SumsView::surface_square in the order of these maps; valid for surfaces of receivers.
    const int64_t* surface_square;
    int64_t shielded;                      ///< see SumsView::shielded
    int64_t reflected[kNumReflectedSums];  ///< see SumsView::reflected
};

/// Traces some heliostats of a field separately. units: units of all heliostats of the field,
/// units_per_heliostat for each, none of them shared; heliostats: indices to trace. `take` is
/// called once for each of them, concurrently from several threads; the bitmaps are valid during
/// the call. Its sums are those that trace_flux_cpu() adds for the same units, to the last bit.
/// Returns false if cancelled, in which case some heliostats are missing. Throws like
/// trace_flux_cpu().
bool trace_heliostats_cpu(const FieldView& field,
                          const WorkUnit* units,
                          int64_t units_per_heliostat,
                          std::span<const int32_t> heliostats,
                          const CpuOptions& options,
                          const std::function<void(const HeliostatSums&)>& take);

/// Returns the scale for all rays of the units together, from bounds that no sum reaches.
/// largest_gradient: largest magnitude in flux_gradient; edge_reach: as in CpuOptions.
GradientScale gradient_scale(const FieldView& host_field,
                             const WorkUnit* units,
                             int64_t num_units,
                             float largest_gradient,
                             float edge_reach = 0.0f);

/// Adds the derivatives of the loss (sum over maps and pixels of flux_gradient * quanta) for the
/// rays of the units. flux_gradient: loss per quantum in the shape of SumsView::flux.
///
/// The maps are those of the bilinear filter for any field.filter. Light lost or gained at edges
/// (rims of targets and apertures, shading, blocking) is not part of the derivative, unless
/// CpuOptions::edge_reach adds bodies and the rims of targets, which must stand alone. On the
/// surfaces of receivers, of which none may be a mesh, light counts that meets its first surface,
/// and that comes there from up to kMostMirrorsOfGradient mirrors among them. The sums do not
/// depend on threads, instruction set and order of units, to the last bit. Throws
/// std::invalid_argument if the instruction set is not available.
void trace_flux_backward_cpu(const FieldView& field,
                             const WorkUnit* units,
                             int64_t num_units,
                             const float* flux_gradient,
                             const GradientScale& scale,
                             const GradientSums& sums,
                             const CpuOptions& options);

}  // namespace helioray::kernels

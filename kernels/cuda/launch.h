// SPDX-License-Identifier: MIT
// Launches the CUDA kernels on the current device.
#pragma once

#include "kernels/core/trace_types.h"

#include <cstdint>

namespace helioray::kernels {

/// @{
/// Trace the units among these whose targets stand alone; or are surfaces of receivers in fields
/// whose surfaces absorb all light, or reflect a part of it. The last two require
/// FieldView::surface_tables, and reflecting_tables. Otherwise as trace_flux_cuda().
void trace_targets_cuda(const FieldView& field,
                        const WorkUnit* units,
                        int64_t num_units,
                        const SumsView& sums,
                        void* stream);
void trace_receivers_cuda(const FieldView& field,
                          const WorkUnit* units,
                          int64_t num_units,
                          const SumsView& sums,
                          void* stream);
void trace_reflections_cuda(const FieldView& field,
                            const WorkUnit* units,
                            int64_t num_units,
                            const SumsView& sums,
                            void* stream);
/// @}

/// Runs trace_flux_cpu() on the current CUDA device. All pointers are device pointers; stream is a
/// cudaStream_t. Throws std::runtime_error with the CUDA error text.
inline void trace_flux_cuda(const FieldView& field,
                            const WorkUnit* units,
                            int64_t num_units,
                            const SumsView& sums,
                            void* stream) {
    if (field.num_surfaces > 0) {
        const auto trace = field.reflects != 0 ? trace_reflections_cuda : trace_receivers_cuda;
        trace(field, units, num_units, sums, stream);
    }
    // Every surface has a map, and does not stand alone.
    if (field.num_targets > field.num_surfaces)
        trace_targets_cuda(field, units, num_units, sums, stream);
}

/// @{
/// Derivatives of the units among these whose targets stand alone; or are surfaces of receivers,
/// which must not be meshes. gradient: [num_targets, height, width] of the targets, or the maps
/// that surface_maps() lists, in its order. Otherwise as trace_flux_backward_cuda().
void trace_targets_backward_cuda(const FieldView& field,
                                 const WorkUnit* units,
                                 int64_t num_units,
                                 const float* gradient,
                                 const GradientScale& scale,
                                 const GradientSums& sums,
                                 void* stream);
void trace_receivers_backward_cuda(const FieldView& field,
                                   const WorkUnit* units,
                                   int64_t num_units,
                                   const float* gradient,
                                   const GradientScale& scale,
                                   const GradientSums& sums,
                                   void* stream);
/// @}

/// Runs trace_flux_backward_cpu() on the current CUDA device. units, gradients, sums and the
/// field's pointers are device pointers; stream is a cudaStream_t. surface_gradient: the maps of
/// flux_gradient that surface_maps() lists, in its order. Every bundle's derivatives are rounded to
/// integers, so that the sums do not depend on the number of devices. Throws std::runtime_error
/// with the CUDA error text.
inline void trace_flux_backward_cuda(const FieldView& field,
                                     const WorkUnit* units,
                                     int64_t num_units,
                                     const float* flux_gradient,
                                     const float* surface_gradient,
                                     const GradientScale& scale,
                                     const GradientSums& sums,
                                     void* stream) {
    if (field.num_surfaces > 0)
        trace_receivers_backward_cuda(
            field, units, num_units, surface_gradient, scale, sums, stream);
    if (field.num_targets > field.num_surfaces)
        trace_targets_backward_cuda(field, units, num_units, flux_gradient, scale, sums, stream);
}

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// Launches the CUDA kernels on the current device.
#pragma once

#include "kernels/core/trace_types.h"

#include <cstdint>

namespace helioray::kernels {

/// Runs trace_flux_cpu() on the current CUDA device. All pointers are device pointers; stream is a
/// cudaStream_t. Throws std::runtime_error with the CUDA error text.
void trace_flux_cuda(const FieldView& field,
                     const WorkUnit* units,
                     int64_t num_units,
                     const SumsView& sums,
                     void* stream);

/// Traces the units among these whose targets are surfaces of receivers, which absorb all light and
/// are no meshes; trace_flux_cuda() calls it. Requires FieldView::surface_tables; otherwise as
/// there.
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

/// Runs trace_flux_backward_cpu() on the current CUDA device. units, flux_gradient, sums and the
/// field's pointers are device pointers; stream is a cudaStream_t. Every bundle's derivatives are
/// rounded to integers, so that the sums do not depend on the number of devices. Throws
/// std::runtime_error with the CUDA error text.
void trace_flux_backward_cuda(const FieldView& field,
                              const WorkUnit* units,
                              int64_t num_units,
                              const float* flux_gradient,
                              const GradientScale& scale,
                              const GradientSums& sums,
                              void* stream);

}  // namespace helioray::kernels

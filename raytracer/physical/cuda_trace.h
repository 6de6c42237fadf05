// SPDX-License-Identifier: MIT
// Traces units on the current CUDA device: uploads the field once, adds the device's sums to the
// host's.
#pragma once

#include "kernels/trace_flux_backward.h"
#include "raytracer/physical/field.h"
#include "raytracer/physical/sums.h"
#include "raytracer/trace_job.h"

#include <memory>

namespace helioray::physical {

/// A field in device memory.
class CudaField {
  public:
    /// Throws std::runtime_error when this build has no CUDA or no device can be used.
    CudaField(const Field& field, const SumsLayout& layout);
    ~CudaField();

    /// Traces the units and adds to host sums (int64, layout.total_size()). Returns early when
    /// control.cancel is set.
    void trace(const kernels::WorkUnit* units,
               int64_t num_units,
               int64_t rays_per_unit,
               const TraceControl& control,
               at::Tensor& sums);

    /// Derivatives of a loss by the rays of the units; see kernels::trace_flux_backward_cuda.
    /// flux_gradient: [num_targets, height, width] float32 on the CPU; sums: int64 on the CPU, of
    /// the sizes in GradientSums.
    void backward(const kernels::WorkUnit* units,
                  int64_t num_units,
                  const at::Tensor& flux_gradient,
                  const kernels::GradientScale& scale,
                  at::Tensor& heliostat_sums,
                  at::Tensor& float_sums);

  private:
    struct Implementation;
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace helioray::physical

// SPDX-License-Identifier: MIT
// Checks the operators' arguments. All functions throw c10::Error with a readable message.
#pragma once

#include "raytracer/operators/trace_flux.h"

namespace helioray::operators {

/// Checks shapes, types, devices and settings. Needs no values, so it also works for tensors
/// without data and for symbolic sizes.
void check_shapes(const FluxInputs& inputs, const FluxSettings& settings);

/// Checks shape and type of the loss's derivative with respect to the flux.
void check_flux_gradient(const at::Tensor& grad_flux,
                         const FluxInputs& inputs,
                         const FluxSettings& settings);

/// Returns true if any value is not 0. Throws for NaN and infinite values. grad_flux: on the CPU.
bool has_gradient(const at::Tensor& grad_flux);

/// Checks the values of all inputs except control_points, which are checked when they are read. The
/// inputs have passed check_shapes() and are on the CPU.
void check_values(const FluxInputs& inputs);

/// Checks type, dense layout and sizes; -1 stands for any size.
void check_tensor(const at::Tensor& tensor,
                  const char* name,
                  at::IntArrayRef sizes,
                  at::ScalarType type);

/// Checks the sizes of control points [M, F, nu, nv, 3] for these degrees.
void check_control_points(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees);

// The following functions require contiguous, finite CPU tensors of the correct shape.

/// Checks that the matrices [N, 4, 4] are rigid motions.
void check_rigid(const at::Tensor& orientation);
/// Checks that the indices are between `lowest` and num_targets - 1.
void check_target_index(const at::Tensor& target_index, int64_t lowest, int64_t num_targets);
/// Checks the rows of targets [T, 13], also for finite values.
void check_targets(const at::Tensor& targets);
/// Checks the rows of facets [M, F, 11] of MirrorFormulas, also for finite values.
void check_facets(const at::Tensor& facets);
/// Checks the 5 values of optics.
void check_optics(const double* optics);
/// Checks that none of values[0, count) is NaN or infinite. name: name of the argument.
void check_finite(const double* values, int64_t count, const char* name);

}  // namespace helioray::operators

// SPDX-License-Identifier: MIT
// Checks of the operators' arguments. All throw c10::Error with a readable message.
#pragma once

#include "raytracer/operators/trace_flux.h"

namespace helioray::operators {

/// Shapes, types, devices and settings: everything that needs no values, so that it holds for
/// tensors without data and for symbolic sizes.
void check_shapes(const FluxInputs& inputs, const FluxSettings& settings);

/// Shape and type of the loss's derivative by the flux.
void check_flux_gradient(const at::Tensor& grad_flux,
                         const FluxInputs& inputs,
                         const FluxSettings& settings);

/// Whether any value is other than 0. Throws for NaN and infinite values. grad_flux: on the CPU.
bool has_gradient(const at::Tensor& grad_flux);

/// Values of all inputs but control_points, which are checked where they are read; the inputs have
/// passed check_shapes and are on the CPU.
void check_values(const FluxInputs& inputs);

/// Type, dense layout and sizes, -1 for any.
void check_tensor(const at::Tensor& tensor,
                  const char* name,
                  at::IntArrayRef sizes,
                  at::ScalarType type);

/// Sizes of control points [M, F, nu, nv, 3] for these degrees.
void check_control_points(const at::Tensor& control_points, const std::array<int64_t, 2>& degrees);

// The following functions take tensors on the CPU that are contiguous, finite and of the right
// shape.

/// orientation: [N, 4, 4].
void check_rigid(const at::Tensor& orientation);
/// From `lowest` to num_targets - 1.
void check_target_index(const at::Tensor& target_index, int64_t lowest, int64_t num_targets);
/// targets: [T, 13]; also that they are finite.
void check_targets(const at::Tensor& targets);
/// facets: [M, F, 11] of MirrorFormulas; also that they are finite.
void check_facets(const at::Tensor& facets);
/// optics: 5 values.
void check_optics(const double* optics);
/// That none of values[0, count) is NaN or infinite. name: of the argument.
void check_finite(const double* values, int64_t count, const char* name);

}  // namespace helioray::operators

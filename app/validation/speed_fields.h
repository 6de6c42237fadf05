// SPDX-License-Identifier: MIT
// Fields for measuring speed and sampling errors, and the backward pass on its own.
#pragma once

#include "app/validation/scene.h"
#include "kernels/core/trace_types.h"
#include "raytracer/tracing/physical/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace helioray::validation {

struct NamedScene {
    std::string name;
    Scene scene;
    int64_t rays_per_heliostat = 0;  ///< number to trace; 0: any number
};

/// Returns the inner rings of the published field in the morning with Gaussian sun and slope error,
/// first without, then with shading and blocking. The sun is low, so that half of the mirrors are
/// partly hidden.
std::vector<NamedScene> small_fields();

/// Returns the small fields, the field without shading with other suns, one heliostat, and fields
/// of 6,000 and 20,000 heliostats with shading and blocking; the one of 6,000 also with few and
/// with many rays for each.
std::vector<NamedScene> speed_fields();

/// Sums of a backward pass over all rays of a field, in units of 1 / scale.
struct BackwardSums {
    std::vector<int64_t> heliostats;  ///< [heliostats, kernels::kNumHeliostatGradients]
    std::vector<int64_t> floats;      ///< derivatives of the field's floats, one for each
    kernels::GradientScale scale;
};

/// Replays all rays of the field on the CPU. `flux_gradient` [targets, height, width] is the loss
/// per quantum, at most 1 in magnitude.
BackwardSums backward_sums(const physical::Field& field,
                           const std::vector<float>& flux_gradient,
                           int num_threads);

/// Replays all rays of the field on the CPU for the derivatives of a loss with gradient 1 in every
/// pixel. Returns the sum of quanta on the targets according to the backward pass.
double run_backward(const physical::Field& field, int num_threads);

}  // namespace helioray::validation

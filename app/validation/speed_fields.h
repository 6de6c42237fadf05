// SPDX-License-Identifier: MIT
// Fields to measure speed and sampling on, and the backward pass on its own.
#pragma once

#include "app/validation/scene.h"
#include "kernels/core/trace_types.h"
#include "raytracer/physical/field.h"

#include <cstdint>
#include <string>
#include <vector>

namespace helioray::validation {

struct NamedScene {
    std::string name;
    Scene scene;
    int64_t rays_per_heliostat = 0;  ///< that belong to it; 0: any number
};

/// The inner rings of the published field in the morning with Gaussian sun and slope error: once
/// without, once with shading and blocking. The sun stands low, so that half of the mirrors are
/// hidden in part.
std::vector<NamedScene> small_fields();

/// The small fields, the plain one under other suns, one heliostat, and 6,000 and 20,000 with
/// shading and blocking; the 6,000 also with few and with many rays each.
std::vector<NamedScene> speed_fields();

/// What a backward pass over all rays of a field adds up, in units of 1 / scale.
struct BackwardSums {
    std::vector<int64_t> heliostats;  ///< [heliostats, kernels::kNumHeliostatGradients]
    std::vector<int64_t> floats;      ///< of each of the field's floats
    kernels::GradientScale scale;
};

/// Replays all rays of the field on the CPU. flux_gradient: [targets, height, width] loss per
/// quantum, at most 1 in magnitude.
BackwardSums backward_sums(const physical::Field& field,
                           const std::vector<float>& flux_gradient,
                           int num_threads);

/// Replays all rays of the field for the derivatives of a loss with gradient 1 in every pixel, on
/// the CPU. Returns the sum of quanta on the targets according to the backward pass.
double run_backward(const physical::Field& field, int num_threads);

}  // namespace helioray::validation

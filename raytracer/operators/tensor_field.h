// SPDX-License-Identifier: MIT
// A field of heliostats from tensors.
#pragma once

#include "raytracer/operators/mirrors.h"
#include "raytracer/operators/trace_flux.h"
#include "raytracer/physical/field.h"
#include "raytracer/physical/plan.h"

#include <vector>

namespace helioray::operators {

/// Everything that a trace needs, from the operators' arguments.
class TensorField {
  public:
    /// The inputs have passed check_shapes and check_values and are on the CPU. Throws InputError
    /// for what cannot be traced.
    TensorField(const FluxInputs& inputs, const FluxSettings& settings);

    /// Units of the part to trace.
    const std::vector<kernels::WorkUnit>& units() const { return units_; }
    const physical::Field& field() const { return field_; }

    /// Flux in W/m2 of one quantum in a pixel, by target.
    std::vector<double> flux_per_quantum() const;

  private:
    Mirrors mirrors_;
    physical::Field field_;
    std::vector<kernels::WorkUnit> units_;
};

}  // namespace helioray::operators

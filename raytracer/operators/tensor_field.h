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

    const Scenario& scenario() const { return scenario_; }
    /// By target; `heliostat` is the row of the inputs.
    const std::vector<physical::AimedHeliostat>& aimed() const { return aimed_; }
    /// The plan of all parts.
    const physical::Plan& plan() const { return plan_; }
    /// Units of the part to trace.
    const std::vector<kernels::WorkUnit>& units() const { return units_; }
    const physical::Field& field() const { return field_; }

    /// Flux in W/m2 of one quantum in a pixel, by target.
    std::vector<double> flux_per_quantum() const;

  private:
    Mirrors mirrors_;
    Scenario scenario_;
    std::vector<physical::AimedHeliostat> aimed_;
    BitmapConfig bitmap_;
    physical::Plan plan_;
    std::vector<kernels::WorkUnit> units_;
    physical::Field field_;
};

}  // namespace helioray::operators

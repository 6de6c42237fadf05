// SPDX-License-Identifier: MIT
// A small field in memory, for the model and as tensors for the operators.
#pragma once

#include "app/validation/scene.h"
#include "raytracer/operators/trace_flux.h"
#include "raytracer/tracing/job/result.h"

namespace helioray::test {

/// Heliostats with four canted B-spline facets each that serve a plane and a cylinder in turns,
/// stand in each other's light, and have slope and specularity errors.
struct FluxScene {
    validation::Scene scene;
    operators::FluxSettings settings;
};

/// shared_surface: one mirror for all, else every heliostat has its own focal length.
FluxScene flux_scene(bool shared_surface, CylindricalTarget::Side side);

/// The scene as tensors, with the orientations of a run.
operators::FluxInputs flux_inputs(const FluxScene& scene, const RunResult& run);

/// Flux of all targets of a run as [T, H, W].
at::Tensor flux_of(const FluxScene& scene, const RunResult& run);

}  // namespace helioray::test

// SPDX-License-Identifier: MIT
// The model of a field's flux: cells of its targets, ranges of aim points, traced images.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/flux_model.h"
#include "raytracer/aiming/optimize.h"
#include "raytracer/aiming/trace_images.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace helioray::aiming {

/// The images of all heliostats of a field on the cells of all targets, with what limits their aim
/// points.
struct FieldModel {
    FluxModel flux;
    std::vector<SurfacePoint> nearest;  ///< by heliostat: where its target is nearest to it
    std::vector<Range2> ranges;         ///< by heliostat: possible aim points
    std::vector<uint8_t> can_aim;       ///< by heliostat: its drives reach a point of its range
    std::vector<std::unique_ptr<ImageTracer>> tracers;  ///< one per grid, made by trace_images()

    /// Makes grids and ranges for the targets that the points aim at; images are traced later.
    FieldModel(const RunConfig& config,
               const Scenario& scenario,
               const std::vector<AimedPoint>& points,
               const std::vector<LimitMap>& limits,
               int num_threads);

    /// Traces the images of all heliostats.
    void trace_images(const RunConfig& config,
                      const Scenario& scenario,
                      const std::vector<AimedPoint>& points,
                      ImageEffort effort);
    /// True if images are traced from lattices of aim points, not from their own alone.
    bool has_lattices() const;
    /// W: standard error of the power of all images together, from the number of their rays.
    double power_std_error() const;
};

/// Indices of the targets that are aimed at, ascending.
std::vector<size_t> used_targets(const std::vector<AimedPoint>& points);

}  // namespace helioray::aiming

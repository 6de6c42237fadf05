// SPDX-License-Identifier: MIT
// Model of a field's flux: cells of its targets, ranges of aim points, and traced images.
#pragma once

#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "raytracer/solvers/aiming/model/flux_model.h"
#include "raytracer/solvers/aiming/search/optimize.h"
#include "raytracer/solvers/aiming/traced/trace_images.h"
#include "raytracer/solvers/aiming/traced/trace_receivers.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace helioray::aiming {

/// Images of all heliostats of a field on the cells of all targets, with the constraints on their
/// aim points.
struct FieldModel {
    FluxModel flux;
    std::vector<SurfacePoint> nearest;  ///< Nearest point of the target, by heliostat
    std::vector<Range2> ranges;         ///< Allowed aim points, by heliostat
    std::vector<uint8_t> can_aim;  ///< 1 if the drives reach a point of the range, by heliostat
    /// Surfaces of the aim points, by heliostat, see aim_surface()
    std::vector<Target> aim_surfaces;
    /// One tracer per grid of a target that stands alone, created by trace_images()
    std::vector<std::unique_ptr<ImageTracer>> tracers;
    /// Tracer of the heliostats that aim at receivers, created by trace_images(); null if there are
    /// none
    std::unique_ptr<ReceiverTracer> receiver_tracer;

    /// Creates grids and ranges for the targets that the points aim at. Images are traced later.
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
    /// Returns true if images are traced from lattices of aim points instead of single ones.
    bool has_lattices() const;
    /// Returns the standard error of the total power of all images, W, which follows from the
    /// number of their rays.
    double power_std_error() const;
};

/// Returns the indices of the targets that heliostats aim at, ascending: first those that stand
/// alone; then, if any heliostat aims at a receiver, the absorbing surfaces of all receivers, since
/// light of every heliostat may meet them.
std::vector<size_t> used_targets(const Scenario& scenario, const std::vector<AimedPoint>& points);

}  // namespace helioray::aiming

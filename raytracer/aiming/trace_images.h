// SPDX-License-Identifier: MIT
// The images of all heliostats that serve one target, traced on a surface that reaches beyond it.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/image.h"
#include "raytracer/aiming/receiver_grid.h"
#include "raytracer/physical/prepared_field.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <memory>
#include <vector>

namespace helioray::aiming {

/// The configuration with these aim points in place of its own; those that are not active are left
/// out, unless `all`.
RunConfig with_points(const RunConfig& config,
                      const Scenario& scenario,
                      const std::vector<AimedPoint>& points,
                      bool all = false);

/// How far from its aim point the light of any of these heliostats may arrive on a target, metres:
/// an estimate from above.
double image_radius(const RunConfig& config,
                    const Scenario& scenario,
                    const std::vector<AimedPoint>& points,
                    size_t target);

/// Traces images again and again while aim points move; mirrors, sun and occlusion are prepared
/// once.
class ImageTracer {
  public:
    /// The scenario must outlive this object. few_rays: half of those of a start from nothing.
    /// Throws InputError for runs that cannot be traced.
    ImageTracer(const RunConfig& config,
                const Scenario& scenario,
                const ReceiverGrid& grid,
                const std::vector<AimedPoint>& points,
                bool few_rays,
                int num_threads);

    /// Images of the points on the grid's target, in their places; the others are left alone. Equal
    /// for any number of threads.
    void trace(const std::vector<AimedPoint>& points, int num_threads, std::vector<Image>& images);

  private:
    const ReceiverGrid& grid_;
    Scenario enlarged_;
    std::unique_ptr<physical::PreparedField> prepared_;
    int bitmap_width_ = 0;
};

}  // namespace helioray::aiming

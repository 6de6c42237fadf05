// SPDX-License-Identifier: MIT
// Traces the images of all heliostats that aim at receivers, on all of their surfaces.
#pragma once

#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "raytracer/solvers/aiming/model/flux_model.h"
#include "raytracer/solvers/aiming/search/optimize.h"
#include "raytracer/solvers/aiming/traced/trace_images.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace helioray::aiming {

/// Returns true if a surface is so narrow that moving an aim point across it hardly changes the
/// image of the heliostat. width: width of the surface, metres.
bool is_narrow(const RunConfig& config,
               const Scenario& scenario,
               const AimedPoint& point,
               double width);

/// Traces images on the surfaces of receivers repeatedly; mirrors and sun are prepared once.
class ReceiverTracer {
  public:
    /// Prepares the field. The scenario, the model and the surfaces must outlive this object.
    /// aim_surfaces: surfaces of the aim points by heliostat. ranges: allowed aim points by
    /// heliostat. Throws InputError for runs that cannot be traced.
    ReceiverTracer(const RunConfig& config,
                   const Scenario& scenario,
                   const FluxModel& model,
                   const std::vector<Target>& aim_surfaces,
                   const std::vector<AimedPoint>& points,
                   const std::vector<Range2>& ranges,
                   ImageEffort effort);

    /// Traces the images of the points that aim at receivers, each from a lattice of aim points
    /// over its range, and stores them at the heliostats' indices; other images are unchanged. The
    /// result does not depend on the number of threads.
    void trace(const std::vector<AimedPoint>& points, int num_threads, std::vector<Image>& images);
    /// Traces the images like trace(), but only from the points themselves.
    void trace_here(const std::vector<AimedPoint>& points,
                    int num_threads,
                    std::vector<Image>& images);
    /// Returns the number of rays per heliostat and aim point.
    int64_t rays() const { return rays_; }

  private:
    /// Traces the light of some points (indices), and calls `take` with each of them, concurrently
    /// from several threads.
    void trace_points(const std::vector<AimedPoint>& points,
                      const std::vector<size_t>& which,
                      int num_threads,
                      const std::function<void(size_t point, SparseLight light)>& take);
    /// Returns the image of a heliostat from its traced light.
    Image make_image(const AimedPoint& point,
                     size_t place,
                     const AimLattice& lattice,
                     const std::vector<SparseLight>& traced) const;

    const Scenario& scenario_;
    const FluxModel& model_;
    const std::vector<Target>& aim_surfaces_;
    std::vector<AimLattice> lattices_;  ///< Lattices by heliostat
    std::vector<Vec3> centres_;         ///< Centres of the cells of all surfaces, metres, ENU
    std::unique_ptr<physical::PreparedField> prepared_;
    int64_t rays_ = 0;
};

}  // namespace helioray::aiming

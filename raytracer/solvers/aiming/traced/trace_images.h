// SPDX-License-Identifier: MIT
// Traces the images of all heliostats that serve one target, on a surface that extends beyond it.
#pragma once

#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "raytracer/solvers/aiming/model/image.h"
#include "raytracer/solvers/aiming/model/receiver_grid.h"
#include "raytracer/solvers/aiming/search/optimize.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <memory>
#include <vector>

namespace helioray::aiming {

/// Returns the configuration with these aim points instead of its own. Leaves out inactive points
/// unless `all` is true.
RunConfig with_points(const RunConfig& config,
                      const Scenario& scenario,
                      const std::vector<AimedPoint>& points,
                      bool all = false);

/// Returns the standard deviation of an angular error, radians per axis.
double shape_width(const ErrorShape& shape);

/// Returns an upper estimate of the distance from the aim point within which the light of any of
/// these heliostats reaches the target, metres.
double image_radius(const RunConfig& config,
                    const Scenario& scenario,
                    const std::vector<AimedPoint>& points,
                    size_t target);

/// Effort of tracing images.
struct ImageEffort {
    bool few_rays = false;       ///< Trace half as many rays as for a cold start
    bool single_images = false;  ///< Trace one image per heliostat in small fields, too
};

/// Traces images repeatedly while aim points move; mirrors, sun and occlusion are prepared once.
class ImageTracer {
  public:
    /// Prepares the field. The scenario must outlive this object. ranges: allowed aim points by
    /// heliostat. Throws InputError for runs that cannot be traced.
    ImageTracer(const RunConfig& config,
                const Scenario& scenario,
                const ReceiverGrid& grid,
                const std::vector<AimedPoint>& points,
                const std::vector<Range2>& ranges,
                ImageEffort effort,
                int num_threads);

    /// Traces the images of the points on the grid's target and stores them at the heliostats'
    /// indices; other images are unchanged. In small fields each image is traced from a lattice of
    /// aim points over its range, otherwise only from its own aim point. The result does not depend
    /// on the number of threads.
    void trace(const std::vector<AimedPoint>& points, int num_threads, std::vector<Image>& images);
    /// Traces the images like trace(), but only from the points themselves.
    void trace_here(const std::vector<AimedPoint>& points,
                    int num_threads,
                    std::vector<Image>& images);
    /// Returns the number of rays per heliostat and aim point.
    int64_t rays() const { return rays_; }
    /// Returns true if images are traced from more than one aim point.
    bool has_lattices() const { return most_.across * most_.up > 1; }

  private:
    /// Numbers of aim points from which one image is traced.
    struct Counts {
        int across = 1, up = 1;
    };
    /// Returns an aim point of a lattice; both indices are below the heliostat's counts.
    SurfacePoint lattice_point(size_t heliostat, SurfacePoint own, int column, int row) const;

    const ReceiverGrid& grid_;
    Scenario enlarged_;
    Target target_;  ///< Target as defined in the scenario
    Vec3 to_sun_{};
    std::unique_ptr<physical::PreparedField> prepared_;
    int bitmap_width_ = 0;
    int64_t rays_ = 0;
    std::vector<Range2> ranges_;
    std::vector<Counts> counts_;  ///< Size of the lattice by heliostat
    Counts most_;                 ///< Largest counts of all heliostats
};

}  // namespace helioray::aiming

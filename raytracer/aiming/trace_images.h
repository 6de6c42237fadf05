// SPDX-License-Identifier: MIT
// The images of all heliostats that serve one target, traced on a surface that reaches beyond it.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/image.h"
#include "raytracer/aiming/optimize.h"
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

/// Effort of tracing images.
struct ImageEffort {
    bool few_rays = false;       ///< half of the rays of a start from nothing
    bool single_images = false;  ///< one image of each heliostat in small fields, too
};

/// Traces images again and again while aim points move; mirrors, sun and occlusion are prepared
/// once.
class ImageTracer {
  public:
    /// The scenario must outlive this object. ranges: where aim points may move, by heliostat.
    /// Throws InputError for runs that cannot be traced.
    ImageTracer(const RunConfig& config,
                const Scenario& scenario,
                const ReceiverGrid& grid,
                const std::vector<AimedPoint>& points,
                const std::vector<Range2>& ranges,
                ImageEffort effort,
                int num_threads);

    /// Images of the points on the grid's target, in their places; the others are left alone. In
    /// small fields each image is traced from a lattice of aim points over its range, otherwise
    /// from its own alone. Equal for any number of threads.
    void trace(const std::vector<AimedPoint>& points, int num_threads, std::vector<Image>& images);
    /// The same from the points themselves.
    void trace_here(const std::vector<AimedPoint>& points,
                    int num_threads,
                    std::vector<Image>& images);
    /// Rays of each heliostat from one aim point.
    int64_t rays() const { return rays_; }
    /// True if images are traced from more than one aim point.
    bool has_lattices() const { return most_.across * most_.up > 1; }

  private:
    /// Numbers of aim points from which an image is traced.
    struct Counts {
        int across = 1, up = 1;
    };
    /// Aim point of a lattice; both indices below the heliostat's counts.
    SurfacePoint lattice_point(size_t heliostat, SurfacePoint own, int column, int row) const;

    const ReceiverGrid& grid_;
    Scenario enlarged_;
    Target target_;  ///< as it is in the scenario
    Vec3 to_sun_{};
    std::unique_ptr<physical::PreparedField> prepared_;
    int bitmap_width_ = 0;
    int64_t rays_ = 0;
    std::vector<Range2> ranges_;
    std::vector<Counts> counts_;  ///< by heliostat
    Counts most_;                 ///< of all heliostats
};

}  // namespace helioray::aiming

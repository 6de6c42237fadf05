// SPDX-License-Identifier: MIT
// From a scenario and its alignment to the plain records that the kernels read.
#pragma once

#include "kernels/trace_types.h"
#include "raytracer/physical/aimed_heliostat.h"
#include "raytracer/physical/occlusion/occluders.h"
#include "raytracer/physical/plan.h"
#include "raytracer/physical/surface_records.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace helioray::physical {

/// Everything of the run that the kernels' records are made from, besides scenario and heliostats.
struct FieldSettings {
    Vec3 sun_direction{};  ///< unit vector to the sun, ENU
    double dni = 1000.0;   ///< W/m2
    SunShape sun_shape;
    OpticsConfig optics;
    std::map<std::string, TargetConfig> targets;
    std::vector<ObstacleConfig> obstacles;
    BitmapConfig bitmap;
    Sampling sampling = Sampling::sobol;
    uint64_t seed = 0;
    bool shading = true;
    bool blocking = true;
    bool cull = true;     ///< false: occlusion without culling, the reference for tests
    int num_threads = 1;  ///< for records of surfaces; no result depends on it
};

/// Owns the records of a field; `view()` points into it.
class Field {
  public:
    /// aimed: ordered by target. known: records of surfaces of the scenario that were made before;
    /// those that are not in it are made on settings.num_threads threads. Throws InputError for
    /// shapes that cannot be traced, naming scenario paths.
    Field(const Scenario& scenario,
          const std::vector<AimedHeliostat>& aimed,
          const FieldSettings& settings,
          const Plan& plan,
          const KnownSurfaces& known = {});

    /// Host view; valid as long as this object lives and is not moved.
    kernels::FieldView view() const;

    const std::vector<kernels::HeliostatRecord>& heliostats() const { return heliostats_; }
    const std::vector<kernels::FacetRecord>& facets() const { return facets_; }
    const std::vector<kernels::TargetRecord>& targets() const { return targets_; }
    const std::vector<float>& floats() const { return floats_; }
    const OcclusionRecords& occlusion() const { return occlusion_; }
    const std::vector<kernels::ObstacleRecord>& obstacles() const { return obstacles_; }

    /// True mirror area of each aimed heliostat, square metres.
    const std::vector<double>& areas() const { return areas_; }
    /// Quanta per watt: the fixed-point scale of every sum.
    double quanta_per_watt() const { return quanta_per_watt_; }
    /// Factor that squared quanta carry in the sums of squares.
    double square_scale() const { return square_scale_; }

  private:
    void set_scale(const FieldSettings& settings, const Plan& plan);

    std::vector<kernels::HeliostatRecord> heliostats_;
    std::vector<kernels::FacetRecord> facets_;
    std::vector<kernels::TargetRecord> targets_;
    std::vector<float> floats_;
    OcclusionRecords occlusion_;
    std::vector<kernels::ObstacleRecord> obstacles_;  ///< [targets, obstacles]
    kernels::FieldView scalars_{};                    ///< what is not an array
    std::vector<double> areas_;
    double quanta_per_watt_ = 1.0;
    double square_scale_ = 1.0;
};

}  // namespace helioray::physical

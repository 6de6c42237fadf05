// SPDX-License-Identifier: MIT
// A field ready to trace: the plain records that the kernels read, kept up to date.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/geometry/frames.h"
#include "raytracer/physical/aimed_heliostat.h"
#include "raytracer/physical/occlusion/occluders.h"
#include "raytracer/physical/plan.h"
#include "raytracer/physical/sums.h"
#include "raytracer/physical/surface_records.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace helioray::physical {

/// The sun and everything that its light meets besides mirrors and targets.
struct FieldLight {
    Vec3 sun_direction{0, 0, 1};  ///< unit vector to the sun, ENU
    double dni = 1000.0;          ///< W/m2
    SunShape sun_shape;
    OpticsConfig
        optics;  ///< without the tracking error, which is part of the mirrors' orientations
};

/// How many rays a field is traced with.
struct RayBudget {
    int64_t rays = 1;                  ///< of each heliostat; fewer where sums could overflow
    bool separate_heliostats = false;  ///< no unit has rays of two heliostats
    bool in_rounds = false;            ///< so that a run may stop early
    bool full_bundles = false;         ///< see PlanRequest
    bool large_units = false;          ///< "
};

/// Settings of a field; only the seed may change later.
struct FieldSettings {
    std::vector<ObstacleConfig> obstacles;
    BitmapConfig bitmap;
    Sampling sampling = Sampling::sobol;
    uint64_t seed = 0;
    bool shading = true;
    bool blocking = true;
    bool cull = true;  ///< false: occlusion without culling, the reference for tests
    RayBudget rays;
};

/// A target with the additions of the configuration.
struct FieldTarget {
    Target target;
    TargetConfig extras;
};

/// Records of a mirror: facets where it is traced, a shape where it may shade or block.
using MirrorRecords = std::shared_ptr<const SurfaceRecords>;

/// A heliostat of the plant, aimed or not.
struct FieldHeliostat {
    MirrorRecords mirror;
    Vec3 position{};  ///< metres, ENU; while it is not aimed its mirror lies here, facing up
};

/// The heliostats whose light an update changed.
struct FieldUpdate {
    bool everything = false;         ///< of all heliostats; sums so far are worth nothing
    std::vector<size_t> heliostats;  ///< otherwise: of these, ascending, also those not aimed now
};

/// Heliostats, targets, light and a plan as the kernels read them.
///
/// The functions set_..., aim() and stow() note changes; update() then recomputes the records that
/// depend on them, and no others. A field that followed changes has the same sums as a new one in
/// the same state.
///
/// Use a field from one thread at a time; different threads may use different fields.
class Field {
  public:
    /// No heliostat is aimed yet. Throws InputError for targets, suns and obstacles that cannot be
    /// traced, naming scenario paths.
    Field(std::vector<FieldHeliostat> heliostats,
          std::vector<FieldTarget> targets,
          const FieldLight& light,
          const FieldSettings& settings);

    /// Places the heliostat and includes it in traces. Its mirror needs facets.
    void aim(const AimedHeliostat& aimed);
    /// The heliostat is not traced; its mirror lies flat.
    void stow(size_t heliostat);
    /// Another position of the sun. direction: unit vector to it, ENU; dni: W/m2. Orientations
    /// stay.
    void set_sun(const Vec3& direction, double dni);
    /// Throws InputError for a sun that cannot be traced.
    void set_optics(const SunShape& sun_shape, const OpticsConfig& optics);
    /// Other random numbers.
    void set_seed(uint64_t seed);
    /// Another mirror on the same heliostat.
    void set_mirror(size_t heliostat, MirrorRecords mirror);

    /// Brings all records up to date, on num_threads threads at most; equal records for any number
    /// of them.
    FieldUpdate update(int num_threads = 1);

    /// Host view of the records since the last update(); valid until the next change and while the
    /// field is not moved.
    kernels::FieldView view() const;

    /// The heliostats that are traced: by target, then by index. A heliostat's place here is that
    /// of its sums.
    const std::vector<AimedHeliostat>& aimed() const { return aimed_; }
    /// Of the plant, aimed or not.
    size_t num_heliostats() const { return heliostats_.size(); }
    /// Index of a heliostat in aimed(); -1: it is not traced.
    int32_t row(size_t heliostat) const { return rows_[heliostat]; }
    const std::vector<FieldTarget>& targets() const { return targets_; }
    /// Where a target's light is traced.
    const TargetFrame& frame(size_t target) const { return frames_[target]; }
    const FieldLight& light() const { return light_; }
    const FieldSettings& settings() const { return settings_; }
    const Plan& plan() const { return plan_; }
    /// Rays of all heliostats in the whole plan.
    int64_t num_rays() const { return plan_.rays_per_heliostat * std::ssize(aimed_); }
    /// Shapes of the sums of a trace. per_heliostat: with a map of each that is traced.
    SumsLayout sums_layout(bool per_heliostat = false) const;

    const std::vector<kernels::HeliostatRecord>& heliostats() const { return records_; }
    const Occlusion& occlusion() const { return occlusion_; }
    const FacetStore& facets() const { return facets_; }

    /// Quanta per watt: the fixed-point scale of every sum.
    double quanta_per_watt() const;
    /// Factor that squared quanta carry in the sums of squares.
    double square_scale() const { return scale_.square_scale; }
    /// W/m2 of one quantum in a pixel of a target's map.
    double flux_per_quantum(size_t target) const;

  private:
    /// Everything that the quanta of a ray depend on.
    struct Scale {
        int64_t rays_per_heliostat = 0;
        int64_t rays_per_block = 0;
        int exponent = 0;  ///< of two: quanta of a ray of the largest mirror
        double largest_area = 0.0;
        double square_scale = 1.0;
        bool operator==(const Scale&) const = default;
    };

    bool has_occlusion() const { return settings_.shading || settings_.blocking; }
    void lay_out_targets();
    void make_target(size_t target);
    void make_optics();
    void tell_light();
    void note_change(size_t heliostat);
    void order_rows();
    void place_mirror(size_t heliostat);
    void update_occlusion(int num_threads, std::vector<uint8_t>& affected);
    Scale make_scale() const;
    void write_record(size_t row);

    std::vector<FieldHeliostat> heliostats_;
    std::vector<FieldTarget> targets_;
    FieldLight light_;
    FieldSettings settings_;
    std::vector<TargetFrame> frames_;        ///< by target
    std::vector<int32_t> occlusion_frames_;  ///< by target, as occlusion_ knows it; -1: unused yet
    std::vector<AimedHeliostat> aimed_;
    std::vector<int32_t> rows_;              ///< by heliostat
    std::vector<FacetStore::Range> ranges_;  ///< by heliostat; of those that have been aimed
    Plan plan_;
    Scale scale_;

    std::vector<kernels::HeliostatRecord> records_;
    std::vector<kernels::TargetRecord> target_records_;
    std::vector<kernels::ObstacleRecord> obstacles_;  ///< [targets, obstacles]
    kernels::FieldView scalars_{};                    ///< everything but arrays
    std::vector<int64_t> outlines_;  ///< by target: where its floats begin; then the sun's
    FacetStore facets_{0};
    Occlusion occlusion_;

    // Changes since the last update.
    bool rows_stale_ = true;
    bool light_stale_ = true;
    std::vector<size_t> changed_;  ///< heliostats that moved or have another mirror
    std::vector<uint8_t> is_changed_;
};

}  // namespace helioray::physical

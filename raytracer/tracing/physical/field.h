// SPDX-License-Identifier: MIT
// A field ready to trace: the plain records that the kernels read, updated after changes.
#pragma once

#include "kernels/core/sums_layout.h"
#include "kernels/core/trace_types.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/physical/aimed_heliostat.h"
#include "raytracer/tracing/physical/occlusion/occluders.h"
#include "raytracer/tracing/physical/plan.h"
#include "raytracer/tracing/physical/records/mesh_records.h"
#include "raytracer/tracing/physical/records/receiver_surfaces.h"
#include "raytracer/tracing/physical/records/surface_records.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace helioray::physical {

/// The sun and the optical properties of a field.
struct FieldLight {
    Vec3 sun_direction{0, 0, 1};  ///< unit vector to the sun, ENU
    double dni = 1000.0;          ///< W/m2
    SunShape sun_shape;
    /// Errors, reflectivity and attenuation. The tracking error is part of the mirrors'
    /// orientations.
    OpticsConfig optics;
};

/// Settings of a field; only the seed may change later.
struct FieldSettings {
    std::vector<ObstacleConfig> obstacles;
    BitmapConfig bitmap;
    TracingConfig tracing;  ///< seed, sampling, shading, blocking; `rays` has the number of rays
    bool cull = true;       ///< false: no culling of occluders, the reference for tests
    RayBudget rays;
    std::shared_ptr<const Terrain> ground = nullptr;  ///< hills that shade and block; null: none
};

/// Returns the settings of a field that a configuration determines.
FieldSettings field_settings(const RunConfig& config);

/// A target with the settings that the configuration adds.
struct FieldTarget {
    Target target;
    TargetConfig extras;
};

/// Records of a mirror: facets if it is traced, a shape if it may shade or block.
using MirrorRecords = std::shared_ptr<const SurfaceRecords>;

/// A heliostat of the plant, which may be aimed or not.
struct FieldHeliostat {
    MirrorRecords mirror;
    Vec3 position{};  ///< position of the mirror while it is not aimed and lies flat, metres, ENU
};

/// The heliostats whose light an update changed.
struct FieldUpdate {
    bool everything = false;  ///< the light of all heliostats changed; previous sums are invalid
    /// Otherwise the changed heliostats, ascending, including those that are no longer aimed.
    std::vector<size_t> heliostats;
    bool shapes = false;  ///< facets or their floats changed, so that copies of them are invalid
};

/// Heliostats, targets, light and work plan in the form that the kernels read.
///
/// The functions set_...(), aim() and stow() record changes; update() then recomputes the records
/// that depend on them, and no others. A changed field has the same sums as a new field in the same
/// state.
///
/// Use a field from one thread at a time; different threads may use different fields.
class Field {
  public:
    /// Creates a field without aimed heliostats. Throws InputError for targets, suns and obstacles
    /// that cannot be traced, naming scenario paths.
    Field(std::vector<FieldHeliostat> heliostats,
          std::vector<FieldTarget> targets,
          const FieldLight& light,
          const FieldSettings& settings);

    /// Sets the pose of a heliostat and includes it in traces. Its mirror needs facets.
    void aim(const AimedHeliostat& aimed);
    /// Excludes the heliostat from traces; its mirror lies flat.
    void stow(size_t heliostat);
    /// Sets the position of the sun. direction: unit vector to the sun, ENU; dni: W/m2.
    /// Orientations of heliostats do not change.
    void set_sun(const Vec3& direction, double dni);
    /// Sets sun shape and optics. Throws InputError for a sun that cannot be traced.
    void set_optics(const SunShape& sun_shape, const OpticsConfig& optics);
    /// Sets the seed of the random numbers.
    void set_seed(uint64_t seed);
    /// Replaces the mirror of a heliostat.
    void set_mirror(size_t heliostat, MirrorRecords mirror);

    /// Updates all records with at most num_threads threads. The records do not depend on the
    /// number of threads.
    FieldUpdate update(int num_threads = 1);

    /// Returns a view of the records as of the last update(). It is valid until the next change and
    /// as long as the field is not moved.
    kernels::FieldView view() const;

    /// Returns the traced heliostats, sorted by target, then by index. The row of a heliostat in
    /// this list is also the row of its sums.
    const std::vector<AimedHeliostat>& aimed() const { return aimed_; }
    /// Returns the number of heliostats of the plant, aimed or not.
    size_t num_heliostats() const { return heliostats_.size(); }
    /// Returns the row of a heliostat in aimed(), or -1 if it is not traced.
    int32_t row(size_t heliostat) const { return rows_[heliostat]; }
    const std::vector<FieldTarget>& targets() const { return targets_; }
    /// Returns true if the target is a surface of a receiver, whose light it shares with the
    /// surfaces of all receivers.
    bool is_surface(size_t target) const { return !targets_[target].target.receiver.empty(); }
    /// Returns true if light is traced to the surfaces of receivers.
    bool has_receivers() const { return !surfaces_.empty(); }
    /// Returns the number of maps of incident light, which follow those of all targets: one for
    /// each surface of receivers in the order of the targets, or 0 if no surface reflects light.
    int64_t num_incident_maps() const { return scalars_.reflects != 0 ? std::ssize(surfaces_) : 0; }
    /// Returns the index of the map of incident light on a target, or of its only map: the target's
    /// own index.
    size_t incident_map(size_t target) const;
    /// Returns the frame in which the light of a target is traced; the surfaces of receivers share
    /// one.
    const TargetFrame& frame(size_t target) const { return frames_[target]; }
    const FieldLight& light() const { return light_; }
    const FieldSettings& settings() const { return settings_; }
    const Plan& plan() const { return plan_; }
    /// Returns the number of rays of all heliostats in the whole plan.
    int64_t num_rays() const { return plan_.rays_per_heliostat * std::ssize(aimed_); }
    /// Returns the shapes of the sums of a trace. per_heliostat: include a map of each traced
    /// heliostat.
    kernels::SumsLayout sums_layout(bool per_heliostat = false) const;

    const std::vector<kernels::HeliostatRecord>& heliostats() const { return records_; }
    /// Returns the fraction of the power that the heliostat of a row reflects.
    double reflectivity(size_t row) const;
    /// Returns the mean over the traced heliostats of the variance of a reflected ray by slope and
    /// specularity errors, per axis, rad^2.
    double error_variance() const;
    const Occlusion& occlusion() const { return occlusion_; }
    const FacetStore& facets() const { return facets_; }

    /// Returns the number of quanta per watt, the fixed-point scale of all sums.
    double quanta_per_watt() const;
    /// Returns the factor of squared quanta in the sums of squares.
    double square_scale() const { return scale_.square_scale; }
    /// Returns the flux of one quantum in a pixel of a target's map, W/m2.
    double flux_per_quantum(size_t target) const;

  private:
    /// Numbers that determine the quanta of a ray.
    struct Scale {
        int64_t rays_per_heliostat = 0;
        int64_t rays_per_block = 0;
        int exponent = 0;  ///< exponent of two of the quanta of a ray of the largest mirror
        double largest_area = 0.0;
        double square_scale = 1.0;
        bool operator==(const Scale&) const = default;
    };

    bool has_occlusion() const { return settings_.tracing.shading || settings_.tracing.blocking; }
    void lay_out_targets();
    void make_surfaces(const ReceiverOptics& optics);
    void make_target(size_t target);
    void make_optics();
    void update_light();
    void update_errors();
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
    std::vector<TargetFrame> frames_;  ///< frames by target
    /// Indices of the frames in occlusion_ by target; -1 if not used yet.
    std::vector<int32_t> occlusion_frames_;
    std::vector<AimedHeliostat> aimed_;
    std::vector<int32_t> rows_;  ///< rows in aimed_ by heliostat
    /// Ranges in facets_ by heliostat; empty for heliostats that were never aimed.
    std::vector<FacetStore::Range> ranges_;
    Plan plan_;
    Scale scale_;

    std::vector<kernels::HeliostatRecord> records_;
    std::vector<kernels::TargetRecord> target_records_;
    std::vector<kernels::ObstacleRecord> obstacles_;  ///< [targets, obstacles]
    std::vector<kernels::SurfaceRecord> surfaces_;    ///< surfaces of all receivers
    FieldMeshes meshes_;                              ///< meshes among the surfaces
    kernels::FieldView scalars_{};                    ///< all members of the view except arrays
    /// Index of the first float of each target's outline; the last entry is that of the sun's
    /// tables.
    std::vector<int64_t> outlines_;
    FacetStore facets_{0};
    Occlusion occlusion_;

    // Changes since the last update.
    bool rows_stale_ = true;
    bool light_stale_ = true;
    bool shapes_stale_ = true;
    std::vector<size_t> changed_;  ///< heliostats that moved or have another mirror
    std::vector<uint8_t> is_changed_;
};

}  // namespace helioray::physical

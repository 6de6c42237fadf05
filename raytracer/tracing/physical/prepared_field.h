// SPDX-License-Identifier: MIT
// A plant ready to trace: a scenario whose mirrors follow the sun, aim points and motor positions.
#pragma once

#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/physical/align_field.h"
#include "raytracer/tracing/physical/field.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace helioray::physical {

/// Heliostats of a scenario with their aims, and the field that the kernels trace. The functions
/// set_...() record changes; update() aligns the affected heliostats and updates the field. If
/// update() throws, nothing changes and the changes remain pending.
///
/// Use an object from one thread at a time; different threads may use different objects.
class PreparedField {
  public:
    /// Aims, aligns and plans as configured. The scenario must outlive this object. cull: false
    /// tests every mirror for every ray, the reference for tests. num_threads: largest number of
    /// threads; the result does not depend on it. Throws InputError for runs that cannot be traced.
    PreparedField(const RunConfig& config,
                  const Scenario& scenario,
                  bool cull = true,
                  int num_threads = 1);

    /// Sets the sun. direction: unit vector to the sun, ENU; dni: W/m2.
    void set_sun(const Vec3& direction, double dni);
    /// Sets the temperature of the air, °C, for mirrors whose shape changes with it.
    void set_temperature(double temperature) { temperature_ = temperature; }
    /// Sets sun shape, reflectivity, errors and attenuation; the tracking error does not change.
    void set_optics(const SunShape& sun_shape, const OpticsConfig& optics);
    /// Assigns a target to the heliostat, by an aim point or by motor positions, and makes it
    /// active.
    void set_aim(const Aim& aim);
    /// Excludes the heliostat from traces; its mirror lies flat and may still shade and block.
    void set_inactive(size_t heliostat);
    /// Replaces the surface of one heliostat's mirror; this object shares its ownership.
    void set_surface(size_t heliostat, std::shared_ptr<const Surface> surface);

    /// Recomputes everything that depends on the changes. Throws InputError listing every heliostat
    /// that cannot be aligned.
    FieldUpdate update(int num_threads = 1);

    const Scenario& scenario() const { return scenario_; }
    const Field& field() const { return *field_; }
    /// Returns the temperature of the air, °C; not set if it is not known.
    std::optional<double> temperature() const { return temperature_; }
    /// Returns true if a table of states gives heliostats separate optics.
    bool has_states() const { return !own_optics_.empty(); }
    /// Returns warnings for users about the heliostats in their present poses (motor limits, ...)
    /// and about the configuration.
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    bool has_occlusion() const { return settings_.tracing.shading || settings_.tracing.blocking; }
    void note_turn(size_t heliostat);
    void set_states(const RunConfig& config);
    AlignedField align(int num_threads) const;
    void replace_notes(const AlignedField& aligned);
    void bend_mirrors(const AlignedField& aligned);
    void bend_by_temperature();
    const Surface& present_surface(size_t heliostat) const;
    std::vector<size_t> make_mirrors(int num_threads);

    const Scenario& scenario_;
    FieldSettings settings_;
    FieldLight light_;
    std::vector<FieldTarget> targets_;
    TrackingError tracking_error_;
    std::vector<std::string> configuration_warnings_;
    std::vector<AlignmentNote> notes_;  ///< notes, sorted by heliostat
    std::vector<std::string> warnings_;
    /// Fractions of the irradiance by heliostat; empty if all receive the same.
    std::vector<double> sunlit_shares_;
    std::vector<OwnOptics> own_optics_;     ///< optics by heliostat; empty if all have the field's
    std::vector<std::optional<Aim>> aims_;  ///< aims by heliostat; not set for inactive heliostats
    std::vector<std::shared_ptr<const Surface>> surfaces_;  ///< surfaces by heliostat
    std::vector<MirrorRecords> mirrors_;  ///< records by heliostat, built when needed
    std::optional<double> temperature_;   ///< temperature of the air, °C
    /// A bent mirror at the elevation of its normal or the present temperature.
    struct BentMirror {
        double at = 0.0;
        std::shared_ptr<const Surface> surface;
    };
    std::unordered_map<size_t, BentMirror> bent_;  ///< bent mirrors by heliostat
    std::optional<Field> field_;

    // Changes since the last update.
    bool sun_moved_ = true;
    std::vector<size_t> turned_;  ///< heliostats with a changed or removed aim
    std::vector<uint8_t> is_turned_;
};

}  // namespace helioray::physical

// SPDX-License-Identifier: MIT
// A plant ready to trace: a scenario whose mirrors follow the sun, aim points and motors.
#pragma once

#include "raytracer/geometry/aiming.h"
#include "raytracer/physical/align_field.h"
#include "raytracer/physical/field.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::physical {

/// Heliostats of a scenario with their aims, and the field that the kernels trace. The functions
/// set_... note changes; update() aligns those heliostats that this concerns and brings the field
/// up to date. Nothing changes when update() throws; the changes stay to be made.
///
/// Use an object from one thread at a time; different threads may use different objects.
class PreparedField {
  public:
    /// Aims, aligns and plans what the configuration says. The scenario must outlive this object.
    /// cull: false tests every mirror for every ray, the reference for tests. num_threads: at most;
    /// no result depends on it. Throws InputError for runs that cannot be traced.
    PreparedField(const RunConfig& config,
                  const Scenario& scenario,
                  bool cull = true,
                  int num_threads = 1);

    /// direction: unit vector to the sun, ENU; dni: W/m2.
    void set_sun(const Vec3& direction, double dni);
    /// Sun shape, reflectivity, errors and attenuation; the tracking error stays.
    void set_optics(const SunShape& sun_shape, const OpticsConfig& optics);
    /// The heliostat serves this target, by an aim point or by motor positions; active from now on.
    void set_aim(const Aim& aim);
    /// The heliostat is not traced; its mirror lies flat and may still shade and block.
    void set_inactive(size_t heliostat);
    /// Another surface of one heliostat's mirror; kept alive.
    void set_surface(size_t heliostat, std::shared_ptr<const Surface> surface);

    /// Recomputes everything that depends on the changes. Throws InputError listing every heliostat
    /// that cannot be aligned.
    FieldUpdate update(int num_threads = 1);

    const Scenario& scenario() const { return scenario_; }
    const Field& field() const { return *field_; }
    /// Warnings for users about the heliostats as they stand (motor limits, ...) and of the
    /// configuration.
    const std::vector<std::string>& warnings() const { return warnings_; }

  private:
    bool has_occlusion() const { return settings_.shading || settings_.blocking; }
    void note_turn(size_t heliostat);
    AlignedField align(int num_threads) const;
    void keep_notes(const AlignedField& aligned);
    std::vector<size_t> make_mirrors(int num_threads);

    const Scenario& scenario_;
    FieldSettings settings_;
    FieldLight light_;
    std::vector<FieldTarget> targets_;
    TrackingError tracking_error_;
    std::vector<std::string> configuration_warnings_;
    std::vector<AlignmentNote> notes_;  ///< by heliostat
    std::vector<std::string> warnings_;
    std::vector<double> sunlit_shares_;                     ///< by heliostat; empty: no clouds
    std::vector<std::optional<Aim>> aims_;                  ///< by heliostat; nothing: inactive
    std::vector<std::shared_ptr<const Surface>> surfaces_;  ///< by heliostat
    std::vector<MirrorRecords> mirrors_;                    ///< by heliostat, as far as needed
    std::optional<Field> field_;

    // Changes since the last update.
    bool sun_moved_ = true;
    std::vector<size_t> turned_;  ///< heliostats with another aim, or none
    std::vector<uint8_t> is_turned_;
};

}  // namespace helioray::physical

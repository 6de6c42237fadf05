// SPDX-License-Identifier: MIT
// A field that is prepared once and follows changes.
#pragma once

#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/surface/surface.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace helioray::physical {

/// A field whose sun, optics, aim points and mirrors change from trace to trace. Everything that
/// does not depend on a change is kept, and trace() traces only the light that may have changed:
/// after a change of one aim point that of the heliostat itself and of the heliostats that it
/// shades or blocks. The result is that of a new field in the same state, to the last bit.
///
/// A heliostat that aims at a receiver of several surfaces lights all surfaces of all receivers.
/// Each heliostat's contribution to the flux is stored and takes 20 bytes per pixel that it lights.
/// Traces on the CPU. Use an object from one thread at a time; different threads may use different
/// objects.
class LiveField {
  public:
    /// Aims, aligns and plans as configured; outputs and device of the configuration are ignored.
    /// num_threads: largest number of threads of this and all later work; results do not depend on
    /// it. Throws InputError for runs that cannot be traced.
    LiveField(const RunConfig& config,
              std::shared_ptr<const Scenario> scenario,
              int num_threads = 1);
    ~LiveField();
    /// Moves the field; the other object can only be assigned to or destroyed.
    LiveField(LiveField&&) noexcept;
    LiveField& operator=(LiveField&&) noexcept;  ///< moves the field, as above

    /// Sets the sun. direction: unit vector to the sun, ENU; dni: W/m2.
    void set_sun(const Vec3& direction, double dni);
    /// Sets the temperature of the air, °C, for mirrors whose shape changes with it.
    void set_temperature(double temperature);
    /// Sets sun shape, reflectivity, errors and attenuation; the tracking error does not change.
    void set_optics(const SunShape& sun_shape, const OpticsConfig& optics);
    /// Assigns a target to the heliostat, by an aim point or by motor positions, and makes it
    /// active.
    void set_aim(const Aim& aim);
    /// Excludes the heliostat from traces; its mirror lies flat and may still shade and block.
    void set_inactive(std::size_t heliostat);
    /// Replaces the surface of one heliostat's mirror; this object shares its ownership.
    void set_surface(std::size_t heliostat, std::shared_ptr<const Surface> surface);

    /// Traces the light that the changes since the last call affect; the first call traces all
    /// heliostats. Returns the number of heliostats that it traced. Throws InputError that lists
    /// every heliostat that cannot be aligned; then nothing changes and the changes remain pending.
    std::size_t trace();

    /// Returns the flux on a target, [bitmap height * width] in W/m2, as of the last trace. target:
    /// index in the scenario. On a surface of a receiver it is the light that the surface absorbs.
    std::vector<double> flux(std::size_t target) const;
    /// Returns the same of all light that meets the front of a surface of a receiver before
    /// absorption; flux() for other targets and for receivers that absorb all light.
    std::vector<double> incident_flux(std::size_t target) const;
    /// Returns the power that a heliostat delivers to its target, or to all surfaces of receivers
    /// if it aims at one of them, W; 0 if it is not active.
    double power(std::size_t heliostat) const;
    /// Returns the power that all heliostats deliver, W.
    double power() const;
    /// Returns all sums of the last trace, integers; equal sums are the same result.
    std::vector<std::int64_t> sums() const;
    /// Returns warnings about the heliostats in their present poses (motor limits, ...) and about
    /// the configuration.
    const std::vector<std::string>& warnings() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace helioray::physical

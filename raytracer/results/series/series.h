// SPDX-License-Identifier: MIT
// Results of a series without maps: sun, powers and energy terms of every step.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// One step of a series.
struct SeriesStep {
    std::string time;            ///< time, ISO 8601; empty if not known
    double azimuth_deg = 0.0;    ///< azimuth of the sun, degrees clockwise from north
    double elevation_deg = 0.0;  ///< elevation of the sun, degrees above the horizon
    double dni_w_m2 = 0.0;       ///< direct normal irradiance, W/m2
    /// Temperature of the air, °C; not set if it is not known.
    std::optional<double> temperature_c = {};
    Vec3 sun_direction{};     ///< unit vector to the sun, ENU
    std::int64_t rays = 0;    ///< rays traced by all heliostats and ranks
    std::string fingerprint;  ///< fingerprint, equal to that of a separate run of this step
    /// Tracing time in the start of the program that traced the step, s.
    double trace_seconds = 0.0;
};

/// The light that a target received: the members of TargetResult with an axis of T steps.
struct SeriesTarget {
    std::string name;                       ///< name in the scenario
    std::string unit;                       ///< unit of the flux
    std::string receiver;                   ///< see Target::receiver
    SurfaceUse use = SurfaceUse::absorber;  ///< see Target::use
    std::vector<double> power_w;            ///< power, W, [T]
    std::vector<double> power_std_error_w;  ///< standard error of the power, W, [T]
    std::vector<double> peak_flux_w_m2;     ///< peak flux, W/m2, [T]; NaN if not stored in the file
    /// Standard error of the peak flux, W/m2, [T]; NaN if not stored in the file.
    std::vector<double> peak_flux_std_error_w_m2;
    /// Area over which the peak flux is averaged, m2, [T]; NaN if not stored in the file.
    std::vector<double> peak_area_m2;
    std::vector<double> peak_pixel_w_m2;  ///< largest pixel, W/m2, [T]
    std::vector<Vec3> centroid_m;         ///< centre of the flux, m, [T]
};

/// A series without maps and orientations.
struct SeriesResult {
    /// Provenance with the rays of all steps and the sun_direction of the first step.
    Provenance provenance;
    std::vector<SeriesStep> steps;               ///< steps in the order of the configuration, [T]
    std::vector<SeriesTarget> targets;           ///< targets at which heliostats aim
    std::vector<std::string> heliostats;         ///< names of the heliostats, [N]
    std::vector<std::string> heliostat_targets;  ///< names of the heliostats' targets, [N]
    std::vector<EnergyTerms> energy;             ///< energy terms, W, [T * N], step by step
    std::vector<double> target_power_std_error;  ///< standard errors of target_power, W, [T * N]

    // The following members describe the run and are not part of the file.
    /// tracing time of all steps, including those of earlier starts, s
    double trace_seconds = 0.0;
    double total_seconds = 0.0;         ///< total time of this start, s
    double rays_per_second = 0.0;       ///< rays per second of all ranks together in this start
    double peak_rss_mb = 0.0;           ///< largest resident memory of rank 0, MB (1e6 bytes)
    std::size_t steps_done_before = 0;  ///< number of steps that earlier starts traced

    /// Returns the energy terms of one step summed over all heliostats, W.
    EnergyTerms field_energy(std::size_t step) const;
    /// Returns the power on all targets in one step, W.
    double power(std::size_t step) const;
    /// Returns true if the temperature of the air is known in every step.
    bool has_temperatures() const;
    /// Returns the first step with the highest power.
    std::size_t strongest_step() const;
};

/// Returns the energy terms of the plant of a series: those of receivers of several surfaces only
/// if light was lost this way in some step.
std::vector<EnergyTermInfo> energy_terms_of(const SeriesResult& series);

/// Returns "2026-06-21T12:00:00+02:00, step 3 (0 to 49)", or only the number if there is no time.
std::string step_label(const SeriesResult& series, std::size_t step);

/// Returns the step at an ISO 8601 time with any offset from UTC, or no value if there is none.
/// Throws InputError if the text is not a time.
std::optional<std::size_t> find_time(const SeriesResult& series, const std::string& iso8601);

/// Returns a hash over the fingerprints of all steps, in their order.
std::string series_fingerprint(const std::vector<std::string>& fingerprints);

}  // namespace helioray

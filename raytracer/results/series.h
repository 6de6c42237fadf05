// SPDX-License-Identifier: MIT
// The outcome of a series without its maps: sun, powers and energy terms of every step.
#pragma once

#include "raytracer/job/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// One step of a series.
struct SeriesStep {
    std::string time;            ///< ISO 8601; empty where it is not known
    double azimuth_deg = 0.0;    ///< clockwise from north
    double elevation_deg = 0.0;  ///< above the horizon
    double dni_w_m2 = 0.0;       ///< direct normal irradiance
    Vec3 sun_direction{};        ///< unit vector to the sun, ENU
    std::int64_t rays = 0;       ///< traced, by all heliostats and ranks
    std::string fingerprint;     ///< the same as of a run of this step alone
    double trace_seconds = 0.0;  ///< in the start of the program that traced it
};

/// The light that a target received, step by step: the members of TargetResult with an axis of T
/// steps.
struct SeriesTarget {
    std::string name;                              ///< as in the scenario
    std::string unit;                              ///< of its flux
    std::vector<double> power_w;                   ///< [T]
    std::vector<double> power_std_error_w;         ///< [T]
    std::vector<double> peak_flux_w_m2;            ///< [T]; NaN: not stored in the file
    std::vector<double> peak_flux_std_error_w_m2;  ///< [T]; NaN: not stored in the file
    std::vector<double> peak_area_m2;              ///< [T]; NaN: not stored in the file
    std::vector<double> peak_pixel_w_m2;           ///< [T]
    std::vector<Vec3> centroid_m;                  ///< [T]
};

/// A series without maps and orientations.
struct SeriesResult {
    Provenance provenance;  ///< rays are those of all steps; sun_direction that of the first
    std::vector<SeriesStep> steps;               ///< [T], in the order of the configuration
    std::vector<SeriesTarget> targets;           ///< that are aimed at
    std::vector<std::string> heliostats;         ///< names, [N]
    std::vector<std::string> heliostat_targets;  ///< [N]
    std::vector<EnergyTerms> energy;             ///< [T * N], W, step by step
    std::vector<double> target_power_std_error;  ///< [T * N], W

    // Of the run; not part of the file.
    double trace_seconds = 0.0;         ///< of all steps, also of those of earlier starts
    double total_seconds = 0.0;         ///< of this start
    double rays_per_second = 0.0;       ///< of all ranks together, in this start
    double peak_rss_mb = 0.0;           ///< largest resident memory of rank 0, 1e6 bytes
    std::size_t steps_done_before = 0;  ///< by earlier starts

    /// Energy terms of one step over all heliostats, W.
    EnergyTerms field_energy(std::size_t step) const;
    /// Power on all targets in one step, W.
    double power(std::size_t step) const;
    /// The first step with the highest power.
    std::size_t strongest_step() const;
};

/// "2026-06-21T12:00:00+02:00 (step 3 of 0-49)", or only the number where there is no time.
std::string step_label(const SeriesResult& series, std::size_t step);

/// The step at an ISO 8601 time with any offset from UTC; nothing if there is none. Throws
/// InputError if the text is not a time.
std::optional<std::size_t> find_time(const SeriesResult& series, const std::string& iso8601);

/// Hash over the fingerprints of all steps, in their order.
std::string series_fingerprint(const std::vector<std::string>& fingerprints);

}  // namespace helioray

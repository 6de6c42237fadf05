// SPDX-License-Identifier: MIT
// The outcome of a run: flux maps, energy terms and provenance. Plain data between the tracer and
// its outputs.
#pragma once

#include "raytracer/job/peak_flux.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Flux on one target. Arrays are [height, width] row-major, row 0 = top, column 0 = left edge for
/// an observer facing it.
struct TargetResult {
    Target target;              ///< as the scenario has it
    int64_t width = 0;          ///< pixels
    int64_t height = 0;         ///< pixels
    std::string unit = "W/m2";  ///< of flux; model artist: "1" or "W"
    std::vector<double> flux;   ///< [height * width]
    /// [height * width], unit of flux; one standard deviation. Model artist: 0; empty: unknown.
    std::vector<double> flux_std_error;
    SharedNoise shared_noise;        ///< of neighbouring pixels; not in the file
    double power_w = 0.0;            ///< W, incident on the surface; "1": sum of the map
    double power_std_error_w = 0.0;  ///< W, one standard deviation; model artist: 0
    /// Largest flux without noise, unit of flux; see estimate_peak(). NaN, as its error and area:
    /// not stored in the file.
    double peak_flux_w_m2 = 0.0;
    double peak_flux_std_error_w_m2 = 0.0;  ///< unit of flux, one standard deviation; artist: 0
    double peak_area_m2 = 0.0;              ///< area that measures peak_flux_w_m2, m2
    double peak_pixel_w_m2 = 0.0;           ///< largest value of flux, in its unit; noise raises it
    Vec3 centroid_m{};  ///< flux-weighted mean of its surface's points, metres, ENU
};

/// Centre of pixel `index` of `count` that tile `extent` metres, measured from the middle of the
/// extent: of columns to the right; of rows downwards, since row 0 is the top.
inline double pixel_centre(int64_t index, int64_t count, double extent) {
    return ((static_cast<double>(index) + 0.5) / static_cast<double>(count) - 0.5) * extent;
}

/// Energy terms of one heliostat in W. solar = cosine + shading + reflection + blocking +
/// attenuation + spillage + target.
struct EnergyTerms {
    double solar_power = 0.0;       ///< direct normal irradiance times mirror area
    double cosine_loss = 0.0;       ///< not received, as the mirror is tilted against the sun
    double shading_loss = 0.0;      ///< stopped by mirrors and obstacles between sun and mirror
    double reflection_loss = 0.0;   ///< not reflected: 1 - reflectivity of what reaches the mirror
    double blocking_loss = 0.0;     ///< stopped by mirrors and obstacles between mirror and target
    double attenuation_loss = 0.0;  ///< absorbed or scattered by the air between mirror and target
    double spillage_loss = 0.0;     ///< passes beside the target's lit surface
    double target_power = 0.0;      ///< incident on the target's lit surface
};

/// Name and member of every energy term, in the order they are written and printed.
struct EnergyTermInfo {
    const char* name;             ///< "solar_power"
    const char* description;      ///< one sentence
    double EnergyTerms::*member;  ///< where its value is
};
/// All eight terms, from the sun to the target.
const std::vector<EnergyTermInfo>& energy_term_infos();

/// The energy balance of one heliostat, and its orientation.
struct HeliostatResult {
    std::string name;    ///< as in the scenario
    std::string target;  ///< name of the target it serves
    EnergyTerms energy;  ///< W, or the unit of energy_unit()
    /// Of a year: what it would have brought to its target while it was turned off because of flux
    /// limits; a loss besides those of `energy`, in its unit.
    double defocus_loss = 0.0;
    double target_power_std_error = 0.0;      ///< W
    std::array<double, 16> orientation{};     ///< 4 x 4 row-major: mirror frame to ENU
    std::array<double, 2> motor_positions{};  ///< steps (linear) or radians (ideal)
    Vec3 aim_point{};                         ///< metres, ENU
    /// Corners of the mirror in its own frame, metres, anticlockwise for an observer in front of
    /// it; nothing when it is unknown (files of earlier versions).
    std::optional<std::array<Vec3, 4>> mirror_outline;
    int64_t rays = 0;         ///< that started on it
    std::vector<float> flux;  ///< [height * width] W/m2, only with output.per_heliostat
};

/// Where and how a result was made.
struct Provenance {
    std::string helioray_version;  ///< "0.1.0"
    std::string git_commit;        ///< of the sources the program was built from
    std::string created;           ///< UTC, ISO 8601
    std::string config;            ///< YAML text after overrides
    std::string scenario_file;     ///< path, as the run resolved it
    std::string scenario_sha256;   ///< of the file's bytes, hex
    uint64_t seed = 0;             ///< of the random numbers
    int64_t rays = 0;              ///< traced, by all heliostats and ranks
    int64_t world_size = 1;        ///< number of ranks
    std::string backend;           ///< "none", "gloo" or "nccl"
    std::string device;            ///< "cpu" or "cuda:0"
    std::string launcher;          ///< "single", "torchrun", ...
    std::string fingerprint;       ///< see fingerprint() of trace_job.h
    Vec3 sun_direction{};          ///< unit vector to the sun, ENU
    std::string instruction_set;   ///< of the CPU kernels, "avx512"; empty: they did not trace
                                   ///< (CUDA, model artist), or the file is older than this
};

/// How a run went that was to reach an accuracy.
struct AccuracyReport {
    double wanted = 0.0;   ///< standard error of every target's number, as a share
    double reached = 0.0;  ///< the largest one; 0 when no target received power
    std::string target;    ///< the target with this error; empty when no target received power
    int64_t rays_per_heliostat = 0;       ///< as traced
    int64_t most_rays_per_heliostat = 0;  ///< the upper limit of this run
    AccuracyOf of = AccuracyOf::power;    ///< the number of each target that is to be accurate

    /// Whether every target's power or peak is known that well.
    bool is_reached() const { return reached <= wanted; }
};

/// Everything that a run found, and how it was made.
struct RunResult {
    Provenance provenance;  ///< complete only once the program has filled in its part
    std::string step;       ///< of a series: which step this is, as text; not in the file
    std::optional<AccuracyReport> accuracy;   ///< where an accuracy was asked for; not in the file
    std::vector<TargetResult> targets;        ///< that are aimed at, in the scenario's order
    std::vector<HeliostatResult> heliostats;  ///< active ones, in the scenario's order
    /// Standard error of the heliostats' own target_power_std_error, as a share of it; 0: unknown
    /// (model artist, files of earlier versions). Those of targets are as much surer as heliostats
    /// are many.
    double error_uncertainty = 0.0;

    // Timing and memory of the run; not part of the result file.
    double trace_seconds = 0.0;         ///< from the first ray to the sums of all ranks
    double total_seconds = 0.0;         ///< from the start of the program to the written files
    std::int64_t rays_done_before = 0;  ///< of all rays, those that earlier starts have traced
    double rays_per_second = 0.0;       ///< of all ranks together, in this start
    double peak_rss_mb = 0.0;           ///< largest resident memory of rank 0, 1e6 bytes
};

/// Sums of the energy terms over all heliostats, W.
EnergyTerms total_energy(const RunResult& result);

/// Power on all targets, W.
double power_on_targets(const RunResult& result);

/// The target with the largest peak flux; null without targets that store one.
const TargetResult* target_with_peak(const RunResult& result);

/// Largest peak flux on any target, W/m2; 0 without targets.
double peak_on_targets(const RunResult& result);

/// The target of this name; null where nobody aims at it.
const TargetResult* find_target(const RunResult& result, const std::string& name);

/// A warning for users about a run that did not reach its accuracy; else empty.
std::optional<std::string> accuracy_warning(const RunResult& result);

/// Sets the peak with its error, area and pixel, and centroid_m, from flux, flux_std_error and
/// shared_noise; the /// centroid of an empty map is the middle of the target's surface.
void add_map_statistics(TargetResult& result);

}  // namespace helioray

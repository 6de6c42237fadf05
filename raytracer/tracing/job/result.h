// SPDX-License-Identifier: MIT
// The outcome of a run: flux maps, energy terms and provenance. These are plain structs between the
// tracer and its outputs.
#pragma once

#include "raytracer/tracing/job/peak_flux.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Light that meets the front of a surface, from mirrors and after reflections.
struct IncidentLight {
    std::vector<double> flux;               ///< W/m2, in the pixels of TargetResult::flux
    std::vector<double> flux_std_error;     ///< standard error of each pixel, W/m2
    double power_w = 0.0;                   ///< W
    double power_std_error_w = 0.0;         ///< standard error of power_w, W
    double peak_flux_w_m2 = 0.0;            ///< see TargetResult::peak_flux_w_m2
    double peak_flux_std_error_w_m2 = 0.0;  ///< see TargetResult::peak_flux_std_error_w_m2
};

/// Flux on one target. Arrays are [height, width] in row-major order; row 0 is the top and column 0
/// the left edge for an observer who faces the target.
struct TargetResult {
    Target target;              ///< target as the scenario describes it
    int64_t width = 0;          ///< pixels
    int64_t height = 0;         ///< pixels
    std::string unit = "W/m2";  ///< unit of flux; model artist: "1" or "W"
    std::vector<double> flux;   ///< [height * width]
    /// Standard error of each pixel, one standard deviation, [height * width] in the unit of flux.
    /// 0 for model artist; empty if unknown.
    std::vector<double> flux_std_error;
    SharedNoise shared_noise;  ///< noise shared by neighbouring pixels; not in the file
    /// Map of noise alone, with the distribution of the noise of flux and independent of it; empty
    /// if unknown. Not in the file.
    std::vector<double> flux_noise;
    /// Power on the surface, W; for unit "1" the sum of the map. Like the flux, it is absorbed
    /// power if `incident` is set, otherwise incident power.
    double power_w = 0.0;
    /// Standard error of power_w, W, one standard deviation; 0 for model artist.
    double power_std_error_w = 0.0;
    /// Largest flux without noise, in the unit of flux; see estimate_peak(). The peak, its error
    /// and its area are NaN if the file does not store them.
    double peak_flux_w_m2 = 0.0;
    /// Standard error of the peak, unit of flux, one standard deviation; 0 for artist.
    double peak_flux_std_error_w_m2 = 0.0;
    double peak_area_m2 = 0.0;     ///< area over which the peak is measured, m2
    double peak_pixel_w_m2 = 0.0;  ///< largest value of flux, in its unit; noise raises it
    Vec3 centroid_m{};             ///< flux-weighted mean of the surface's points, metres, ENU
    /// Light on a surface that absorbs a part of it, before absorption. Not set for others, whose
    /// flux and power are incident.
    std::optional<IncidentLight> incident;
};

/// Returns the centre of pixel `index` of `count` pixels that tile `extent` metres, in metres from
/// the middle of the extent. Columns count to the right and rows downwards, since row 0 is the top.
inline double pixel_centre(int64_t index, int64_t count, double extent) {
    return ((static_cast<double>(index) + 0.5) / static_cast<double>(count) - 0.5) * extent;
}

/// Energy terms of one heliostat in W. solar = cosine + shading + reflection + blocking +
/// attenuation + spillage + shield + escape + reflected_shield + bounce_limit + secondary + target.
struct EnergyTerms {
    double solar_power = 0.0;   ///< direct normal irradiance times mirror area
    double cosine_loss = 0.0;   ///< power not received because the mirror is tilted against the sun
    double shading_loss = 0.0;  ///< stopped by mirrors and obstacles between sun and mirror
    /// Power not reflected: 1 - reflectivity of the power that reaches the mirror.
    double reflection_loss = 0.0;
    double blocking_loss = 0.0;     ///< stopped by mirrors and obstacles between mirror and target
    double attenuation_loss = 0.0;  ///< absorbed or scattered by the air between mirror and target
    double spillage_loss = 0.0;     ///< power that passes beside the target's lit surface
    /// Power on the target's lit surface: incident, or where a surface of a receiver has an
    /// absorptance, absorbed.
    double target_power = 0.0;
    /// Power that first meets a shield or the back of a receiver's surface.
    double shield_loss = 0.0;
    double escape_loss = 0.0;  ///< reflected by the receiver's surfaces, and leaves it
    /// Reflected by the receiver's surfaces onto a shield or the back of a surface.
    double reflected_shield_loss = 0.0;
    double bounce_limit_loss = 0.0;  ///< reflected as many times as is followed, and left then
    double secondary_loss = 0.0;     ///< absorbed by mirrors among the receiver's surfaces
};

/// Name, description and member of one energy term.
struct EnergyTermInfo {
    const char* name;             ///< "solar_power"
    const char* description;      ///< one sentence
    double EnergyTerms::*member;  ///< member that holds its value
    /// Only plants with receivers of several surfaces have the term; it is 0 for others, whose
    /// files and tables leave it out.
    bool is_of_receivers = false;
    /// Only plants whose receivers reflect light have the term; it is one of is_of_receivers.
    bool is_of_reflection = false;
    /// Only plants with mirrors among the surfaces of receivers have the term; it is one of
    /// is_of_reflection.
    bool is_of_mirrors = false;
};
/// Returns all terms, from the sun to the target, in the order in which they are written and
/// printed.
const std::vector<EnergyTermInfo>& energy_term_infos();

/// Returns the terms that a plant has: with receivers of several surfaces or without, whose
/// surfaces reflect light or not, and with or without mirrors among them.
std::vector<EnergyTermInfo> energy_terms_of(bool has_receivers,
                                            bool has_reflection,
                                            bool has_mirrors);

/// Returns true if a table with these sums over all its rows shows the term: always, or only if it
/// is not 0.
inline bool is_shown(const EnergyTermInfo& term, const EnergyTerms& total) {
    return !term.is_of_receivers || total.*term.member != 0.0;
}

/// The energy balance of one heliostat, and its orientation.
struct HeliostatResult {
    std::string name;    ///< as in the scenario
    std::string target;  ///< name of the target it serves
    EnergyTerms energy;  ///< W, or the unit of energy_unit()
    /// Energy lost to the target while flux limits kept the heliostat off, in the unit of `energy`.
    /// Only set for annual results; not included in `energy`.
    double defocus_loss = 0.0;
    double soiling_loss = 0.0;  ///< energy that soiling took from the target; as defocus_loss
    double outage_loss = 0.0;   ///< energy lost to the target during outages; as defocus_loss
    double target_power_std_error = 0.0;      ///< standard error of energy.target_power, W
    std::array<double, 16> orientation{};     ///< 4 x 4 row-major: mirror frame to ENU
    std::array<double, 2> motor_positions{};  ///< steps (linear) or radians (ideal)
    Vec3 aim_point{};                         ///< metres, ENU
    /// Corners of the mirror in its own frame, metres, anticlockwise for an observer in front of
    /// the mirror. Empty if unknown (files of earlier versions).
    std::optional<std::array<Vec3, 4>> mirror_outline;
    int64_t rays = 0;  ///< number of rays that started on the mirror
    /// Fraction of the power that the mirror reflects, with its soiling; 0 if unknown.
    double reflectivity = 0.0;
    std::vector<float> flux;  ///< [height * width] W/m2, only with output.per_heliostat
};

/// Versions, inputs and devices that produced a result.
struct Provenance {
    std::string helioray_version;  ///< "0.1.0"
    std::string git_commit;        ///< commit of the sources the program was built from
    std::string created;           ///< UTC, ISO 8601
    std::string config;            ///< YAML text after overrides
    /// Folder to which the paths of input files in `config` are relative; empty in files of earlier
    /// versions.
    std::string config_folder;
    std::string scenario_file;    ///< path, as the run resolved it
    std::string scenario_sha256;  ///< SHA-256 of the file's bytes, hex
    uint64_t seed = 0;            ///< seed of the random numbers
    int64_t rays = 0;             ///< rays traced by all heliostats and ranks
    int64_t world_size = 1;       ///< number of ranks
    std::string backend;          ///< "none", "gloo" or "nccl"
    std::string device;           ///< "cpu" or "cuda:0"
    std::string launcher;         ///< "single", "torchrun", ...
    std::string fingerprint;      ///< see fingerprint() of trace_job.h
    Vec3 sun_direction{};         ///< unit vector to the sun, ENU
    /// Instruction set of the CPU kernels, "avx512"; empty if they did not trace (CUDA, model
    /// artist) or in files of earlier versions.
    std::string instruction_set;
    /// Temperature of the air, °C; not set if it is not known.
    std::optional<double> temperature_c = {};
};

/// Outcome of a run with a requested accuracy.
struct AccuracyReport {
    double wanted = 0.0;   ///< requested relative standard error of every target's power or peak
    double reached = 0.0;  ///< largest relative standard error; 0 if no target received power
    std::string target;    ///< target with this error; empty if no target received power
    int64_t rays_per_heliostat = 0;       ///< rays traced per heliostat
    int64_t most_rays_per_heliostat = 0;  ///< upper limit of the rays per heliostat of this run
    AccuracyOf of = AccuracyOf::power;    ///< quantity of each target that shall be accurate

    /// Returns true if the power or peak of every target is as accurate as requested.
    bool is_reached() const { return reached <= wanted; }
};

/// Results of a run, with their provenance and timing.
struct RunResult {
    Provenance provenance;  ///< filled in part by the tracer, completed by the program
    std::string step;       ///< label of the step in a series; not in the file
    /// Set if the configuration requests an accuracy; not in the file.
    std::optional<AccuracyReport> accuracy;
    std::vector<TargetResult> targets;  ///< targets that are aimed at, in the scenario's order
    std::vector<HeliostatResult> heliostats;  ///< active heliostats in the scenario's order
    /// Relative standard error of each heliostat's target_power_std_error; 0 if unknown (model
    /// artist, files of earlier versions). The relative standard error of the targets' standard
    /// errors is smaller, as it averages over the heliostats.
    double error_uncertainty = 0.0;

    // Timing and memory of the run. They are not part of the result file.
    double trace_seconds = 0.0;         ///< from the first ray to the sums of all ranks
    double total_seconds = 0.0;         ///< from the start of the program to the written files
    std::int64_t rays_done_before = 0;  ///< rays that earlier starts of the same run have traced
    double rays_per_second = 0.0;       ///< rays per second of all ranks together, in this start
    double peak_rss_mb = 0.0;           ///< largest resident memory of rank 0, 1e6 bytes
};

/// Light on a receiver of several surfaces.
struct ReceiverResult {
    std::string name;                   ///< name of the receiver
    std::vector<std::size_t> surfaces;  ///< indices in RunResult::targets, by name
    double power_w = 0.0;  ///< power on its absorbing surfaces, W; see TargetResult::power_w
    /// Standard error of power_w, W, one standard deviation, for independent surfaces. Their errors
    /// are correlated negatively, as a ray meets one of them, so that the true error is smaller.
    double power_std_error_w = 0.0;
    double peak_flux_w_m2 = 0.0;  ///< largest peak of its absorbing surfaces, in their unit
    /// Power that meets the fronts of its absorbing surfaces, W: that of its light again after
    /// every reflection. Equal to power_w if they reflect nothing.
    double incident_power_w = 0.0;
    /// Largest peak of the incident flux, in its unit; equal to peak_flux_w_m2 if they reflect
    /// nothing.
    double incident_peak_flux_w_m2 = 0.0;
};

/// Returns the light on all receivers of the result, by name.
std::vector<ReceiverResult> receiver_results(const RunResult& result);

/// Returns true if a target of the result is the surface of a receiver.
bool has_receivers(const RunResult& result);

/// Returns true if a target of the result absorbs a part of the light and reflects the rest.
bool has_reflection(const RunResult& result);

/// Returns true if a surface of a receiver is a mirror.
bool has_mirrors(const RunResult& result);

/// Returns the energy terms of the plant of a result; see EnergyTermInfo.
std::vector<EnergyTermInfo> energy_terms_of(const RunResult& result);

/// Returns the sums of the energy terms over all heliostats, W.
EnergyTerms total_energy(const RunResult& result);

/// Returns the power on all targets except shields, W.
double power_on_targets(const RunResult& result);

/// Returns the target, except shields, with the largest peak flux; null without targets that store
/// one.
const TargetResult* target_with_peak(const RunResult& result);

/// Returns the largest peak flux on any target, W/m2; 0 without targets.
double peak_on_targets(const RunResult& result);

/// Returns the target of this name; null if no heliostat aims at it.
const TargetResult* find_target(const RunResult& result, const std::string& name);

/// Returns a warning for users about a run that did not reach its accuracy, or nothing if it did.
std::optional<std::string> accuracy_warning(const RunResult& result);

/// Sets peak, error, area, pixel and centroid_m of a target from flux, flux_std_error,
/// shared_noise and flux_noise. The centroid of an empty map is the middle of the target's surface.
void add_map_statistics(TargetResult& result);

}  // namespace helioray

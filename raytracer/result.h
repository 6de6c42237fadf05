// SPDX-License-Identifier: MIT
// The outcome of a run: flux maps, energy terms and provenance. Plain data between the tracer and
// its outputs.
#pragma once

#include "scenario/types.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Flux on one target. Arrays are [height, width] row-major, row 0 = top, column 0 = left edge for
/// an observer facing it.
struct TargetResult {
    Target target;
    int64_t width = 0;                   ///< pixels
    int64_t height = 0;                  ///< pixels
    std::string unit = "W/m2";           ///< of flux; model artist: "1" or "W"
    std::vector<double> flux;            ///< [height * width]
    std::vector<double> flux_std_error;  ///< [height * width]; same unit as flux
    double power_w = 0.0;
    double power_std_error_w = 0.0;
    double peak_flux_w_m2 = 0.0;
    Vec3 centroid_m{};  ///< flux-weighted mean position on the target's surface, ENU
};

/// Extent of a target's (unrolled) surface in metres: width, height. Cylinder width = radius *
/// opening angle.
std::array<double, 2> surface_extent(const Target& target);

/// Energy terms of one heliostat in W. solar = cosine + shading + reflection + blocking +
/// attenuation + spillage + target.
struct EnergyTerms {
    double solar_power = 0.0;
    double cosine_loss = 0.0;
    double shading_loss = 0.0;
    double reflection_loss = 0.0;
    double blocking_loss = 0.0;
    double attenuation_loss = 0.0;
    double spillage_loss = 0.0;
    double target_power = 0.0;
};

/// Name and member of every energy term, in the order they are written and printed.
struct EnergyTermInfo {
    const char* name;         ///< "solar_power"
    const char* description;  ///< one sentence
    double EnergyTerms::*member;
};
const std::vector<EnergyTermInfo>& energy_term_infos();

/// What became of the light on one heliostat, and how the heliostat stood.
struct HeliostatResult {
    std::string name;
    std::string target;
    EnergyTerms energy;
    double target_power_std_error = 0.0;      ///< W
    std::array<double, 16> orientation{};     ///< 4 x 4 row-major: mirror frame to ENU
    std::array<double, 2> motor_positions{};  ///< steps or radians
    Vec3 aim_point{};                         ///< metres, ENU
    /// Corners of the mirror in its own frame, metres, anticlockwise for who stands before it;
    /// nothing when it is unknown (files of earlier versions).
    std::optional<std::array<Vec3, 4>> mirror_outline;
    int64_t rays = 0;
    std::vector<float> flux;  ///< [height * width] W/m2, only with output.per_heliostat
};

/// Where and how a result was made.
struct Provenance {
    std::string helioray_version;
    std::string git_commit;
    std::string created;  ///< UTC, ISO 8601
    std::string config;   ///< YAML text after overrides
    std::string scenario_file;
    std::string scenario_sha256;  ///< hex
    uint64_t seed = 0;
    int64_t rays = 0;
    int64_t world_size = 1;
    std::string backend;   ///< "none", "gloo" or "nccl"
    std::string device;    ///< "cpu" or "cuda:0"
    std::string launcher;  ///< "single", "torchrun", ...
    std::string fingerprint;
    Vec3 sun_direction{};  ///< unit vector to the sun, ENU
};

/// How a run went that was to reach an accuracy.
struct AccuracyReport {
    double wanted = 0.0;             ///< standard error of every target's power, as a share of it
    double reached = 0.0;            ///< the largest one; 0 when no target received power
    std::string target;              ///< whose it is; empty when no target received power
    int64_t rays_per_heliostat = 0;  ///< as traced
    int64_t most_rays_per_heliostat = 0;  ///< the upper limit of this run

    bool is_reached() const { return reached <= wanted; }
};

/// Everything that a run found, and how it was made.
struct RunResult {
    Provenance provenance;
    std::string step;  ///< of a series: which step this is, as text; not in the file
    std::optional<AccuracyReport> accuracy;  ///< where an accuracy was asked for; not in the file
    std::vector<TargetResult> targets;
    std::vector<HeliostatResult> heliostats;

    // Timing and memory of the run; not part of the result file.
    double trace_seconds = 0.0;
    double total_seconds = 0.0;
    double rays_per_second = 0.0;
    double peak_rss_mb = 0.0;
};

}  // namespace helioray

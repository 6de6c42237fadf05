// SPDX-License-Identifier: MIT
// File format for one finished sun position of a year with chosen aim points.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/tracing/job/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Result of the field at one sun position and one irradiance.
struct AimedLevel {
    double dni = 0.0;                  ///< Direct normal irradiance, W/m2
    double center_power = 0.0;         ///< Power on all targets with strategy center, W
    std::vector<EnergyTerms> energy;   ///< Energy terms per heliostat [N], W
    std::vector<double> defocus_loss;  ///< Defocus loss per heliostat [N], W
    /// Standard error of the power on the target per heliostat [N], W
    std::vector<double> target_power_std_error;
    int64_t rays = 0;  ///< Number of rays in the verifying trace; 0 if that is the trace of center
    /// Fingerprint of the verifying trace; empty if that is the trace of center
    std::string fingerprint;
};

/// Results at one sun position.
struct AimedPosition {
    std::vector<AimedLevel> levels;  ///< Results in ascending order of irradiance
    bool is_limited = false;  ///< True if strategy center exceeds a limit at the highest irradiance
    /// Largest ratio of flux to limit over all levels; not set without limits
    std::optional<double> worst_limit_share;
    double worst_limit_share_std_error = 0.0;  ///< Standard error of `worst_limit_share`
    std::string violation;  ///< Message about violated limits; empty if all limits are kept
};

/// Writes the position together with the run of strategy center, as a part of a series. The write
/// is atomic. Throws std::runtime_error with the file name.
void write_position(const AimedPosition& position,
                    const RunResult& center,
                    const SeriesStep& facts,
                    const std::filesystem::path& path);

/// Reads a file of write_position(). num_heliostats: number of heliostats of the run. Throws
/// InputError if the file is damaged.
AimedPosition read_position(const std::filesystem::path& path, size_t num_heliostats);

}  // namespace helioray

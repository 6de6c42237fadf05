// SPDX-License-Identifier: MIT
// A finished sun position of a year with chosen aim points.
#pragma once

#include "raytracer/job/result.h"
#include "raytracer/results/series.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::aiming {

/// What a field does at one position of the sun and one irradiance.
struct AimedLevel {
    double dni = 0.0;                            ///< W/m2
    double center_power = 0.0;                   ///< W on all targets with strategy center
    std::vector<EnergyTerms> energy;             ///< [N] W
    std::vector<double> defocus_loss;            ///< [N] W
    std::vector<double> target_power_std_error;  ///< [N] W
    int64_t rays = 0;         ///< of the verifying trace; 0 where that is the trace of center
    std::string fingerprint;  ///< of it; empty where that is the trace of center
};

/// What is known of one position of the sun.
struct AimedPosition {
    std::vector<AimedLevel> levels;  ///< by ascending irradiance
    bool is_limited = false;         ///< strategy center exceeds a limit at the highest irradiance
    std::optional<double> worst_limit_share;   ///< of all levels; nothing without limits
    double worst_limit_share_std_error = 0.0;  ///< of it
    std::string violation;                     ///< empty: all limits are kept
};

/// Writes the position beside the run of strategy center, as a part of a series. Completely or not
/// at all; throws std::runtime_error naming the file.
void write_position(const AimedPosition& position,
                    const RunResult& center,
                    const SeriesStep& facts,
                    const std::filesystem::path& path);

/// Reads it back. num_heliostats: of the run. Throws InputError for a damaged file.
AimedPosition read_position(const std::filesystem::path& path, size_t num_heliostats);

}  // namespace helioray::aiming

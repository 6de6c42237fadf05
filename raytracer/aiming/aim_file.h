// SPDX-License-Identifier: MIT
// Files of chosen aim points: the table that aim.file reads, and the result of the verifying run.
#pragma once

#include "raytracer/aiming/aim_series.h"
#include "raytracer/results/run_parts.h"
#include "raytracer/results/series.h"
#include "scenario/files/output_files.h"
#include "scenario/run_config.h"

#include <filesystem>
#include <vector>

namespace helioray::aiming {

/// Checks before any work that these files can be written, and that the configuration reads none of
/// them. Throws InputError as check_outputs().
void check_aim_outputs(const std::vector<OutputFile>& outputs, const RunConfig& config);

/// Writes CSV with the columns name, target, east, north, up (metres) and active, a row for each
/// heliostat of the scenario in its order; numbers keep their exact value. Heliostats that the
/// configuration leaves out have their default aim points and are not active, so that the file is
/// all that section aim needs; those with motor positions have no row. Completely or not at all;
/// throws std::runtime_error naming the file.
void write_aims(const AimingResult& result,
                const RunConfig& config,
                const Scenario& scenario,
                const std::filesystem::path& path);

/// The same for all steps of a series, with one more column: time, or step (from 0) where a
/// position of the sun has no time.
void write_aims(const AimSeries& series,
                const RunConfig& config,
                const Scenario& scenario,
                const std::filesystem::path& path);

/// Writes the verifying run as write_result() does, and beside it the group aiming: points of all
/// heliostats, flux before, limits and prices of all targets. Completely or not at all; throws
/// std::runtime_error naming the file.
void write_aiming_result(const AimingResult& result,
                         const Scenario& scenario,
                         const std::filesystem::path& path);

/// Writes a step of a series: what write_aiming_result() writes, and the step's position of the
/// sun, so that write_series() joins such files. facts.trace_seconds: that choosing has taken.
void write_aiming_part(const AimingResult& result,
                       const SeriesStep& facts,
                       const Scenario& scenario,
                       const std::filesystem::path& path);

/// Reads what write_aiming_part() wrote, but for the flux before. config: of this step. Returns the
/// seconds that choosing has taken. Throws InputError for a file that is damaged or not of this
/// configuration.
double read_aiming_part(const std::filesystem::path& path,
                        const RunConfig& config,
                        const Scenario& scenario,
                        AimingResult& result);

/// Beside a step's part, the result of the aim points of the step before.
std::filesystem::path part_before(const RunParts& parts, size_t step);

}  // namespace helioray::aiming

// SPDX-License-Identifier: MIT
// Files with chosen aim points: the table that aim.file reads, and the result of the verifying run.
#pragma once

#include "raytracer/results/series/run_parts.h"
#include "raytracer/results/series/series.h"
#include "raytracer/solvers/aiming/aim_series.h"
#include "scenario/files/columns.h"
#include "scenario/files/output_files.h"
#include "scenario/types/run_config.h"

#include <filesystem>
#include <vector>

namespace helioray::aiming {

/// Returns the numbers of a result that --json also prints for each step of a series.
const Columns<AimingResult>& aiming_step_columns();

/// Returns the numbers of a result that its file has as attributes of the group aiming and that
/// --json prints: aiming_step_columns() and others.
const Columns<AimingResult>& aiming_columns();

/// Checks before any computation that these files can be written and that the configuration does
/// not read them. Throws InputError like check_outputs().
void check_aim_outputs(const std::vector<OutputFile>& outputs, const RunConfig& config);

/// Writes a CSV file with the columns name, target, east, north, up (metres) and active, one row
/// per heliostat in the scenario's order. Numbers keep their exact values. Heliostats that the
/// configuration excludes are written with their default aim points as not active, so that section
/// aim needs no other file. Heliostats with motor positions have no row. The write is atomic.
/// Throws std::runtime_error with the file name.
void write_aims(const AimingResult& result,
                const RunConfig& config,
                const Scenario& scenario,
                const std::filesystem::path& path);

/// Writes the aim points of all steps of a series, with one more column: time, or step (from 0) if
/// a sun position has no time.
void write_aims(const AimSeries& series,
                const RunConfig& config,
                const Scenario& scenario,
                const std::filesystem::path& path);

/// Writes the verifying run like write_result(), and adds the group aiming with the points of all
/// heliostats, the flux before, and the limits and prices of all targets. The write is atomic.
/// Throws std::runtime_error with the file name.
void write_aiming_result(const AimingResult& result,
                         const Scenario& scenario,
                         const std::filesystem::path& path);

/// Writes one step of a series: the content of write_aiming_result() and the step's sun position,
/// so that write_series() can join such files. facts.trace_seconds: time spent on choosing, s.
void write_aiming_part(const AimingResult& result,
                       const SeriesStep& facts,
                       const Scenario& scenario,
                       const std::filesystem::path& path);

/// Reads a file of write_aiming_part() except for the flux before. config: configuration of this
/// step. Returns the seconds spent on choosing. Throws InputError if the file is damaged or belongs
/// to another configuration.
double read_aiming_part(const std::filesystem::path& path,
                        const RunConfig& config,
                        const Scenario& scenario,
                        AimingResult& result);

/// Returns the path of the file next to a step's part with the result of the previous step's aim
/// points.
std::filesystem::path part_before(const RunParts& parts, size_t step);

}  // namespace helioray::aiming

// SPDX-License-Identifier: MIT
// Output of runs and series: tables for users, one JSON object for programs.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/studies/annual/annual.h"
#include "raytracer/tracing/job/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace helioray::aiming {
struct AimingResult;
struct AimSeries;
}  // namespace helioray::aiming

namespace helioray::sweep {
struct StoredSweep;
struct SweepTable;
}  // namespace helioray::sweep

namespace helioray {

struct EfficiencyTable;

/// Files that a run wrote.
struct OutputFiles {
    std::optional<std::filesystem::path> result;  ///< HDF5 file; empty if none was written
    std::optional<std::filesystem::path> image;   ///< picture; empty if none was drawn
    std::optional<std::filesystem::path> aims;    ///< aim points (CSV); empty if none were chosen
    std::optional<std::filesystem::path> report;  ///< web page; empty if none was written
};

/// Returns a table of the targets: power and its standard error, peak flux, centroid. Bitmaps in
/// ARTIST's units have sum and peak in these.
std::string targets_table(const RunResult& result);

/// Returns a table of the field's energy terms in kW and per cent of solar power; empty if they are
/// unknown.
std::string energy_table(const RunResult& result);

/// Returns the device; for the CPU with the instruction set of its kernels: "cpu (avx512)".
std::string device_text(const Provenance& provenance);

/// Returns the report at the end of a run: targets, energy, rays and times, device, fingerprint,
/// files. Except for long paths it is at most 100 columns wide. It ends with a line feed.
std::string summary_text(const RunResult& result, const OutputFiles& files = {});

/// Returns the object of `--json`: fingerprint, rays, rays_per_second, trace_seconds,
/// total_seconds, peak_rss_mb, world_size, backend, device, instruction_set (null if the CPU
/// kernels did not trace), launcher, output (null without a file), warnings (a list of texts),
/// rays_per_heliostat and relative_error_reached (if an accuracy was requested),
/// targets.NAME.{power_w, power_std_error_w, peak_flux_w_m2, peak_flux_std_error_w_m2,
/// peak_area_m2, peak_pixel_w_m2, centroid_m}, energy.TERM in W. Numbers that are not finite become
/// null in the text. Names come from files and may not be UTF-8.
nlohmann::json summary_json(const RunResult& result, const OutputFiles& files = {});

/// Returns tables of provenance, targets, energy and heliostats. Except for paths they are at most
/// 100 columns wide. They list at most `max_heliostats` heliostats, those with the most power
/// first; 0 lists all. The text ends with a line feed.
std::string describe_result(const RunResult& result, std::size_t max_heliostats = 20);

/// Returns one line per step: position, irradiance, power on all targets, efficiency of the field.
/// There are at most `max_steps` lines; 0 lists all.
std::string steps_table(const SeriesResult& series, std::size_t max_steps = 100);

/// Returns the report at the end of a series: steps, targets, rays and times, fingerprint, files.
std::string series_text(const SeriesResult& series, const OutputFiles& files);

/// Returns the text of `helioray info` about a series; `step` is the result of one of its steps.
std::string describe_series(const SeriesResult& series, const RunResult& step);

/// Returns the object of `--json` for a series. It has the members of a single run (see
/// summary_json()), with arrays of one entry per step below `targets` and `energy`; in addition
/// num_steps, steps_done_before and series.{time, azimuth_deg, elevation_deg, dni_w_m2,
/// sun_direction, rays, fingerprint, trace_seconds}.
nlohmann::json series_json(const SeriesResult& series, const OutputFiles& files);

/// Returns a list of the effects that the yield of a year does not include.
std::string not_modelled(const AnnualYield& yield);

/// Returns the strategy of a year's aim points and its cost; empty for the default aim points.
std::string aim_points_of_year(const AnnualYield& yield);

/// Returns a table of the heliostats with the most energy.
std::string annual_heliostats(const AnnualYield& yield, std::size_t max_heliostats = 20);

/// Returns the report about a year: light, energy terms, targets, months, errors.
std::string annual_text(const AnnualYield& yield);

/// Returns the object of `--json` for a year, with energies in J. If a strategy chose the aim
/// points, it also has aiming.{strategy, center_energy_j, limited_positions, limits_kept,
/// violation, worst_limit_share, worst_limit_share_std_error}.
nlohmann::json annual_json(const AnnualYield& yield);

/// Returns a table for users with the first variants of a sweep and the files; ends with a line
/// feed. `seconds` is the time since the start of the program.
std::string sweep_text(const sweep::SweepTable& table,
                       const std::filesystem::path& output,
                       double seconds);

/// Returns a table for users with the first variants of a stored sweep.
std::string stored_sweep_text(const sweep::StoredSweep& table);

/// Returns the object of `--json` for a sweep: variants [{vary.KEY, a number for each column of the
/// table, fingerprint}], done_before, seconds, output.
nlohmann::json sweep_json(const sweep::SweepTable& table,
                          const std::filesystem::path& output,
                          double seconds);

/// Returns the report about a table: efficiencies, errors, traced positions.
std::string efficiency_text(const EfficiencyTable& table);

/// Returns the object of `--json` for a table: fingerprint, grid, num_positions, rays, heliostats,
/// mirror_area_m2, land_area_m2, azimuth_deg [A], elevation_deg [E]; [A][E] efficiency, std_error,
/// interpolation_error; targets.
nlohmann::json efficiency_json(const EfficiencyTable& table);

/// Returns the report about chosen aim points: power and flux before and after, bound, limits and
/// their shadow price, heliostats turned off, times, files. `seconds` is the time for choosing.
std::string aiming_text(const aiming::AimingResult& result,
                        const OutputFiles& files,
                        double seconds);

/// Returns the object of `--json` for aim points. It has the members of the verifying run (see
/// summary_json()); in addition aims (file), power_w, power_std_error_w, power_before_w,
/// power_bound_w, gap, peak_flux_w_m2, peak_flux_before_w_m2, worst_limit_share,
/// worst_limit_share_std_error, worst_limit_place ("receiver", "shield of receiver"), shields
/// {name: {power_w, power_std_error_w, peak_flux_w_m2}}, limit_price_w_per_percent, limits_kept,
/// target_shares {name: {wanted, reached}}, shares_met, violation, heliostats_off, iterations,
/// traces, seconds. Members that do not apply are null.
nlohmann::json aiming_json(const aiming::AimingResult& result,
                           const OutputFiles& files,
                           double seconds);

/// Returns the report about a series of aim points: a line per step, sums, files.
std::string aim_series_text(const aiming::AimSeries& series,
                            const OutputFiles& files,
                            double seconds);

/// Returns the object of `--json` for a series of aim points: num_steps, steps_done_before, aims,
/// output, image, report, limits_kept, target_shares {name: {wanted, reached (an entry per step)}},
/// violation, heliostats, total_seconds, series_fingerprint; arrays with an entry per step of time
/// (null without), azimuth_deg, elevation_deg, dni_w_m2, and of the numbers of aiming_json():
/// power_w, power_std_error_w, power_bound_w, gap, peak_flux_w_m2, worst_limit_share,
/// worst_limit_share_std_error, heliostats_off, iterations, traces, seconds, fingerprint. Members
/// that do not apply are null.
nlohmann::json aim_series_json(const aiming::AimSeries& series,
                               const OutputFiles& files,
                               double seconds);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// What runs and series print: tables for people, one JSON object for programs.
#pragma once

#include "raytracer/annual/annual.h"
#include "raytracer/job/result.h"
#include "raytracer/results/series.h"

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
struct SweepTable;
}  // namespace helioray::sweep

namespace helioray {

struct EfficiencyTable;

/// Files that a run wrote.
struct OutputFiles {
    std::optional<std::filesystem::path> result;  ///< HDF5; nothing: none was written
    std::optional<std::filesystem::path> image;   ///< picture; nothing: none was drawn
    std::optional<std::filesystem::path> aims;    ///< aim points (CSV); nothing: none were chosen
    std::optional<std::filesystem::path> report;  ///< web page; nothing: none was written
};

/// Table of the targets: power and its standard error, peak flux, centroid. For bitmaps in ARTIST's
/// units: sum and peak in these.
std::string targets_table(const RunResult& result);

/// Table of the field's energy terms in kW and percent of solar power; empty when nothing is known.
std::string energy_table(const RunResult& result);

/// The device, on the CPU with the instruction set of its kernels: "cpu (avx512)".
std::string device_text(const Provenance& provenance);

/// The whole report at the end of a run, at most 100 columns wide but for long paths: targets,
/// energy, rays and times, device, fingerprint, files. Ends with a line feed.
std::string summary_text(const RunResult& result, const OutputFiles& files = {});

/// The object of `--json`: fingerprint, rays, rays_per_second, trace_seconds, total_seconds,
/// peak_rss_mb, world_size, backend, device, instruction_set (null where the CPU kernels did not
/// trace), launcher, output (null without a file), warnings (a list of texts),
/// rays_per_heliostat and relative_error_reached (where an accuracy was asked for),
/// targets.NAME.{power_w, power_std_error_w, peak_flux_w_m2, peak_flux_std_error_w_m2,
/// peak_area_m2, peak_pixel_w_m2, centroid_m}, energy.TERM in W. Numbers that are not finite become
/// null in the text. Names come from files and may not be UTF-8.
nlohmann::json summary_json(const RunResult& result, const OutputFiles& files = {});

/// Tables of provenance, targets, energy and heliostats, at most 100 columns wide but for paths.
/// At most `max_heliostats` heliostats are listed, those with the most power first; 0 lists all.
/// Ends with a line feed.
std::string describe_result(const RunResult& result, std::size_t max_heliostats = 20);

/// One line per step: position, irradiance, power on all targets, efficiency of the field. At most
/// `max_steps` lines; 0 lists all.
std::string steps_table(const SeriesResult& series, std::size_t max_steps = 100);

/// The report at the end of a run: steps, targets, rays and times, fingerprint, files.
std::string series_text(const SeriesResult& series, const OutputFiles& files);

/// The text of `helioray info` about a series.
std::string describe_series(const SeriesResult& series);

/// The object of `--json`: as that of a single run (summary_json), with arrays of one entry per
/// step below `targets` and `energy`; besides num_steps, steps_done_before and series.{time,
/// azimuth_deg, elevation_deg, dni_w_m2, sun_direction, rays, fingerprint, trace_seconds}.
nlohmann::json series_json(const SeriesResult& series, const OutputFiles& files);

/// What the yield of a year leaves out.
std::string not_modelled(const AnnualYield& yield);

/// The strategy of a year's aim points and its price; empty for the default aim points.
std::string aim_points_of_year(const AnnualYield& yield);

/// The heliostats with the most energy.
std::string annual_heliostats(const AnnualYield& yield, std::size_t max_heliostats = 20);

/// The report of a run: light, energy terms, targets, months, errors.
std::string annual_text(const AnnualYield& yield);

/// The object of `--json`; energies in J. Where a strategy chose the aim points also aiming.{
/// strategy, center_energy_j, limited_positions, limits_kept, violation, worst_limit_share,
/// worst_limit_share_std_error}.
nlohmann::json annual_json(const AnnualYield& yield);

/// Table of the first variants of a sweep and the files, as people read them; ends with a line
/// feed. seconds: from the start of the program.
std::string sweep_text(const sweep::SweepTable& table,
                       const std::filesystem::path& output,
                       double seconds);

/// The object of `--json`: variants [{vary.KEY, a number for each column of the table,
/// fingerprint}], done_before, seconds, output.
nlohmann::json sweep_json(const sweep::SweepTable& table,
                          const std::filesystem::path& output,
                          double seconds);

/// The report about a table: efficiencies, errors, what was traced.
std::string efficiency_text(const EfficiencyTable& table);

/// The object of `--json`: fingerprint, grid, num_positions, rays, heliostats, mirror_area_m2,
/// land_area_m2, azimuth_deg [A], elevation_deg [E]; [A][E] efficiency, std_error,
/// interpolation_error; targets.
nlohmann::json efficiency_json(const EfficiencyTable& table);

/// The report about chosen aim points: power and flux before and after, bound, limits and their
/// price, who was turned off, times, files. `seconds` that choosing has taken.
std::string aiming_text(const aiming::AimingResult& result,
                        const OutputFiles& files,
                        double seconds);

/// The object of `--json`: as that of the verifying run (summary_json); besides aims (file),
/// power_w, power_std_error_w, power_before_w, power_bound_w, gap, peak_flux_w_m2,
/// peak_flux_before_w_m2, worst_limit_share, worst_limit_share_std_error, worst_limit_place
/// ("receiver", "shield of receiver"), shields {name: {power_w, power_std_error_w,
/// peak_flux_w_m2}}, limit_price_w_per_percent, limits_kept, target_shares {name: {wanted,
/// reached}}, shares_met, violation, heliostats_off, iterations, traces, seconds. What does not
/// apply is null.
nlohmann::json aiming_json(const aiming::AimingResult& result,
                           const OutputFiles& files,
                           double seconds);

/// The report about a series of aim points: a line per step, sums, files.
std::string aim_series_text(const aiming::AimSeries& series,
                            const OutputFiles& files,
                            double seconds);

/// The object of `--json` of a series: num_steps, steps_done_before, aims, output, image, report,
/// limits_kept, target_shares {name: {wanted, reached (an entry per step)}}, violation, heliostats,
/// total_seconds, series_fingerprint; arrays with an entry per step of time (null without),
/// azimuth_deg, elevation_deg, dni_w_m2, and of the numbers of aiming_json(): power_w,
/// power_std_error_w, power_bound_w, gap, peak_flux_w_m2, worst_limit_share,
/// worst_limit_share_std_error, heliostats_off, iterations, traces, seconds, fingerprint. What does
/// not apply is null.
nlohmann::json aim_series_json(const aiming::AimSeries& series,
                               const OutputFiles& files,
                               double seconds);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// What a run prints: tables for people, one JSON object for programs.
#pragma once

#include "raytracer/result.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace helioray {

/// Files that a run wrote.
struct OutputFiles {
    std::optional<std::filesystem::path> result;  ///< HDF5; nothing: none was written
    std::optional<std::filesystem::path> image;   ///< picture; nothing: none was drawn
};

/// Sums of the energy terms over all heliostats, W.
EnergyTerms total_energy(const RunResult& result);

/// Table of the targets: power and its standard error, peak flux, centroid. For bitmaps in ARTIST's
/// units: sum and peak in these.
std::string targets_table(const RunResult& result);

/// Table of the field's energy terms in kW and percent of solar power; empty when nothing is known.
std::string energy_table(const RunResult& result);

/// The device, on the CPU with the instruction set of its kernels: "cpu (avx512)".
std::string device_text(const Provenance& provenance);

/// What users should know of a run that was to reach an accuracy and did not; else nothing.
std::optional<std::string> accuracy_warning(const RunResult& result);

/// The whole report at the end of a run, at most 100 columns wide but for long paths: targets,
/// energy, rays and times, device, fingerprint, files. Ends with a line feed.
std::string summary_text(const RunResult& result, const OutputFiles& files = {});

/// The object of `--json`: fingerprint, rays, rays_per_second, trace_seconds, total_seconds,
/// peak_rss_mb, world_size, backend, device, instruction_set (null where the CPU kernels did not
/// trace), launcher, output (null without a file),
/// rays_per_heliostat and relative_error_reached (where an accuracy was asked for),
/// targets.NAME.{power_w, power_std_error_w, peak_flux_w_m2, centroid_m}, energy.TERM in W.
/// Numbers that are not finite become null when it is dumped; dump with error_handler_t::replace,
/// since names come from files.
nlohmann::json summary_json(const RunResult& result, const OutputFiles& files = {});

}  // namespace helioray

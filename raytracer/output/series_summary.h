// SPDX-License-Identifier: MIT
// What a series prints: tables for people, one JSON object for programs.
#pragma once

#include "raytracer/output/summary.h"
#include "raytracer/series/series.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace helioray {

/// One line per step: position, irradiance, power on all targets, efficiency of the field. At most
/// `max_steps` lines; 0 lists all.
std::string steps_table(const SeriesResult& series, std::size_t max_steps = 100);

/// The report at the end of a run: steps, targets, rays and times, fingerprint, files.
std::string series_text(const SeriesResult& series, const OutputFiles& files);

/// What `helioray info` says of a series.
std::string describe_series(const SeriesResult& series);

/// The object of `--json`: as that of a single run (summary_json), with arrays of one entry per
/// step below `targets` and `energy`; besides num_steps, steps_done_before and series.{time,
/// azimuth_deg, elevation_deg, dni_w_m2, sun_direction, rays, fingerprint, trace_seconds}.
nlohmann::json series_json(const SeriesResult& series, const OutputFiles& files);

}  // namespace helioray

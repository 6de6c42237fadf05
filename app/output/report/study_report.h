// SPDX-License-Identifier: MIT
// Writes sweeps and efficiency tables as self-contained web pages.
#pragma once

#include "raytracer/studies/efficiency/efficiency.h"
#include "raytracer/studies/sweep/sweep_reader.h"

#include <optional>
#include <string>

namespace helioray {

/// Returns a complete HTML document about a sweep: the best variants, graphs of efficiency and
/// power over every key with numbers, one curve for each combination of the other keys (of at most
/// six), and a table of the variants. Without `title`, `name` is the title.
std::string sweep_report(const sweep::StoredSweep& table,
                         const std::string& name,
                         const std::optional<std::string>& title = {});

/// Returns a complete HTML document about an efficiency table: efficiency over the sky, normalised
/// flux maps of chosen positions of the sun behind a slider, the matrix of efficiencies, the mean
/// losses, errors, configuration and provenance. Without `title`, the scenario file's name is the
/// title.
std::string efficiency_report(const EfficiencyTable& table,
                              const std::optional<std::string>& title = {});

}  // namespace helioray

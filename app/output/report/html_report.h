// SPDX-License-Identifier: MIT
// Writes a result or a year as one self-contained web page.
#pragma once

#include "raytracer/studies/annual/annual.h"
#include "raytracer/tracing/job/result.h"

#include <optional>
#include <string>

namespace helioray {

/// Returns a complete HTML document without any reference to other files or the network: headline
/// numbers, flux maps with cuts, the energy from the sun to the targets, an interactive field map
/// and table of heliostats, the configuration and the provenance of the result. It is light or dark
/// according to the reader's system, and printable. Without `title`, the scenario file's name is
/// the title. It takes about 400 bytes per heliostat besides the maps.
std::string html_report(const RunResult& result, const std::optional<std::string>& title = {});

/// Returns a complete HTML document like html_report() for a year: headline numbers, months, the
/// energy from the sun to the targets, field map and table of heliostats, configuration and
/// provenance. Without `title`, the scenario file's name is the title. `where` names the file in
/// messages. Throws InputError for a yield without a plan.
std::string annual_report(const AnnualYield& yield,
                          const std::optional<std::string>& title,
                          const std::string& where);

}  // namespace helioray

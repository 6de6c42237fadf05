// SPDX-License-Identifier: MIT
// A result, or a year, as one web page that needs no other file.
#pragma once

#include "raytracer/annual/annual.h"
#include "raytracer/job/result.h"

#include <optional>
#include <string>

namespace helioray {

/// A complete HTML document without any reference to other files or the network: headline numbers,
/// flux maps with cuts, the energy from the sun to the targets, an interactive field map and table
/// of heliostats, the configuration and how the result was made. Light or dark as the reader's
/// system is, and printable. Without `title`, the scenario file's name is the title. About 400
/// bytes per heliostat besides the maps.
std::string html_report(const RunResult& result, const std::optional<std::string>& title = {});

/// A complete HTML document as html_report() makes of a run: headline numbers, months, the energy
/// from the sun to the targets, field map and table of heliostats, configuration and origin.
/// Without `title`, the scenario file's name is the title. `where` names the file in messages.
/// Throws InputError for a yield without a plan.
std::string annual_report(const AnnualYield& yield,
                          const std::optional<std::string>& title,
                          const std::string& where);

}  // namespace helioray

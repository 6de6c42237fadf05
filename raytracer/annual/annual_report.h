// SPDX-License-Identifier: MIT
// A year as one web page that needs nothing but itself.
#pragma once

#include "raytracer/annual/annual.h"

#include <optional>
#include <string>

namespace helioray {

/// A complete HTML document as html_report() makes of a run: headline numbers, months, the energy
/// from the sun to the targets, field map and table of heliostats, configuration and origin.
/// `title`: nothing: the scenario file's name. `where` names the file in messages. Throws
/// InputError for a yield without a plan.
std::string annual_report(const AnnualYield& yield,
                          const std::optional<std::string>& title,
                          const std::string& where);

}  // namespace helioray

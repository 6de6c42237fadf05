// SPDX-License-Identifier: MIT
// The yield of a year as text and JSON.
#pragma once

#include "raytracer/annual/annual.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <string>

namespace helioray {

/// The heliostats with the most energy.
std::string annual_heliostats(const AnnualYield& yield, std::size_t max_heliostats = 20);

/// The report of a run: light, energy terms, targets, months, errors.
std::string annual_text(const AnnualYield& yield);

/// The object of `--json`; energies in J.
nlohmann::json annual_json(const AnnualYield& yield);

}  // namespace helioray

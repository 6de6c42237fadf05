// SPDX-License-Identifier: MIT
// The yield of a year as HDF5, CSV, table and JSON.
#pragma once

#include "raytracer/annual/annual.h"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace helioray {

/// Writes everything as HDF5 (format "helioray-annual"), completely or not at all.
void write_annual(const AnnualYield& yield, const std::filesystem::path& path);

/// Writes one row per heliostat: name, target, energy terms, errors and months in J. Completely or
/// not at all.
void write_annual_csv(const AnnualYield& yield, const std::filesystem::path& path);

/// The report of a run: light, energy terms, targets, months, errors.
std::string annual_text(const AnnualYield& yield);

/// The object of `--json`; energies in J.
nlohmann::json annual_json(const AnnualYield& yield);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// The yield of a year as HDF5, CSV, table and JSON.
#pragma once

#include "raytracer/annual/annual.h"
#include "raytracer/output/export_files.h"
#include "scenario/hdf5/group.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// Writes everything as HDF5 (format "helioray-annual"), completely or not at all.
void write_annual(const AnnualYield& yield, const std::filesystem::path& path);

/// Whether a file of this root holds the yield of a year.
bool is_annual(const hdf5::Group& root);

/// Reads what write_annual wrote; its notes are left out. Throws InputError for anything else.
AnnualYield read_annual(const std::filesystem::path& path);

/// Tables: heliostats.csv (a row per heliostat: name, target, energy terms, errors and months in J,
/// efficiency, place), months.csv (sun and energy of each month) and sky.csv (efficiency of the
/// field at the sun positions, and their weights). Numbers keep their exact value; unknown ones are
/// "nan".
std::vector<ExportFile> annual_csv_files(const AnnualYield& yield);

/// Writes heliostats.csv alone. Completely or not at all.
void write_annual_csv(const AnnualYield& yield, const std::filesystem::path& path);

/// The heliostats with the most energy.
std::string annual_heliostats(const AnnualYield& yield, std::size_t max_heliostats = 20);

/// The report of a run: light, energy terms, targets, months, errors.
std::string annual_text(const AnnualYield& yield);

/// The object of `--json`; energies in J.
nlohmann::json annual_json(const AnnualYield& yield);

}  // namespace helioray

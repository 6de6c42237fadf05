// SPDX-License-Identifier: MIT
// Writes efficiency tables in the formats of plant models.
#pragma once

#include "app/output/export/export_files.h"
#include "raytracer/studies/efficiency/efficiency.h"
#include "scenario/types/choices.h"
#include "scenario/types/range.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Valid fractions of the light that a receiver absorbs.
inline constexpr Range kAbsorptances{
    0.0, 1.0, true, false, "it is the share of the light that the receiver absorbs"};

/// Options for tables for SAM and SolarPILOT.
struct PlantModelOptions {
    std::string target;  ///< target of the table; empty: the only one
    /// Absorptance of the receiver, a factor of the efficiency; SAM's default.
    double absorptance = 0.94;
    /// Number of panels of the receiver, which must equal SAM's N_panels. Flux maps have as many
    /// columns, those of an external receiver at least 12.
    int panels = 20;
    std::optional<double> land_area;  ///< land area, m2; empty: that of the table
};

/// Returns the fraction of the light on each column of a receiver, in the order of SAM and
/// SolarPILOT. The sum is 1, even without light. Columns of a cylinder that is lit from outside
/// surround the axis from the south over the east. Each covers the same angle, even where a sector
/// has no surface. Columns of other targets go from left to right for an observer in front of the
/// target.
std::vector<double> receiver_columns(const EfficiencyTarget& target,
                                     std::size_t entry,
                                     std::size_t columns);

/// Returns the files for SAM's molten salt tower with a user-defined field (field_model_type 4):
/// sam.json with PySAM's names and values; eta_map.csv (azimuth from north clockwise, zenith,
/// efficiency; degrees) and flux_maps.csv for SAM's input windows, without headers; eta_errors.csv
/// with errors. Entries that the sun does not reach are left out. Throws InputError for numbers out
/// of range, and for a target that does not exist or has to be named.
std::vector<ExportFile> sam_files(const EfficiencyTable& table, const PlantModelOptions& options);

/// Returns SolarPILOT's files: efficiency_matrix.csv with elevations in the first row and azimuths
/// in the first column; the same matrix in Modelica's format as efficiency_matrix.txt with the name
/// `sf_eff_table`; efficiency.csv (azimuth, zenith, efficiency) and flux.csv with a row for each
/// entry. Azimuths count from south, east is negative. Throws InputError in the same cases as
/// sam_files().
std::vector<ExportFile> solarpilot_files(const EfficiencyTable& table,
                                         const PlantModelOptions& options);

/// Returns SolarTherm's tables (.motab): the field's efficiency `optics`, without the receiver's
/// absorptance, and every loss by declination (first column, 9 values) and hour angle (first row,
/// every 5 degrees); 0 while the sun is down. Below the lowest elevation of the table its lowest
/// entries apply. The target gives the receiver's size. Efficiency and power of the design are
/// those at noon of an equinox with 1000 W/m2. For SolarTherm's HeliostatsField.Optical.Table with
/// angles dec_hra, and Utilities.Metadata_Optics. Throws InputError in the same cases as
/// sam_files().
std::string solartherm_motab(const EfficiencyTable& table, const PlantModelOptions& options);

/// Formats of efficiency tables for other programs.
enum class PlantModel { sam, solarpilot, solartherm, netcdf };
/// Words for the formats.
inline const Choices<PlantModel> kPlantModels{{"sam", PlantModel::sam},
                                              {"solarpilot", PlantModel::solarpilot},
                                              {"solartherm", PlantModel::solartherm},
                                              {"netcdf", PlantModel::netcdf}};

/// Returns true if a format consists of several files in a folder.
bool is_folder(PlantModel model);

/// Writes the folder or the file of a format, completely or not at all, and returns all paths.
/// Throws InputError in the same cases as sam_files() and write_files().
std::vector<std::filesystem::path> write_plant_model(PlantModel model,
                                                     const EfficiencyTable& table,
                                                     const PlantModelOptions& options,
                                                     const std::filesystem::path& path);

}  // namespace helioray

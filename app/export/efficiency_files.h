// SPDX-License-Identifier: MIT
// Efficiency tables as plant models read them.
#pragma once

#include "app/export/export_files.h"
#include "raytracer/efficiency/efficiency.h"
#include "scenario/range.h"

#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Shares of a receiver's light that it absorbs.
inline constexpr Range kAbsorptances{
    0.0, 1.0, true, false, "it is the share of the light that the receiver absorbs"};

/// How tables for SAM and SolarPILOT are made.
struct PlantModelOptions {
    std::string target;         ///< whose light counts; empty: the only one
    double absorptance = 0.94;  ///< of the receiver, a factor of the efficiency; SAM's default
    /// Panels of the receiver, which SAM's N_panels has to repeat; flux maps have as many columns,
    /// of an external receiver at least 12.
    int panels = 20;
    std::optional<double> land_area;  ///< m2; nothing: that of the table
};

/// The columns of a receiver as SAM and SolarPILOT count them, each with its share of the light;
/// their sum is 1, also without light. Columns of a cylinder that is lit from outside surround the
/// axis from the south over the east, each with the same angle, also where a sector has no surface.
/// Those of other targets go from left to right as seen from in front of the target.
std::vector<double> receiver_columns(const EfficiencyTarget& target,
                                     std::size_t entry,
                                     std::size_t columns);

/// SAM's molten salt tower with a field model of its own (field_model_type 4): sam.json with
/// PySAM's names and values; eta_map.csv (azimuth from north clockwise, zenith, efficiency;
/// degrees) and flux_maps.csv for its windows, without headers; eta_errors.csv, with errors.
/// Entries that the sun does not reach are left out. Throws InputError for numbers out of range,
/// and for a target that is not there or has to be named.
std::vector<ExportFile> sam_files(const EfficiencyTable& table, const PlantModelOptions& options);

/// SolarPILOT's files: efficiency_matrix.csv, elevations in the first row, azimuths in the first
/// column; the same in Modelica's form as efficiency_matrix.txt with the name `sf_eff_table`;
/// efficiency.csv (azimuth, zenith, efficiency) and flux.csv with a row for each. Azimuths count
/// from south, east is negative. Throws as sam_files().
std::vector<ExportFile> solarpilot_files(const EfficiencyTable& table,
                                         const PlantModelOptions& options);

/// SolarTherm's tables (.motab): the field's efficiency `optics`, without the receiver's
/// absorptance, and every loss by declination (first column, 9 of them) and hour angle (first row,
/// every 5 degrees); 0 while the sun is down. Below the lowest elevation of the table its numbers
/// hold. The target gives the receiver's size; efficiency and power of the design are those of noon
/// at an equinox under 1000 W/m2. For SolarTherm's HeliostatsField.Optical.Table with angles
/// dec_hra, and Utilities.Metadata_Optics. Throws as sam_files().
std::string solartherm_motab(const EfficiencyTable& table, const PlantModelOptions& options);

}  // namespace helioray

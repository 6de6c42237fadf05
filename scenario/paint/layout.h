// SPDX-License-Identifier: MIT
// Files of the PAINT database by the layout of its folders.
#pragma once

#include "scenario/paint/paint.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace helioray {

/// A file that belongs to a heliostat.
struct PaintFile {
    std::string heliostat;       ///< name
    std::filesystem::path file;  ///< path, below the folder that was searched
};

/// Heliostats below a folder: every folder with a `Properties/*heliostat-properties*.json` (or such
/// a file in itself) is one and names it; of several files the last by name is taken, as names end
/// in dates. `<name>-heliostat-properties*.json` in the folder itself count too. Sorted by name.
/// Throws InputError when there is none.
std::vector<PaintHeliostat> find_paint_heliostats(const std::filesystem::path& folder);

/// Deflectometry below a folder, `<heliostat>/Deflectometry/*-deflectometry.h5` (or in
/// `<heliostat>`): one file of each of these heliostats that has any, "filled" ones before others,
/// then the last by name. Throws InputError when there is none at all.
std::vector<PaintFile> find_paint_deflectometry(const std::filesystem::path& folder,
                                                const std::vector<std::string>& heliostats);

/// All `<heliostat>/Calibration/*-calibration-properties.json` (or in `<heliostat>`) of these
/// heliostats. Throws InputError when there is none at all.
std::vector<PaintFile> find_paint_calibrations(const std::filesystem::path& folder,
                                               const std::vector<std::string>& heliostats);

/// The heliostat a file belongs to: the one that its name starts with ("AA39-filled-..."), else the
/// one that the nearest folder above it is called after. Throws InputError when there is none.
std::string paint_heliostat_of(const std::filesystem::path& file,
                               const std::vector<std::string>& heliostats);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// The yield of a year as an HDF5 file.
#pragma once

#include "raytracer/annual/annual.h"
#include "scenario/files/hdf5/file.h"

#include <filesystem>

namespace helioray {

/// Writes everything as HDF5 (format "helioray-annual"), completely or not at all.
void write_annual(const AnnualYield& yield, const std::filesystem::path& path);

/// Whether a file of this root holds the yield of a year.
bool is_annual(const hdf5::Group& root);

/// Reads the file of write_annual without its notes. Throws InputError for anything else.
AnnualYield read_annual(const std::filesystem::path& path);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// The one unsigned 64-bit attribute of result files: seeds use the whole range.
#pragma once

#include "scenario/hdf5/object.h"

#include <cstdint>
#include <string>

namespace helioray {

/// Writes a scalar uint64 attribute; InputError (as all of the HDF5 layer) when HDF5 fails.
void write_unsigned_attribute(const hdf5::Object& object,
                              const std::string& name,
                              std::uint64_t value);

/// Reads a scalar integer attribute as uint64.
std::uint64_t read_unsigned_attribute(const hdf5::Object& object, const std::string& name);

}  // namespace helioray

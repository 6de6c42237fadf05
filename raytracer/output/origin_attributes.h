// SPDX-License-Identifier: MIT
// What every file of the program says about its origin: version, configuration, scenario, seed,
// fingerprint.
#pragma once

#include "raytracer/result.h"
#include "scenario/hdf5/group.h"

namespace helioray {

/// Writes these attributes; InputError (as all of the HDF5 layer) when HDF5 fails.
void write_origin(hdf5::Group& root, const Provenance& provenance);

/// Reads them; the rest of the result is empty. InputError names what is missing or of another
/// kind.
Provenance read_origin(const hdf5::Group& root);

}  // namespace helioray

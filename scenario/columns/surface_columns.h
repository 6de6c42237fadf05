// SPDX-License-Identifier: MIT
// Mirrors in columns: surfaces, their facets, and the control points of these.
#pragma once

#include "scenario/files/hdf5/file.h"
#include "scenario/types/types.h"

#include <memory>
#include <vector>

namespace helioray::columns {

/// Writes the tables "surface" and "facet".
void write_surfaces(hdf5::Group& group,
                    const std::vector<std::shared_ptr<const Surface>>& surfaces);

/// Number of surfaces in the tables. Throws InputError where there is none.
std::size_t count_surfaces(const hdf5::Group& group);

/// Reads the surfaces for which `needed` is true; the others are null. Throws InputError as
/// read_scenario().
std::vector<std::shared_ptr<const Surface>> read_surfaces(const hdf5::Group& group,
                                                          const std::vector<bool>& needed);

}  // namespace helioray::columns

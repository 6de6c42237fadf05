// SPDX-License-Identifier: MIT
// Reads values on a grid from an HDF5 file: a dataset with its axes beside it.
#pragma once

#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/types/range.h"
#include "scenario/types/value_grid.h"

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Adds a problem for the first of `values`, in row-major order, that is not in the range.
void check_values(const std::vector<double>& values,
                  size_t columns,
                  const std::string& place,
                  const std::string& unit,
                  const Range& range,
                  std::vector<Problem>& problems);

/// Reads the dataset `name` [second axis, first axis] of a group. Its axes are datasets of the
/// group in metres, ascending, each with at least 2 numbers. `factor` converts from the file's unit
/// to `unit`, which is that of the range and of the result. Returns nothing and adds problems for
/// wrong shapes, axes that do not ascend, and values outside of the range. Throws InputError if an
/// object is not a dataset of numbers.
std::optional<ValueGrid> read_grid_dataset(const hdf5::Group& group,
                                           const std::string& name,
                                           const std::array<const char*, 2>& axes,
                                           double factor,
                                           const std::string& unit,
                                           const Range& range,
                                           std::vector<Problem>& problems);

}  // namespace helioray

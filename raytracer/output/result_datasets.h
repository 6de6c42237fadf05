// SPDX-License-Identifier: MIT
// Datasets of result files whose shape is known beforehand. Internal to the readers.
#pragma once

#include "scenario/hdf5/group.h"

#include <cstddef>
#include <string>
#include <vector>

namespace helioray {

/// Throws InputError that names the place and says that HelioRay did not write this.
[[noreturn]] void refuse_result(const std::string& where,
                                const std::string& what,
                                const std::string& why = {});

/// The numbers of a dataset, row by row. Throws InputError for another shape.
std::vector<double> read_shaped(const hdf5::Group& group,
                                const std::string& name,
                                const hdf5::Shape& shape);

/// `count` texts. Throws InputError for another number of them.
std::vector<std::string> read_texts(const hdf5::Group& group,
                                    const std::string& name,
                                    std::size_t count);

}  // namespace helioray

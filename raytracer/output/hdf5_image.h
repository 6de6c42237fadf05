// SPDX-License-Identifier: MIT
// HDF5 files made in memory.
#pragma once

#include "scenario/hdf5/group.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// The bytes of an HDF5 file that `fill` wrote. It never touches the disk: HDF5 does not survive a
/// disk that fills up while a file is open (it crashes when it closes what it could not store), so
/// complete images are written with plain system calls instead.
/// `name` is the file name in messages. Throws InputError (as all of the HDF5 layer) when HDF5
/// fails.
std::vector<std::byte> hdf5_image(const std::string& name,
                                  const std::function<void(hdf5::Group root)>& fill);

}  // namespace helioray

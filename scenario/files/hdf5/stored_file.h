// SPDX-License-Identifier: MIT
// New files that a disk without room does not crash. Internal to writers of results.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <filesystem>
#include <functional>
#include <string>

namespace helioray::hdf5 {

/// Creates the file `path` (or replaces one) and lets `fill` write into it; `name` is the file in
/// messages. HDF5's own drivers crash the process when they close a file that the disk had no room
/// for. This one writes as they do until the disk refuses, and then takes everything without
/// storing it, so that the file can be closed. Returns 0, or the errno of the first failure: then
/// the file is incomplete. Passes on what `fill` throws while nothing has failed.
int write_stored_file(const std::filesystem::path& path,
                      const std::string& name,
                      const std::function<void(Group root)>& fill);

/// Thrown by give_up_unless_stored(); write_stored_file() catches it.
struct NotStored {};

/// Ends `fill` early where the disk has refused something: for loops that write much.
void give_up_unless_stored();

}  // namespace helioray::hdf5

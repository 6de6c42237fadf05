// SPDX-License-Identifier: MIT
// Creates files in a way that does not crash when the disk is full. Internal to writers of results.
#pragma once

#include "scenario/files/hdf5/file.h"

#include <filesystem>
#include <functional>
#include <string>

namespace helioray::hdf5 {

/// Creates or replaces the file `path` and lets `fill` write into it; `name` is the name for
/// messages. HDF5's own drivers crash the process when they close a file for which the disk had no
/// space. This driver writes as they do until the disk refuses, and then discards all data, so that
/// the file can be closed. Returns 0, or the errno of the first failure: then the file is
/// incomplete. Rethrows exceptions of `fill` unless a write has failed.
int write_stored_file(const std::filesystem::path& path,
                      const std::string& name,
                      const std::function<void(Group root)>& fill);

/// Thrown by give_up_unless_stored(); write_stored_file() catches it.
struct NotStored {};

/// Ends `fill` early if the disk has refused a write. Loops that write large amounts call it.
void give_up_unless_stored();

}  // namespace helioray::hdf5

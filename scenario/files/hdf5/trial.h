// SPDX-License-Identifier: MIT
// Lets a child process read files before this process does. Internal.
#pragma once

#include <filesystem>

namespace helioray::hdf5 {

/// Enables try_file(). It is for processes that have to outlive a damaged file, such as Python's
/// interpreter, and costs as much as reading. The program does not use it: it may end with a
/// message.
void try_files_first();

/// Lets a child process read the file, because HDF5's library does not survive every damaged file.
/// A child that crashes, or spends several seconds of processor time on one object, does not affect
/// this process. Returns at once without try_files_first(), and for a file that is unchanged since
/// it was tried or written here. The child reads only the first 16 MiB of each dataset. Throws
/// InputError if the child does not survive.
void try_file(const std::filesystem::path& path);

/// Marks a complete file as written by this process, so that it is not tried.
void trust_file(const std::filesystem::path& path);

}  // namespace helioray::hdf5

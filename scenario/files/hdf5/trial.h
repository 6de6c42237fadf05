// SPDX-License-Identifier: MIT
// Files are tried by a child process before this one reads them. Internal.
#pragma once

#include <filesystem>

namespace helioray::hdf5 {

/// From now on try_file() tries files: for processes that have to outlive a damaged one, as
/// Python's interpreter. It costs as much as reading. The program does without: it may end, and
/// says why.
void try_files_first();

/// Lets a child process read the file, because HDF5's library does not survive every damaged file:
/// a child that crashes, or spends several seconds of processor time on one object, costs this
/// process nothing. Returns at once without try_files_first(), and for a file that is unchanged
/// since it was tried or written here. Of datasets the child reads no more than the first 16 MiB.
/// Throws InputError.
void try_file(const std::filesystem::path& path);

/// Notes a complete file as written by this process, so that nobody tries it.
void trust_file(const std::filesystem::path& path);

}  // namespace helioray::hdf5

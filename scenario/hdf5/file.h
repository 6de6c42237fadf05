// SPDX-License-Identifier: MIT
// HDF5 files: opening to read, creating, and writing a complete file or none.
//
// A small layer over HDF5's C interface (1.10 and later). Identifiers are owned by handles, so
// nothing stays open after its last user; HDF5's own error printing is switched off for the process
// with the first file; every failure is an InputError that names file and path and carries HDF5's
// innermost reason. Not for use from several threads at once.
#pragma once

#include "scenario/hdf5/group.h"

#include <filesystem>
#include <functional>
#include <memory>

namespace helioray::hdf5 {

/// An open file.
class File {
  public:
    /// Opens read-only. Says in plain words when the file is missing, not HDF5, or cut off.
    static File open(const std::filesystem::path& path);
    /// Creates a file readable by HDF5 1.8 and later; replaces one that exists.
    static File create(const std::filesystem::path& path);

    Group root() const;
    const Handle& handle() const { return handle_; }  ///< for calls of HDF5; copies keep it open
    const std::filesystem::path& path() const { return path_; }

    /// Flushes and closes; fails when the data cannot be stored (disk full). The destructor closes
    /// too, but silently. Groups and datasets of the file must be gone before.
    void close();

  private:
    File(Handle handle, std::filesystem::path path);

    Handle handle_;
    std::filesystem::path path_;
    std::shared_ptr<const void> mark_;  ///< keeps file_being_read() while any owner lives
};

/// Path of the file that is open for reading, or null once no File owns it any more. For messages
/// after a crash: HDF5's library does not survive every damaged file. Safe in a signal handler.
const char* file_being_read() noexcept;

/// Lets `fill` write into a temporary file beside `path` and renames it when it is complete and
/// closed: `path` is then either the whole new file or untouched, also when `fill` throws.
/// The folder of `path` must exist.
void write_file(const std::filesystem::path& path, const std::function<void(Group root)>& fill);

}  // namespace helioray::hdf5

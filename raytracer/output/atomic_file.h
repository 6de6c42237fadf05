// SPDX-License-Identifier: MIT
// Complete files or none: written beside the target, renamed when done.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace helioray {

/// A temporary file name in the folder of `target` and the promise that `target` is either
/// untouched or the complete new file. Who writes opens temporary() by name, closes it, and calls
/// commit().
class AtomicFile {
  public:
    /// Chooses the name; creates nothing. A link is followed, so that commit() replaces the file it
    /// leads to.
    explicit AtomicFile(const std::filesystem::path& target);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    /// Removes the temporary file unless it was committed.
    ~AtomicFile();

    /// Where to write until commit().
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Creates the temporary file with these bytes. Throws std::runtime_error naming the target.
    void write(std::span<const std::byte> bytes);

    /// Flushes the temporary file to the disk and renames it to the target.
    /// Throws std::runtime_error naming the target.
    void commit();

  private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    bool committed_ = false;
};

/// Checks before any work that a file can be written at `path`: the folder exists and lets us
/// create files, `path` is no folder or device, and the disk has room for `expected_bytes`. Throws
/// InputError otherwise.
void check_writable(const std::filesystem::path& path, std::uint64_t expected_bytes = 0);

}  // namespace helioray

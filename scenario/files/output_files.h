// SPDX-License-Identifier: MIT
// Files that a command writes: checked together before any work, complete or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace helioray {

/// A temporary file name in the folder of `target` and the promise that `target` is either
/// untouched or the complete new file. Open temporary() by name, write, close it, and call
/// commit().
class AtomicFile {
  public:
    /// Chooses the name; creates nothing. A link is followed, so that commit() replaces the file it
    /// leads to. Throws InputError for a device or pipe.
    explicit AtomicFile(const std::filesystem::path& target);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    /// Removes the temporary file unless committed; check_writable() removes those of killed runs.
    ~AtomicFile();

    /// Where to write until commit().
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Creates the temporary file with these bytes, and others behind them. Throws
    /// std::runtime_error naming the target.
    void write(std::span<const std::byte> bytes, std::span<const std::byte> more = {});

    /// Creates the temporary file as a copy of another one, which may be the target. It may be
    /// written to, also where that one may not. Throws std::runtime_error naming the target.
    void copy(const std::filesystem::path& from);

    /// Flushes the temporary file to the disk and renames it to the target.
    /// Throws std::runtime_error naming the target.
    void commit();

    /// Throws the std::runtime_error of a target that cannot be stored, for the reason of an errno.
    [[noreturn]] void fail(int error) const;

  private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    bool committed_ = false;
};

/// While it lives, every other process that wants one for the same file waits: a process that reads
/// a file, changes it and writes it again does not undo the change of another one. A small hidden
/// file beside it, removed at the end, carries the lock; a process that is killed leaves it behind,
/// unlocked. Does nothing where the file system has no locks.
class ChangeLock {
  public:
    /// Waits for the others, for half a minute at most. Throws InputError where that does not
    /// suffice, where a signal ends the wait, and where the folder takes no file.
    explicit ChangeLock(const std::filesystem::path& file);
    ~ChangeLock();
    ChangeLock(const ChangeLock&) = delete;
    ChangeLock& operator=(const ChangeLock&) = delete;

  private:
    std::filesystem::path lock_;
    int descriptor_ = -1;
};

/// Checks before any work that a file can be written at `path`: the folder exists and lets us
/// create files, `path` is not a folder or device, and the disk has room for `expected_bytes`.
/// Throws InputError otherwise. Removes temporary files in the folder of processes killed here.
void check_writable(const std::filesystem::path& path, std::uint64_t expected_bytes = 0);

/// A file to be written.
struct OutputFile {
    std::filesystem::path path;        ///< as the user named it
    std::uint64_t expected_bytes = 0;  ///< room that it will need; 0: not known
};

/// The ending of a path with its dot, in small letters; empty without one.
std::string ending_of(const std::filesystem::path& path);

/// Checks that a file to be written has one of the endings of its format (see ending_of()), so that
/// no program takes it for a file of another kind. option: that names it, for the message; kind:
/// what is written, like "it is an HDF5 file". Throws InputError.
void check_ending(const std::string& option,
                  const std::filesystem::path& path,
                  const std::string& kind,
                  const std::vector<std::string>& endings);

/// Checks that every output can be written (see check_writable()), that no two of them are the same
/// file, and that none is a file that the command reads, under any name or link. Inputs
/// need not exist. Throws InputError with every problem.
void check_outputs(const std::vector<OutputFile>& outputs,
                   const std::vector<std::filesystem::path>& inputs);

}  // namespace helioray

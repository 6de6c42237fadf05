// SPDX-License-Identifier: MIT
// Files that a command writes. They are checked together before any work, and each is written
// completely or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace helioray {

/// Replaces `target` atomically: the file is either untouched or the complete new file. Open
/// temporary() by name, write, close it, and call commit().
class AtomicFile {
  public:
    /// Chooses the temporary name and creates nothing. A link is followed, so that commit()
    /// replaces the file it points to. Throws InputError for a device or pipe.
    explicit AtomicFile(const std::filesystem::path& target);
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;
    /// Removes the temporary file unless committed; check_writable() removes those of killed runs.
    ~AtomicFile();

    /// Returns the path to write to until commit().
    const std::filesystem::path& temporary() const { return temporary_; }

    /// Creates the temporary file with the contents of `bytes` followed by `more`. Throws
    /// std::runtime_error naming the target.
    void write(std::span<const std::byte> bytes, std::span<const std::byte> more = {});

    /// Creates the temporary file as a copy of another one, which may be the target. The copy is
    /// writable even if the original is not. Throws std::runtime_error naming the target.
    void copy(const std::filesystem::path& from);

    /// Flushes the temporary file to the disk and renames it to the target.
    /// Throws std::runtime_error naming the target.
    void commit();

    /// Throws the std::runtime_error for a target that cannot be stored because of an errno.
    [[noreturn]] void fail(int error) const;

  private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    bool committed_ = false;
};

/// Lock on a file while the object lives. Other processes that want to change the same file wait,
/// so that reading, changing and writing a file does not undo the change of another process. The
/// lock is on a small hidden file beside it, which is removed at the end; a killed process leaves
/// it behind unlocked. Does nothing on file systems without locks.
class ChangeLock {
  public:
    /// Waits for other owners for at most half a minute. Throws InputError after this time, if a
    /// signal interrupts the wait, or if the folder cannot hold the lock file.
    explicit ChangeLock(const std::filesystem::path& file);
    ~ChangeLock();
    ChangeLock(const ChangeLock&) = delete;
    ChangeLock& operator=(const ChangeLock&) = delete;

  private:
    std::filesystem::path lock_;
    int descriptor_ = -1;
};

/// Stores a text or the bytes of a picture, completely or not at all. Throws std::runtime_error
/// naming the file, InputError for a device or pipe.
void write_text_file(const std::filesystem::path& path, const std::string& text);

/// Checks before any work that a file can be written at `path`: the folder exists and lets us
/// create files, `path` is not a folder or device, and the disk has room for `expected_bytes`.
/// Throws InputError otherwise. Removes temporary files in the folder of processes killed here.
void check_writable(const std::filesystem::path& path, std::uint64_t expected_bytes = 0);

/// A file to be written.
struct OutputFile {
    std::filesystem::path path;        ///< path as the user wrote it
    std::uint64_t expected_bytes = 0;  ///< expected size; 0 if unknown
};

/// Returns the extension of a path with its dot in lower case; empty without one.
std::string lower_extension(const std::filesystem::path& path);

/// Checks that a file to be written has one of the extensions of its format (see
/// lower_extension()), so that no program takes it for a file of another kind. `option` names the
/// option for the message; `kind` describes the format, like "it is an HDF5 file". Throws
/// InputError.
void check_ending(const std::string& option,
                  const std::filesystem::path& path,
                  const std::string& kind,
                  const std::vector<std::string>& endings);

/// Checks that every output can be written (see check_writable()), that no two of them are the same
/// file, and that none is an input file under any name or link. Inputs need not exist. Throws
/// InputError with all problems.
void check_outputs(const std::vector<OutputFile>& outputs,
                   const std::vector<std::filesystem::path>& inputs);

}  // namespace helioray

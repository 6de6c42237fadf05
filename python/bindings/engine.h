// SPDX-License-Identifier: MIT
// Runs long calls without the interpreter's lock, with progress, and stops them on Ctrl-C.
#pragma once

#include "raytracer/run/options.h"
#include "raytracer/run/session.h"
#include "scenario/files/byte_archive.h"
#include "scenario/files/output_files.h"

#include <nanobind/nanobind.h>

#include "python/bindings/interpreter_end.h"
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace helioray::python {

/// The group of torch.distributed that this process belongs to, through whose store the ranks find
/// each other.
struct TorchGroup {
    std::string host;  ///< host of the store
    int port = 0;      ///< port of the store
    int rank = 0;
    int size = 1;
};

/// Options that Python adds to a call that may take long.
struct Call {
    /// Called with (rays, expected, steps) from time to time; may be None.
    nanobind::object progress;
    nanobind::object log;             ///< called with (level, message) when the call ends
    int threads = 0;                  ///< threads on the CPU; 0: all cores
    bool ranks = false;               ///< this process is one of several that a launcher started
    std::optional<TorchGroup> group;  ///< group of torch.distributed, if there is one
};

/// Returns the number of threads that prepare a call.
int choose_num_threads(const Call& call);

/// Calls `work` on a separate thread, because the calling thread handles signals. Meanwhile the
/// calling thread waits without the interpreter's lock, checks for Ctrl-C several times per second
/// and reports the progress. Ctrl-C and exceptions of `progress` stop the work and are thrown.
/// Otherwise exceptions of `work` are thrown. `work` must not touch Python's objects.
void run_long(const Call& call, const std::function<void(const run::Options&)>& work);

/// Stores the file of rank 0 as `copy` on every other rank, even if the ranks have no common file
/// system. Collective.
void copy_file_of_root(run::Session& session,
                       const std::filesystem::path& file,
                       const std::filesystem::path& copy);

/// Closes the session and returns the value of rank 0, which alone has one, on every rank.
/// Collective. `start` is the value that the archive of the bytes fills.
template <typename T>
T close_with_result(run::Session& session, std::optional<T> value, T start = T()) {
    const bool is_sent = value && session.environment().world_size() > 1;
    const std::string bytes = session.close_with_text(is_sent ? bytes_of(*value) : std::string());
    return value ? std::move(*value) : value_of<T>(bytes, std::move(start));
}

/// Lock for reading and writing HDF5 files, which our layer over HDF5 and many builds of HDF5 allow
/// only to one thread at a time. It must be taken without the interpreter's lock.
class FileLock {
  public:
    /// Waits until no other thread has the lock. Throws run::Stopped if the options request a stop,
    /// and InputError in a fork of a process in which a thread had the lock.
    explicit FileLock(const run::Options& options = {});
    ~FileLock();
    FileLock(FileLock&&) = delete;

  private:
    std::unique_lock<std::timed_mutex> lock_;
};

/// Calls `work` with the lock of HDF5 files and without the interpreter's lock.
template <typename Work>
auto with_files(const Work& work) {
    const Unlocked unlocked;
    const FileLock lock;
    return work();
}

/// Calls `work`, which stores a file, in the same way. Throws InputError if no file can be stored
/// there.
template <typename Work>
void store(const std::string& file, const Work& work) {
    with_files([&] {
        check_writable(file);
        work();
    });
}

/// Adds the bindings of Call and of the connection between calls.
void bind_call(nanobind::module_& m);

}  // namespace helioray::python

// SPDX-License-Identifier: MIT
// Long calls: without the interpreter's lock, with progress, and Ctrl-C obeyed.
#pragma once

#include "raytracer/job/result.h"
#include "raytracer/run/options.h"
#include "raytracer/run/session.h"
#include "scenario/files/output_files.h"

#include <nanobind/nanobind.h>

#include "python/bindings/interpreter_end.h"
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

namespace helioray::python {

/// What Python adds to a call that may take long.
struct Call {
    nanobind::object progress;  ///< called with (rays, expected) now and then; None: nothing
    nanobind::object log;       ///< called with (level, message) when the call ends
    int threads = 0;            ///< on the CPU; 0: all cores
    bool ranks = false;         ///< this process is one of several that a launcher started
};

/// Threads that prepare a call.
int threads_of(const Call& call);

/// Calls `work` on a thread of its own, because signals are handled by the thread that calls.
/// This one waits without the interpreter's lock, looks for Ctrl-C several times per second and
/// reports the progress. Ctrl-C, and an exception of `progress`, stop the work and are thrown.
/// Otherwise throws what `work` throws. `work` must not touch Python's objects.
void run_long(const Call& call, const std::function<void(const run::Options&)>& work);

/// Stores the file of rank 0 as `copy` on every other rank, also where ranks have no file system in
/// common. Collective.
void copy_file_of_root(run::Session& session,
                       const std::filesystem::path& file,
                       const std::filesystem::path& copy);

/// The result that rank 0 has, on every rank. Collective.
RunResult on_every_rank(run::Session& session, std::optional<RunResult> result);

/// The right to read and write HDF5 files, which our layer over HDF5 and many builds of HDF5 give
/// to one thread at a time. Take it without the interpreter's lock.
class FileLock {
  public:
    /// Waits until no other thread has it. Throws run::Stopped where the options want to stop, and
    /// InputError in a fork of a process one of whose threads had it.
    explicit FileLock(const run::Options& options = {});
    ~FileLock();
    FileLock(FileLock&&) = delete;

  private:
    std::unique_lock<std::timed_mutex> lock_;
};

/// Calls work without the interpreter's lock, alone with HDF5.
template <typename Work>
auto with_files(const Work& work) {
    const Unlocked unlocked;
    const FileLock lock;
    return work();
}

/// The same for work that stores a file. Throws InputError where no file can be stored there.
template <typename Work>
void store(const std::string& file, const Work& work) {
    with_files([&] {
        check_writable(file);
        work();
    });
}

/// The binding of Call.
void bind_call(nanobind::module_& m);

}  // namespace helioray::python

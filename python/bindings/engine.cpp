// SPDX-License-Identifier: MIT
// Runs the engine beside the interpreter.
#include "python/bindings/engine.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(50);

/// What the thread that works leaves for the one that waits.
struct Shared {
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false;                                            // guarded by mutex
    std::vector<std::pair<run::LogLevel, std::string>> messages;  // guarded by mutex
    std::exception_ptr failure;                                   // read once it is done
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> rays{0};
    std::atomic<std::int64_t> expected{0};
};

run::Options options_of(const Call& call, Shared& shared) {
    run::Options options;
    // One process: a script is not a rank, whatever its environment says.
    options.launch = LaunchInfo{};
    options.num_threads = call.threads;
    options.log = [&](run::LogLevel level, const std::string& message) {
        const std::lock_guard lock(shared.mutex);
        shared.messages.emplace_back(level, message);
    };
    options.progress = [&](const run::Progress& progress) {
        shared.rays = progress.rays;
        shared.expected = progress.expected;
    };
    options.stop = [&] { return shared.stop ? std::string("interrupted") : std::string(); };
    return options;
}

/// Python's signals and progress; with the interpreter's lock.
void look_after(const Call& call, const Shared& shared) {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    if (!call.progress.is_none() && shared.expected > 0)
        call.progress(shared.rays.load(), shared.expected.load());
}

/// Waits until the work is done. Returns what Python threw meanwhile.
std::exception_ptr wait_for(const Call& call, Shared& shared) {
    std::exception_ptr interruption;
    const nb::gil_scoped_release release;
    std::unique_lock lock(shared.mutex);
    while (!shared.wake.wait_for(lock, kPollInterval, [&] { return shared.done; })) {
        if (interruption) continue;
        lock.unlock();
        {
            const nb::gil_scoped_acquire acquire;
            try {
                look_after(call, shared);
            } catch (...) {
                interruption = std::current_exception();
                shared.stop = true;
            }
        }
        lock.lock();
    }
    return interruption;
}

}  // namespace

int threads_of(const Call& call) {
    return call.threads > 0 ? call.threads : run::threads_of_rank(LaunchInfo{});
}

void run_long(const Call& call, const std::function<void(const run::Options&)>& work) {
    Shared shared;
    const run::Options options = options_of(call, shared);
    std::thread worker([&] {
        try {
            work(options);
        } catch (...) {
            shared.failure = std::current_exception();
        }
        const std::lock_guard lock(shared.mutex);
        shared.done = true;
        shared.wake.notify_all();
    });
    const std::exception_ptr interruption = wait_for(call, shared);
    worker.join();
    if (interruption) std::rethrow_exception(interruption);
    if (!call.log.is_none()) {
        for (const auto& [level, message] : shared.messages)
            call.log(static_cast<int>(level), nb::bytes(message.data(), message.size()));
    }
    if (shared.failure) std::rethrow_exception(shared.failure);
    if (!call.progress.is_none() && shared.expected > 0)
        call.progress(shared.expected.load(), shared.expected.load());
}

FileLock::FileLock(const run::Options& options) {
    static std::timed_mutex mutex;
    lock_ = std::unique_lock(mutex, std::defer_lock);
    while (!lock_.try_lock_for(kPollInterval)) {
        const std::string reason = options.stop ? options.stop() : std::string();
        if (!reason.empty()) throw run::Stopped(reason);
    }
}

void bind_call(nb::module_& m) {
    nb::class_<Call>(m, "Call", "What Python adds to a call that may take long.")
        .def(
            "__init__",
            [](Call* call, nb::object progress, nb::object log, int threads) {
                new (call) Call{std::move(progress), std::move(log), threads};
            },
            nb::arg("progress").none(),
            nb::arg("log").none(),
            nb::arg("threads"));
}

}  // namespace helioray::python

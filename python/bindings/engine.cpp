// SPDX-License-Identifier: MIT
// Runs the engine on a thread beside the interpreter's.
#include "python/bindings/engine.h"

#include "raytracer/run/lasting_ranks.h"
#include "scenario/files/error.h"
#include "scenario/files/text_file.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <unistd.h>

#include "python/bindings/convert/text.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <fstream>
#include <iterator>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

namespace helioray::python {

namespace nb = nanobind;

namespace {

constexpr auto kPollInterval = std::chrono::milliseconds(50);

/// State shared by the working thread and the waiting thread.
struct Shared {
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false;                                            // guarded by mutex
    std::vector<std::pair<run::LogLevel, std::string>> messages;  // guarded by mutex
    std::exception_ptr failure;                                   // read once `done` is true
    std::atomic<bool> stop{false};
    std::atomic<std::int64_t> rays{0};
    std::atomic<std::int64_t> expected{0};
    std::atomic<std::int64_t> steps{1};
};

LaunchInfo choose_launch(const Call& call) {
    if (!call.ranks) return {};
    if (!call.group) return detect_launcher(EnvironmentView::from_process());
    // torchrun's own store is known from the environment variables, with the ranks of this machine.
    LaunchInfo launch;
    try {
        launch = detect_launcher(EnvironmentView::from_process());
    } catch (const LaunchError&) {
        // The group was made without the variables of a launcher.
    }
    const TorchGroup& group = *call.group;
    if (launch.launcher_owns_store && launch.rank == group.rank && launch.world_size == group.size)
        return launch;
    launch = LaunchInfo{};
    launch.launcher = Launcher::env;
    launch.rank = group.rank;
    launch.world_size = group.size;
    launch.local_world_size = 0;
    launch.master_addr = group.host;
    launch.master_port = group.port;
    launch.launcher_owns_store = group.size > 1;
    launch.secret = EnvironmentView::from_process().get("HELIORAY_SECRET").value_or("");
    launch.reason = "the group of torch.distributed";
    return launch;
}

/// The connection that the calls of this process share. Never destroyed with other objects of the
/// process: close_ranks() ends it.
const std::shared_ptr<run::LastingRanks>& lasting_ranks() {
    static const auto* const ranks =
        new std::shared_ptr<run::LastingRanks>(std::make_shared<run::LastingRanks>());
    return *ranks;
}

run::Options make_options(const Call& call, Shared& shared) {
    run::Options options;
    // A script is a rank only if it requests it, regardless of its environment.
    options.launch = choose_launch(call);
    options.num_threads = call.threads;
    if (call.ranks) options.lasting = lasting_ranks();
    // Only rank 0 reports messages.
    if (options.launch->rank == 0) {
        options.log = [&](run::LogLevel level, const std::string& message) {
            const std::lock_guard lock(shared.mutex);
            shared.messages.emplace_back(level, message);
        };
    }
    options.progress = [&](const run::Progress& progress) {
        shared.rays = progress.rays;
        shared.steps = progress.steps;
        shared.expected = progress.expected;
    };
    options.continued_by = [](const std::filesystem::path& output) {
        return "the same call with output=\"" + output.string() + "\"";
    };
    options.stop = [&] { return shared.stop ? std::string("interrupted") : std::string(); };
    return options;
}

/// Handles Python's signals and reports progress; requires the interpreter's lock.
void look_after(const Call& call, const Shared& shared) {
    if (PyErr_CheckSignals() != 0) nb::raise_python_error();
    if (!call.progress.is_none() && shared.expected > 0)
        call.progress(shared.rays.load(), shared.expected.load(), shared.steps.load());
}

/// Waits until the work is done. Returns an exception that Python threw meanwhile.
std::exception_ptr wait_for(const Call& call, Shared& shared) {
    std::exception_ptr interruption;
    const nb::gil_scoped_release release;
    std::unique_lock lock(shared.mutex);
    while (!shared.wake.wait_for(lock, kPollInterval, [&] { return shared.done; })) {
        if (UnderWay::must_end()) shared.stop = true;
        if (shared.stop) continue;
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

int choose_num_threads(const Call& call) {
    return call.threads > 0 ? call.threads : run::threads_of_rank(choose_launch(call));
}

void run_long(const Call& call, const std::function<void(const run::Options&)>& work) {
    const UnderWay under_way;
    Shared shared;
    const run::Options options = make_options(call, shared);
    std::thread worker([&] {
        const StreamStop obey([&] { return shared.stop.load(); });
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
    if (shared.stop) {
        PyErr_SetNone(PyExc_SystemExit);
        nb::raise_python_error();
    }
    if (!call.log.is_none()) {
        for (const auto& [level, message] : shared.messages)
            call.log(static_cast<int>(level), nb::bytes(message.data(), message.size()));
    }
    if (shared.failure) std::rethrow_exception(shared.failure);
    if (!call.progress.is_none() && shared.expected > 0)
        call.progress(shared.expected.load(), shared.expected.load(), shared.steps.load());
}

void copy_file_of_root(run::Session& session,
                       const std::filesystem::path& file,
                       const std::filesystem::path& copy) {
    if (session.environment().world_size() == 1) return;
    std::string bytes;
    if (session.is_root()) {
        std::ifstream stream(file, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(stream), {});
    }
    bytes = session.environment().wait_for_root("file of rank 0", bytes);
    if (!session.is_root()) std::ofstream(copy, std::ios::binary) << bytes;
}

namespace {

/// Process whose thread has the lock; 0 if no thread has it. A fork inherits locks, but not the
/// threads that would release them.
std::atomic<pid_t> lock_holder{0};

}  // namespace

FileLock::FileLock(const run::Options& options) {
    static std::timed_mutex mutex;
    lock_ = std::unique_lock(mutex, std::defer_lock);
    while (!lock_.try_lock_for(kPollInterval)) {
        const pid_t holder = lock_holder;
        if (holder != 0 && holder != getpid())
            throw InputError(Problem{
                "HDF5 files",
                "cannot be used in this process",
                "it was forked while another thread read or wrote one",
                "begin processes before threads, or with multiprocessing's method 'spawn'"});
        const std::string reason = options.stop ? options.stop() : std::string();
        if (!reason.empty()) throw run::Stopped(reason);
    }
    lock_holder = getpid();
}

FileLock::~FileLock() {
    if (lock_.owns_lock()) lock_holder = 0;
}

void bind_call(nb::module_& m) {
    nb::class_<Call>(m, "Call", "What Python adds to a call that may take long.")
        .def(
            "__init__",
            [](Call* call,
               nb::object progress,
               nb::object log,
               int threads,
               bool ranks,
               const std::optional<std::tuple<std::string, int, int, int>>& group) {
                new (call) Call{std::move(progress), std::move(log), threads, ranks, {}};
                if (group)
                    call->group = TorchGroup{std::get<0>(*group),
                                             std::get<1>(*group),
                                             std::get<2>(*group),
                                             std::get<3>(*group)};
            },
            nb::arg("progress").none(),
            nb::arg("log").none(),
            nb::arg("threads"),
            nb::arg("ranks"),
            nb::arg("group").none() = nb::none());
    m.def(
        "close_ranks",
        [](bool failed) {
            const nb::gil_scoped_release release;
            if (failed)
                lasting_ranks()->abort();
            else
                lasting_ranks()->close();
        },
        nb::arg("failed"),
        "Closes the connection of the ranks together with the other processes, or without them "
        "after a failure.");
}

}  // namespace helioray::python

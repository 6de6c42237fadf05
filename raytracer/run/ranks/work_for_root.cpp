// SPDX-License-Identifier: MIT
// Draws units, traces them, and delivers sums about once a second.
#include "raytracer/run/ranks/work_for_root.h"

#include "raytracer/run/clock.h"
#include "raytracer/run/ranks/watch.h"
#include "raytracer/run/ranks/work_pace.h"
#include "raytracer/run/step_job.h"
#include "raytracer/run/stored/work_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace helioray::run {

namespace {

// A lost rank loses what it has not delivered, so it delivers often, but delivering takes at most
// 1 / kRunTimePerDelivery of its time.
constexpr double kDeliverySeconds = 1.0;
constexpr double kRunTimePerDelivery = 20.0;
constexpr auto kMaxPause = std::chrono::milliseconds(50);

class WorkForRoot {
  public:
    WorkForRoot(PreparedRun& run,
                Worker& worker,
                const std::vector<int>& cuda_devices,
                const Options& hooks)
        : run_(run),
          worker_(worker),
          hooks_(hooks),
          watch_(
              hooks,
              [&] { worker_.check_peers(); },
              [this] {
                  if (watch_.cancel()) halt_ = true;
              }) {
        control_.num_threads = hooks.num_threads;
        control_.cuda_devices = cuda_devices;
        control_.rays_done = &rays_;
        control_.cancel = &halt_;
    }

    void work() {
        auto pause = std::chrono::milliseconds(1);
        while (true) {
            watch_.rethrow();
            const Worker::Draw drawn = worker_.draw(
                pace_.wanted(), least_units(control_.cuda_devices, control_.num_threads));
            if (drawn.is_over) break;
            if (drawn.units) {
                prepare(drawn);
                trace(*drawn.units);
                if (seconds_since(delivered_) >
                    std::max(kDeliverySeconds, kRunTimePerDelivery * last_))
                    deliver();
                pause = std::chrono::milliseconds(1);
            } else if (!undelivered_.ranges().empty()) {
                deliver();
            } else {
                std::this_thread::sleep_for(pause);
                pause = std::min(2 * pause, kMaxPause);
            }
        }
        write(hooks_.log,
              LogLevel::debug,
              fmt::format("traced {} work units with {} rays for rank 0", units_, rays_.load()));
    }

  private:
    /// Makes the job of the units the current one.
    void prepare(const Worker::Draw& drawn) {
        if (drawn.task == task_) return;
        if (task_ == 0 || drawn.text != text_) {
            const auto watched = worker_.watch_progress({.phase = "preparing", .progress = {}});
            const std::size_t step = parse_step(drawn.text);
            job_ = &get_job(run_, step, control_.num_threads);
            const std::string own = describe_job(run_, step, *job_);
            if (own != drawn.text)
                throw DistributedError(fmt::format(
                    "this rank has prepared other work than rank 0 (step, units, rays, sun: {}; "
                    "rank 0: {}); start every rank with the same files and options",
                    own,
                    drawn.text));
        }
        task_ = drawn.task;
        text_ = drawn.text;
        delivered_ = Clock::now();
    }

    void trace(WorkRange units) {
        const auto watched = worker_.watch_progress(watched_tracing(control_));
        const auto start = Clock::now();
        const int64_t traced = job_->trace(units.first, units.second, control_);
        watch_.rethrow();
        if (traced != units.second - units.first)
            throw DistributedError("the tracer stopped before the end of its units");
        pace_.add(count_rays(*job_, units.first, units.second), seconds_since(start));
        undelivered_.add(units);
        units_ += traced;
    }

    void deliver() {
        const auto watched = worker_.watch_progress({.phase = "delivering", .progress = {}});
        const auto start = Clock::now();
        const std::span<int64_t> sums = job_->sums();
        const std::vector<int64_t> numbers = encode_work(undelivered_, sums);
        const auto bytes = std::as_bytes(std::span(numbers));
        worker_.deliver(task_, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        clear_sums(numbers, sums);
        undelivered_ = {};
        last_ = seconds_since(start);
        delivered_ = Clock::now();
        write(hooks_.log,
              LogLevel::debug,
              fmt::format("delivered {:.1f} kB in {:.1f} ms",
                          static_cast<double>(bytes.size()) / 1e3,
                          1e3 * last_));
    }

    PreparedRun& run_;
    Worker& worker_;
    const Options& hooks_;
    TraceControl control_;
    TraceJob* job_ = nullptr;
    std::int64_t task_ = 0;
    std::string text_;     // description of job_
    UnitSet undelivered_;  // units in the sums of job_
    WorkPace pace_;
    Clock::time_point delivered_ = Clock::now();  // time of the last delivery
    double last_ = 0.0;                           // duration of the last delivery, s
    std::int64_t units_ = 0;
    std::atomic<std::int64_t> rays_{0};
    std::atomic<bool> halt_{false};
    Watch watch_;  // last member, because its thread uses the others
};

}  // namespace

void work_for_root(PreparedRun& run,
                   Worker& worker,
                   const std::vector<int>& cuda_devices,
                   const Options& hooks) {
    WorkForRoot(run, worker, cuda_devices, hooks).work();
}

}  // namespace helioray::run

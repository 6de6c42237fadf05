// SPDX-License-Identifier: MIT
// Hands out the units of rounds, traces some of them, and adds the sums that workers deliver.
#include "raytracer/run/ranks/trace_with_workers.h"

#include "kernels/host/partition.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/ranks/work_pace.h"
#include "raytracer/run/stored/work_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace helioray::run {

namespace {

constexpr auto kWait = std::chrono::milliseconds(50);

/// Returns the integers of a delivered result.
std::vector<int64_t> read_numbers(const std::string& result) {
    if (result.size() % sizeof(int64_t) != 0)
        throw std::invalid_argument("the size is not a multiple of 8 bytes");
    std::vector<int64_t> numbers(result.size() / sizeof(int64_t));
    std::memcpy(numbers.data(), result.data(), result.size());
    return numbers;
}

/// The trace of one job on rank 0 and its workers.
class SharedTrace {
  public:
    SharedTrace(TraceJob& job,
                WorkMaster& master,
                const TraceTogetherOptions& options,
                const Options& hooks,
                ProgressReport& progress)
        : job_(job),
          master_(master),
          options_(options),
          hooks_(hooks),
          progress_(progress),
          watch_(
              hooks,
              [&] { master_.check_peers(); },
              [this] {
                  progress_.report();
                  // Results of workers are added between two units of this rank.
                  if (watch_.cancel() || is_checkpoint_due() || master_.has_portions())
                      halt_ = true;
              }) {
        if (options_.checkpoint != nullptr) done_ = options_.checkpoint->restored();
        control_.num_threads = options_.num_threads;
        control_.cuda_devices = options_.cuda_devices;
        control_.rays_done = &progress_.rays();
        control_.cancel = &halt_;
    }
    // The pool of units refers to the job.
    ~SharedTrace() { master_.abandon(); }
    SharedTrace(const SharedTrace&) = delete;
    SharedTrace& operator=(const SharedTrace&) = delete;

    /// Traces the units [begin, end) that are not done yet.
    void run(int64_t begin, int64_t end, const std::string& text) {
        const std::vector<WorkRange> units =
            range_without({begin, end}, done_.within({begin, end}));
        int64_t count = 0;
        for (const auto& [first, last] : units) count += last - first;
        master_.open(text, units, [this](int64_t unit) {
            return static_cast<double>(job_.rays_of_unit(unit));
        });
        write(hooks_.log, LogLevel::debug, fmt::format("hands out {} work units", count));
        while (!master_.is_complete()) {
            watch_.rethrow();
            report_losses(master_, hooks_.log);
            add_portions();
            store_if_due();
            if (const auto drawn = master_.draw(pace_.wanted(), lanes()))
                trace(*drawn);
            else
                master_.wait(kWait);
        }
        watch_.rethrow();
        if (!range_without({begin, end}, done_.ranges()).empty())
            throw DistributedError(fmt::format(
                "not all of the units {} to {} of work have been traced; the result would be "
                "wrong, so none is written",
                begin,
                end));
        write(hooks_.log,
              LogLevel::debug,
              fmt::format("workers traced {} of {} work units, in {} deliveries",
                          of_workers_,
                          count,
                          deliveries_));
    }

    void store_unfinished() {
        if (options_.checkpoint == nullptr || !is_whole_) return;
        add_portions();
        options_.checkpoint->store_unfinished(done_, job_.sums());
    }

    void rethrow() { watch_.rethrow(); }
    const UnitSet& done() const { return done_; }

  private:
    int64_t lanes() const { return least_units(options_.cuda_devices, options_.num_threads); }

    bool is_checkpoint_due() const {
        return options_.checkpoint != nullptr && options_.checkpoint->due();
    }

    void store_if_due() {
        if (!is_checkpoint_due()) return;
        const auto watched = master_.watch_progress({.phase = "storing its work", .progress = {}});
        options_.checkpoint->store(done_, job_.sums());
    }

    void trace(WorkRange units) {
        auto [first, last] = units;
        while (first < last && !watch_.cancel()) {
            halt_ = false;
            const auto start = Clock::now();
            is_whole_ = false;
            int64_t end = first;
            {
                const auto watched = master_.watch_progress(watched_tracing(control_));
                end += job_.trace(first, last, control_);
            }
            is_whole_ = true;
            pace_.add(count_rays(job_, first, end), seconds_since(start));
            done_.add({first, end});
            master_.complete({first, end});
            first = end;
            add_portions();
            store_if_due();
        }
    }

    void add_portions() {
        for (const WorkPortion& portion : master_.take_portions()) {
            try {
                add(portion);
                master_.accept(portion);
            } catch (const std::invalid_argument& error) {
                master_.reject(portion);
                write(hooks_.log,
                      LogLevel::warning,
                      fmt::format("rank {} has delivered a damaged result ({}); its work units are "
                                  "traced again",
                                  portion.rank,
                                  error.what()));
            }
        }
    }

    void add(const WorkPortion& portion) {
        const std::vector<int64_t> numbers = read_numbers(portion.result);
        const std::span<int64_t> sums = job_.sums();
        const UnitSet units = decode_units(numbers, job_.num_units(), std::ssize(sums));
        UnitSet expected;
        for (const WorkRange& range : portion.units) expected.add(range);
        if (units.ranges() != expected.ranges())
            throw std::invalid_argument("it is of other units than it should be");
        add_sums(numbers, sums);
        for (const WorkRange& range : units.ranges()) {
            done_.add(range);
            of_workers_ += range.second - range.first;
            progress_.rays() += count_rays(job_, range.first, range.second);
        }
        ++deliveries_;
    }

    TraceJob& job_;
    WorkMaster& master_;
    const TraceTogetherOptions& options_;
    const Options& hooks_;
    ProgressReport& progress_;
    TraceControl control_;
    WorkPace pace_;
    UnitSet done_;
    int64_t of_workers_ = 0;
    int64_t deliveries_ = 0;
    bool is_whole_ = true;           // false while the sums may contain incomplete units
    std::atomic<bool> halt_{false};  // stops the tracer between two units
    Watch watch_;                    // last member, because its thread uses the others
};

}  // namespace

void report_losses(WorkMaster& master, const Log& log) {
    for (const std::string& loss : master.take_losses()) write(log, LogLevel::warning, loss);
}

double trace_with_workers(TraceJob& job,
                          WorkMaster& master,
                          const std::string& text,
                          const TraceTogetherOptions& options,
                          const Options& hooks,
                          ProgressReport& progress) {
    const auto start = Clock::now();
    SharedTrace trace(job, master, options, hooks, progress);
    const UnitSet before = trace.done();
    const std::vector<int64_t> ends = job.round_ends();
    try {
        for (std::size_t round = 0; round < ends.size(); ++round) {
            trace.run(round > 0 ? ends[round - 1] : 0, ends[round], text);
            // If an earlier start has already traced units of a later round, the rounds up to that
            // one are complete only together.
            if (before.end() > ends[round]) continue;
            if (round + 1 < ends.size() && job.is_accurate_enough(job.interim_sums())) break;
        }
        trace.rethrow();
    } catch (const std::exception&) {
        trace.store_unfinished();
        throw;
    }
    report_losses(master, hooks.log);
    return seconds_since(start);
}

}  // namespace helioray::run

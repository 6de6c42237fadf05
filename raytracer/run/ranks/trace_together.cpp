// SPDX-License-Identifier: MIT
// Traces rounds on all ranks: distributes the work units and adds the sums.
#include "raytracer/run/ranks/trace_together.h"

#include "distributed/ranks/work_queue.h"
#include "kernels/host/partition.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/ranks/watch.h"
#include "raytracer/run/ranks/work_pace.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::run {

namespace {

/// Traces units [begin, end) on this rank.
using TraceUnits = std::function<void(int64_t begin, int64_t end)>;
/// Waits until all ranks have traced, and adds the values of all, in place.
using WaitForAll = std::function<void(std::span<int64_t> values)>;

/// Options for the distribution of units.
struct WorkShareOptions {
    Schedule schedule = Schedule::static_;  ///< static, or dynamic: as ranks become free
    int64_t lanes = 1;     ///< number of units that this rank traces at the same time
    bool measure = false;  ///< a static schedule may time some units first
    std::string name;      ///< unique name for every object in an environment
    UnitSet done;          ///< units that need not be traced, equal on all ranks
    Log log;
};

/// Distributes the units of each round over the ranks. The sums of all ranks do not depend on the
/// distribution.
class WorkShare {
  public:
    /// Job and environment must outlive this object.
    WorkShare(const TraceJob& job,
              DistributedEnvironment& environment,
              WorkShareOptions options,
              WaitForAll wait_for_all);

    /// Calls `trace` for this rank's part of the units [begin, end), possibly several times.
    /// Collective; returns early if `cancelled` returns true.
    void run(int64_t begin,
             int64_t end,
             const TraceUnits& trace,
             const std::function<bool()>& cancelled);

  private:
    using Ranges = std::vector<std::pair<int64_t, int64_t>>;

    /// Sets `lanes` to the maximum over all ranks, so that all divide the work alike. Collective.
    void agree_on_lanes();
    void draw(int64_t begin,
              int64_t end,
              const TraceUnits& trace,
              const std::function<bool()>& cancelled);
    double seconds_of_ray(int64_t first, int64_t last, const TraceUnits& trace) const;
    Ranges measure(int64_t begin, int64_t end, const TraceUnits& trace);
    Ranges own_ranges(int64_t begin, int64_t end, const Ranges& done) const;
    std::vector<double> costs(int64_t begin, int64_t end, const Ranges& done) const;

    const TraceJob& job_;
    DistributedEnvironment& environment_;
    WorkShareOptions options_;
    bool agreed_ = false;  ///< options_.lanes is the maximum over all ranks
    WaitForAll wait_for_all_;
    int rounds_ = 0;
    std::vector<double> seconds_per_ray_;  // samples along a round; empty if not measured
};

// At most 1 / kShareToMeasure of a round, in at most kMostSamples samples, is timed before the rest
// is distributed.
constexpr int64_t kShareToMeasure = 16;
constexpr int64_t kMostSamples = 64;
// Times that differ from the median by a larger factor were disturbed, or are not representative of
// their neighbours.
constexpr double kMostDeviation = 4.0;

/// Limits times to within a factor of kMostDeviation of their median.
void tame(std::vector<double>& times) {
    std::vector<double> sorted = times;
    std::nth_element(sorted.begin(), sorted.begin() + std::ssize(sorted) / 2, sorted.end());
    const double median = sorted[sorted.size() / 2];
    for (double& time : times)
        time = std::clamp(time, median / kMostDeviation, median * kMostDeviation);
}

WorkShare::WorkShare(const TraceJob& job,
                     DistributedEnvironment& environment,
                     WorkShareOptions options,
                     WaitForAll wait_for_all)
    : job_(job),
      environment_(environment),
      options_(std::move(options)),
      wait_for_all_(std::move(wait_for_all)) {
    // A single rank has nothing to distribute.
    if (environment.world_size() == 1) {
        options_.schedule = Schedule::static_;
        options_.measure = false;
    }
}

void WorkShare::agree_on_lanes() {
    if (agreed_) return;
    agreed_ = true;
    int64_t& lanes = options_.lanes;
    for (const std::string& of_rank : environment_.all_gather_strings(std::to_string(lanes)))
        lanes = std::max<int64_t>(lanes, std::stoll(of_rank));
}

std::vector<double> WorkShare::costs(int64_t begin, int64_t end, const Ranges& done) const {
    std::vector<double> costs;
    costs.reserve(static_cast<size_t>(end - begin));
    const auto samples = std::ssize(seconds_per_ray_);
    for (int64_t unit = begin; unit < end; ++unit) {
        const auto rays = static_cast<double>(job_.rays_of_unit(unit));
        // All rounds process the heliostats in the same order.
        const int64_t sample = (unit - begin) * samples / (end - begin);
        costs.push_back(samples == 0 ? rays : rays * seconds_per_ray_[static_cast<size_t>(sample)]);
    }
    for (const auto& [first, last] : done)
        std::fill(costs.begin() + (first - begin), costs.begin() + (last - begin), 0.0);
    return costs;
}

double WorkShare::seconds_of_ray(int64_t first, int64_t last, const TraceUnits& trace) const {
    const auto start = Clock::now();
    trace(first, last);
    const double time = seconds_since(start);
    int64_t rays = 0;
    for (int64_t unit = first; unit < last; ++unit) rays += job_.rays_of_unit(unit);
    return std::max(time, 1e-9) / static_cast<double>(std::max<int64_t>(rays, 1));
}

/// Times some units. Returns the samples of all ranks, whose units have been traced.
WorkShare::Ranges WorkShare::measure(int64_t begin, int64_t end, const TraceUnits& trace) {
    const int64_t units = end - begin;
    // Fewer samples would not represent the rest.
    const int64_t least_samples = int64_t{2} * environment_.world_size();
    if (units / kShareToMeasure < least_samples) return {};
    agree_on_lanes();
    const int64_t count = std::min(kMostSamples, units / (kShareToMeasure * options_.lanes));
    if (count < least_samples) return {};

    Ranges samples;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t first = begin + (2 * i + 1) * units / (2 * count) - options_.lanes / 2;
        samples.emplace_back(first, first + options_.lanes);
    }
    std::vector<double> times(samples.size(), 0.0);
    for (const int64_t i :
         partition_in_turn(count, environment_.rank(), environment_.world_size())) {
        const auto [first, last] = samples[static_cast<size_t>(i)];
        times[static_cast<size_t>(i)] = seconds_of_ray(first, last, trace);
    }
    wait_for_all_({});
    // Each number comes from one rank, so the sums are bitwise equal on all ranks.
    environment_.all_reduce_sum(std::span(times));
    seconds_per_ray_ = std::move(times);
    tame(seconds_per_ray_);
    write(options_.log,
          LogLevel::debug,
          fmt::format("timed {} samples of {} units to balance the ranks", count, options_.lanes));
    return samples;
}

/// Returns this rank's units of a static schedule, without the finished ones.
WorkShare::Ranges WorkShare::own_ranges(int64_t begin, int64_t end, const Ranges& done) const {
    const auto parts = partition_by_cost(costs(begin, end, done), environment_.world_size());
    const auto [first, last] = parts[static_cast<size_t>(environment_.rank())];
    return range_without({begin + first, begin + last}, done);
}

void WorkShare::draw(int64_t begin,
                     int64_t end,
                     const TraceUnits& trace,
                     const std::function<bool()>& cancelled) {
    agree_on_lanes();
    const Ranges done = options_.done.within({begin, end});
    WorkQueue queue(environment_,
                    options_.name + " round " + std::to_string(rounds_),
                    costs(begin, end, done),
                    options_.lanes);
    int64_t chunks = 0, units = 0;
    while (!cancelled()) {
        const auto chunk = queue.next();
        if (!chunk) break;
        ++chunks;
        for (const auto& [first, last] :
             range_without({begin + chunk->first, begin + chunk->second}, done)) {
            if (cancelled()) break;
            trace(first, last);
            units += last - first;
        }
    }
    write(options_.log,
          LogLevel::debug,
          fmt::format("drew {} of {} units in {} chunks", units, end - begin, chunks));
}

void WorkShare::run(int64_t begin,
                    int64_t end,
                    const TraceUnits& trace,
                    const std::function<bool()>& cancelled) {
    ++rounds_;
    if (options_.schedule == Schedule::dynamic) return draw(begin, end, trace, cancelled);

    Ranges done = options_.done.within({begin, end});
    // If a round continues, the number of rays is a sufficient measure for the rest of it.
    if (done.empty() && options_.measure && seconds_per_ray_.empty())
        done = measure(begin, end, trace);
    const Ranges own = own_ranges(begin, end, done);
    if (environment_.world_size() > 1) {
        int64_t units = 0;
        for (const auto& [first, last] : own) units += last - first;
        write(options_.log,
              LogLevel::debug,
              fmt::format("traces {} of {} units", units, end - begin));
    }
    for (const auto& [first, last] : own) {
        if (cancelled()) return;
        trace(first, last);
    }
}

/// Checks that every work unit was traced exactly once by one of the ranks.
class UnitCount {
  public:
    void add(int64_t first, int64_t last) {
        for (int64_t unit = first; unit < last; ++unit) add(unit, sums_);
    }

    /// Waits until all ranks have traced, and throws DistributedError unless they together have
    /// traced each of the units [0, end) once. Then adds `sums` of all ranks, in place; on failure,
    /// `sums` stay unchanged.
    void check(int64_t end,
               DistributedEnvironment& environment,
               const WaitForAll& wait_for_all,
               std::span<int64_t> sums = {}) const {
        // One operation for the counts and a few sums takes half the time of two.
        const bool together = environment.world_size() > 1 && sums.size() <= kFewSums;
        std::vector<int64_t> all(sums_.begin(), sums_.end());
        if (together) all.insert(all.end(), sums.begin(), sums.end());
        wait_for_all(all);
        std::array<int64_t, 2> planned{};
        for (int64_t unit = 0; unit < end; ++unit) add(unit, planned);
        if (!std::equal(planned.begin(), planned.end(), all.begin()))
            throw DistributedError(fmt::format(
                "the ranks traced {} units of work where {} are planned{}; the result would be "
                "wrong, so none is written. Something else changes the counters in the store of "
                "this run",
                all[0],
                planned[0],
                all[0] == planned[0] ? ", but not the same ones" : ""));
        if (together)
            std::copy(all.begin() + std::ssize(planned), all.end(), sums.begin());
        else
            environment.all_reduce_sum(sums);
    }

  private:
    /// Numbers that are not worth a separate operation: 1 MB.
    static constexpr size_t kFewSums = size_t{1} << 17;

    /// Adds to the number of units, and to a hash sum over the units.
    static void add(int64_t unit, std::array<int64_t, 2>& sums) {
        sums[0] += 1;
        sums[1] +=
            static_cast<int64_t>((static_cast<uint64_t>(unit) + 1) * 0x9e3779b97f4a7c15 >> 20);
    }

    std::array<int64_t, 2> sums_{};
};

/// The units that this rank has traced, and their checkpoint. On rank 0 they include the restored
/// units.
class OwnUnits {
  public:
    /// Clears `halt`, which stops the tracer between two units, when a checkpoint is stored.
    /// `name` is the name of the trace.
    OwnUnits(TraceJob& job,
             DistributedEnvironment& environment,
             const std::string& name,
             Checkpoint* checkpoint,
             std::atomic<bool>& halt)
        : job_(job),
          environment_(environment),
          name_("traced " + name),
          checkpoint_(checkpoint),
          halt_(halt) {}

    void add(int64_t first, int64_t last) {
        traced_.add(first, last);
        finished_.add({first, last});
    }

    void store_if_due() {
        if (checkpoint_ != nullptr && checkpoint_->due()) {
            // Also where a device traces, the processor stores.
            const auto watched =
                environment_.watch_progress({.phase = "storing its work", .progress = {}});
            checkpoint_->store(finished_, job_.sums());
        }
        halt_ = false;
    }

    void store_unfinished() const {
        if (checkpoint_ != nullptr && is_whole_)
            checkpoint_->store_unfinished(finished_, job_.sums());
    }

    /// Traces units until the run is cancelled.
    void trace(int64_t first,
               int64_t last,
               const TraceControl& control,
               const std::atomic<bool>& cancel) {
        const auto watched = environment_.watch_progress(watched_tracing(control));
        while (first < last && !cancel) {
            is_whole_ = false;
            const int64_t end = first + job_.trace(first, last, control);
            is_whole_ = true;
            add(first, end);
            first = end;
            store_if_due();
        }
    }

    /// Waits until all ranks have traced, which may take any time, and adds the values of all.
    /// Stores checkpoints meanwhile.
    void wait_for_all(std::span<int64_t> values) {
        environment_.wait_for_all(
            name_, [this] { store_if_due(); }, values);
    }

    /// Waits for all ranks, checks that they together have traced the units [0, end) once, and
    /// returns the interim sums of all. Collective, as add_parts().
    std::vector<int64_t> interim_sums(int64_t end) {
        return job_.interim_sums_of_parts(checked_sum(end));
    }

    /// Waits and checks likewise, and replaces the sums of the job by those of all ranks.
    void add_parts(int64_t end) {
        const PartSum add = checked_sum(end);
        // A device adds in place, so a failure there leaves neither own sums nor those of all.
        is_whole_ = !add.on_device;
        job_.add_parts(add);
    }

  private:
    /// Returns the sum over ranks that have traced the units [0, end). It waits for the ranks and
    /// checks the units in the same operation; if devices add, that is done before.
    PartSum checked_sum(int64_t end) {
        const WaitForAll wait = [this](std::span<int64_t> values) { wait_for_all(values); };
        PartSum sum;
        sum.on_host = [this, end, wait](std::span<int64_t> sums) {
            traced_.check(end, environment_, wait, sums);
        };
        if (environment_.reduces_on_device()) {
            traced_.check(end, environment_, wait);
            sum.cuda_device = environment_.cuda_devices().front();
            sum.on_device = [this](const kernels::DeviceIntegers& sums) {
                environment_.all_reduce_sum(sums);
            };
        }
        return sum;
    }

    TraceJob& job_;
    DistributedEnvironment& environment_;
    const std::string name_;
    Checkpoint* checkpoint_;
    std::atomic<bool>& halt_;
    UnitSet finished_;
    UnitCount traced_;
    bool is_whole_ = true;  ///< false while the sums are not those of the finished units
};

}  // namespace

int64_t own_rays(const TraceJob& job,
                 const DistributedEnvironment& environment,
                 int64_t done_before) {
    return (job.num_rays() - done_before) / environment.world_size();
}

double trace_together(TraceJob& job,
                      DistributedEnvironment& environment,
                      const TraceTogetherOptions& options,
                      const Options& hooks,
                      ProgressReport& progress) {
    const auto start = Clock::now();
    const auto seconds = [&] { return seconds_since(start); };
    Checkpoint* const checkpoint = options.checkpoint;
    const UnitSet before = checkpoint != nullptr ? checkpoint->restored() : UnitSet();
    const int64_t rays_of_all =
        own_rays(job, environment, checkpoint != nullptr ? checkpoint->restored_rays() : 0);
    // Stops the tracer between two units, at the end or to store a checkpoint.
    std::atomic<bool> halt{false};
    Watch watch(
        hooks,
        [&] { environment.check_peers(); },
        [&] {
            progress.report();
            if (watch.cancel() || (checkpoint != nullptr && checkpoint->due())) halt = true;
        });
    OwnUnits units(job, environment, options.name, checkpoint, halt);
    if (environment.is_root()) {
        for (const auto& [first, last] : before.ranges()) units.add(first, last);
    }
    WorkShare share(job,
                    environment,
                    {options.schedule,
                     least_units(options.cuda_devices, options.num_threads),
                     options.measure && options.cuda_devices.empty(),
                     options.name,
                     before,
                     hooks.log},
                    [&](std::span<int64_t> values) { units.wait_for_all(values); });
    const int64_t rays_before = progress.rays();
    TraceControl control;
    control.num_threads = options.num_threads;
    control.cuda_devices = options.cuda_devices;
    control.rays_done = &progress.rays();
    control.cancel = &halt;
    const auto trace = [&](int64_t first, int64_t last) {
        units.trace(first, last, control, watch.cancel());
    };
    const auto cancelled = [&] { return watch.cancel().load(); };
    const std::vector<int64_t> ends = job.round_ends();
    try {
        int64_t end = 0;  // end of the units that all ranks together have traced
        for (size_t round = 0; round < ends.size(); ++round) {
            share.run(end, ends[round], trace, cancelled);
            end = ends[round];
            watch.rethrow();
            // If an earlier start has already traced units of a later round, the units are counted
            // with that round.
            if (before.end() > end) {
                units.wait_for_all({});
                continue;
            }
            if (round + 1 == ends.size()) break;
            // All ranks have the same integers, so all make the same decision.
            const std::vector<int64_t> interim = units.interim_sums(end);
            watch.rethrow();
            if (job.is_accurate_enough(interim)) break;
        }
        units.add_parts(end);
    } catch (const std::exception&) {
        units.store_unfinished();
        throw;
    }
    write(hooks.log,
          LogLevel::debug,
          fmt::format("traced {} rays in {:.3f} s", progress.rays() - rays_before, seconds()));
    // The number of rays of this rank was known only approximately in advance.
    progress.rays() = std::max(progress.rays().load(), rays_before + rays_of_all);
    watch.rethrow();
    return seconds();
}

}  // namespace helioray::run

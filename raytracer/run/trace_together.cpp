// SPDX-License-Identifier: MIT
// Rounds of tracing and adding up.
#include "raytracer/run/trace_together.h"

#include "raytracer/run/watch.h"
#include "raytracer/run/work_share.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace helioray::run {

namespace {

using Clock = std::chrono::steady_clock;

// Fewer units in one launch leave a GPU idle.
constexpr int64_t kCudaLanes = 64;

/// Returns when every rank has come here `count` times. Ranks finish at different times; waiting
/// for the slow ones is no failure and has no time-out, a lost rank or a signal ends it.
void wait_for_all(DistributedEnvironment& environment,
                  Watch& watch,
                  const std::string& name,
                  int64_t count) {
    if (environment.world_size() == 1) return;
    const std::string counter = "traced " + name;
    environment.fetch_add(counter, 1);
    auto pause = std::chrono::milliseconds(1);
    while (environment.fetch_add(counter, 0) < count * environment.world_size()) {
        watch.rethrow();
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, std::chrono::milliseconds(100));
    }
}

}  // namespace

int64_t own_rays(const TraceJob& job, const DistributedEnvironment& environment) {
    return job.num_rays() / environment.world_size();
}

double trace_together(TraceJob& job,
                      DistributedEnvironment& environment,
                      const TraceTogetherOptions& options,
                      const Options& hooks,
                      ProgressReport& progress) {
    const auto start = Clock::now();
    const auto seconds = [&] {
        return std::chrono::duration<double>(Clock::now() - start).count();
    };
    Watch watch(
        hooks, [&] { environment.check_peers(); }, [&] { progress.report(); });
    int64_t meetings = 0;
    const auto meet = [&] { wait_for_all(environment, watch, options.name, ++meetings); };
    WorkShare share(job,
                    environment,
                    {options.schedule,
                     options.use_cuda ? kCudaLanes : options.num_threads,
                     options.measure && !options.use_cuda,
                     options.name,
                     hooks.log},
                    meet);
    const int64_t rays_before = progress.rays();
    TraceControl control;
    control.num_threads = options.num_threads;
    control.use_cuda = options.use_cuda;
    control.rays_done = &progress.rays();
    control.cancel = &watch.cancel();
    const auto trace = [&](int64_t first, int64_t last) { job.trace(first, last, control); };
    const auto cancelled = [&] { return watch.cancel().load(); };
    const std::vector<int64_t> ends = job.round_ends();
    for (size_t round = 0; round < ends.size(); ++round) {
        share.run(round > 0 ? ends[round - 1] : 0, ends[round], trace, cancelled);
        watch.rethrow();
        meet();
        if (round + 1 == ends.size()) break;
        // Everybody sees the same integers, so everybody stops or goes on.
        std::vector<int64_t> interim = job.interim_sums();
        environment.all_reduce_sum(std::span(interim));
        watch.rethrow();
        if (job.is_accurate_enough(interim)) break;
    }
    write(hooks.log,
          LogLevel::debug,
          fmt::format("traced {} rays in {:.3f} s", progress.rays() - rays_before, seconds()));
    // This rank's part was known in advance only roughly.
    progress.rays() = std::max(progress.rays().load(), rays_before + own_rays(job, environment));
    environment.all_reduce_sum(job.sums());
    watch.rethrow();
    return seconds();
}

}  // namespace helioray::run

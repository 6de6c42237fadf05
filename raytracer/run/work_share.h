// SPDX-License-Identifier: MIT
// Which work units this rank traces.
#pragma once

#include "distributed/environment.h"
#include "raytracer/run/options.h"
#include "raytracer/trace_job.h"
#include "scenario/run_config.h"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::run {

/// Traces units [begin, end) here.
using TraceUnits = std::function<void(int64_t begin, int64_t end)>;

/// How units are shared.
struct WorkShareOptions {
    Schedule schedule = Schedule::static_;  ///< beforehand, or as ranks become free
    int64_t lanes = 1;                      ///< units that this rank traces at the same time
    bool measure = false;                   ///< a static schedule may time some units first
    std::string name;                       ///< new for every share of an environment
    Log log;
};

/// Divides the units of each round between the ranks. The sums of all ranks are the same however
/// that is done.
class WorkShare {
  public:
    /// `wait_for_all` returns when every rank has called it as often. Collective; job and
    /// environment outlive this object.
    WorkShare(const TraceJob& job,
              DistributedEnvironment& environment,
              WorkShareOptions options,
              std::function<void()> wait_for_all);

    /// Calls `trace` for this rank's part of the units [begin, end), as often as it takes.
    /// Collective; `cancelled` makes it return early.
    void run(int64_t begin,
             int64_t end,
             const TraceUnits& trace,
             const std::function<bool()>& cancelled);

  private:
    using Ranges = std::vector<std::pair<int64_t, int64_t>>;

    void draw(int64_t begin,
              int64_t end,
              const TraceUnits& trace,
              const std::function<bool()>& cancelled);
    double seconds_of_ray(int64_t first, int64_t last, const TraceUnits& trace) const;
    Ranges measure(int64_t begin, int64_t end, const TraceUnits& trace);
    Ranges own_ranges(int64_t begin, int64_t end, const Ranges& done) const;
    std::vector<double> costs(int64_t begin, int64_t end) const;

    const TraceJob& job_;
    DistributedEnvironment& environment_;
    WorkShareOptions options_;  // lanes: the most of any rank, so that all agree
    std::function<void()> wait_for_all_;
    int rounds_ = 0;
    std::vector<double> seconds_per_ray_;  // along a round; empty: not measured
};

}  // namespace helioray::run

// SPDX-License-Identifier: MIT
// Traces units that rank 0 hands out.
#pragma once

#include "distributed/ranks/worker.h"
#include "raytracer/run/options.h"
#include "raytracer/run/prepare.h"

#include <vector>

namespace helioray::run {

/// Traces units of the run's steps for rank 0 until the run is over. cuda_devices: of this rank;
/// empty: CPU. hooks: with the number of threads. Throws Stopped, and DistributedError if rank 0 is
/// lost or continues without this rank.
void work_for_root(PreparedRun& run,
                   Worker& worker,
                   const std::vector<int>& cuda_devices,
                   const Options& hooks);

}  // namespace helioray::run

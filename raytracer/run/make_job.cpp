// SPDX-License-Identifier: MIT
// Creates the job of the configured model.
#include "raytracer/run/make_job.h"

#include "kernels/host/module.h"
#include "raytracer/tracing/physical/physical_job.h"

namespace helioray {

std::unique_ptr<TraceJob> make_job(const RunConfig& config,
                                   const Scenario& scenario,
                                   int num_threads) {
    if (config.tracing.model != Model::artist)
        return physical::make_physical_job(config, scenario, num_threads);
    // Model artist computes with LibTorch, which nothing else in a run with one process needs.
    using Entry = TraceJob* (*)(const RunConfig&, const Scenario&);
    static const auto make =
        reinterpret_cast<Entry>(module_function("helioray_artist", "helioray_make_artist_job"));
    return std::unique_ptr<TraceJob>(make(config, scenario));
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// The model that a configuration asks for.
#include "raytracer/make_job.h"

#include "raytracer/artist/artist_job.h"
#include "raytracer/physical/physical_job.h"

namespace helioray {

std::unique_ptr<TraceJob> make_job(const RunConfig& config, const Scenario& scenario) {
    if (config.tracing.model == Model::artist) return make_artist_job(config, scenario);
    return physical::make_physical_job(config, scenario);
}

}  // namespace helioray

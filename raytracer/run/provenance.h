// SPDX-License-Identifier: MIT
// How a result was made, as far as the engine knows it.
#pragma once

#include "distributed/environment.h"
#include "raytracer/result.h"
#include "raytracer/run/prepare.h"

#include <string>

namespace helioray::run {

/// Everything but rays, fingerprint and direction to the sun.
void complete_provenance(Provenance& provenance,
                         const PreparedRun& run,
                         const DistributedEnvironment& environment);

}  // namespace helioray::run

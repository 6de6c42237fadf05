// SPDX-License-Identifier: MIT
// Build, moment, input and ranks of a run.
#include "raytracer/run/provenance.h"

#include "kernels/instruction_set.h"
#include "raytracer/provenance.h"

#include "helioray/version.h"

namespace helioray::run {

namespace {

/// Empty where the CPU kernels do not trace (CUDA, model artist).
std::string instruction_set_of(const PreparedRun& run) {
    if (run.device.use_cuda || run.config.tracing.model != Model::physical) return "";
    return kernels::to_string(kernels::resolve_instruction_set());
}

}  // namespace

void complete_provenance(Provenance& provenance,
                         const PreparedRun& run,
                         const DistributedEnvironment& environment) {
    provenance.helioray_version = kVersion;
    provenance.git_commit = kGitCommit;
    provenance.created = utc_now();
    provenance.config = run.config.text;
    provenance.scenario_file = run.config.scenario.string();
    provenance.scenario_sha256 = run.scenario_sha256;
    provenance.seed = run.config.tracing.seed;
    provenance.world_size = environment.world_size();
    provenance.backend = environment.backend_name();
    provenance.device = environment.device_name();
    provenance.launcher = to_string(environment.launch().launcher);
    provenance.instruction_set = instruction_set_of(run);
}

}  // namespace helioray::run

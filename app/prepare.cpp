// SPDX-License-Identifier: MIT
// Everything of a run that can go wrong before work begins.
#include "app/prepare.h"

#include "raytracer/make_job.h"
#include "raytracer/output/atomic_file.h"
#include "raytracer/output/flux_plot.h"
#include "raytracer/output/result_file.h"
#include "raytracer/provenance.h"
#include "scenario/config/checks.h"
#include "scenario/config/reader.h"
#include "scenario/scenario_reader.h"

#include <spdlog/spdlog.h>

namespace helioray::app {

namespace {

/// Room that the result file will need, so that a full disk is found before tracing.
uint64_t expected_bytes(const RunConfig& config, const Scenario& scenario) {
    const auto heliostats = static_cast<int64_t>(config.aim.active ? config.aim.active->size()
                                                                   : scenario.heliostats.size());
    return estimated_result_bytes(static_cast<int64_t>(scenario.targets.size()),
                                  heliostats,
                                  config.bitmap.height,
                                  config.bitmap.width,
                                  config.output.per_heliostat);
}

}  // namespace

RunConfig read_config(const RaytraceOptions& options) {
    Overrides overrides;
    overrides.set = options.set;
    overrides.output = options.output;
    overrides.image = options.image;
    overrides.scenario = options.scenario;
    overrides.seed = options.seed;
    overrides.device = options.device;
    return read_run_config(options.config, overrides);
}

PreparedRun prepare_run(RunConfig config) {
    PreparedRun run;
    check_supported(config);
    run.device = choose_device(config.device, config.tracing.model);
    run.output = config.output.file.value_or("");
    run.image = config.output.image.value_or("");
    auto scenario = std::make_shared<const Scenario>(read_scenario(config.scenario));
    for (const std::string& warning : scenario->warnings) spdlog::warn("{}", warning);
    check_against_scenario(config, *scenario);
    if (!run.output.empty()) check_writable(run.output, expected_bytes(config, *scenario));
    if (!run.image.empty()) {
        check_picture_path(run.image);
        check_writable(run.image);
    }
    run.scenario_sha256 = sha256_of_file(config.scenario);
    run.configuration_hash = sha256_of_text(config.text + run.scenario_sha256);
    run.job = make_job(config, *scenario);
    for (const std::string& warning : run.job->warnings()) spdlog::warn("{}", warning);
    run.scenario = std::move(scenario);
    run.config = std::move(config);
    return run;
}

}  // namespace helioray::app

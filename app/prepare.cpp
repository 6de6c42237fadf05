// SPDX-License-Identifier: MIT
// Everything of a run that can go wrong before work begins.
#include "app/prepare.h"

#include "raytracer/make_job.h"
#include "raytracer/output/atomic_file.h"
#include "raytracer/output/flux_plot.h"
#include "raytracer/output/result_file.h"
#include "raytracer/provenance.h"
#include "scenario/config/checks.h"
#include "scenario/config/determining_text.h"
#include "scenario/config/reader.h"
#include "scenario/error.h"
#include "scenario/scenario_reader.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "helioray/version.h"

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

/// Numbers with all their digits, so that equal texts are equal positions.
std::string positions_text(const std::vector<LitStep>& steps) {
    std::string text;
    for (const LitStep& step : steps)
        text += fmt::format("{} {} {} {}\n", step.time, step.azimuth, step.elevation, step.dni);
    return text;
}

void prepare_series(PreparedRun& run,
                    const RunConfig& config,
                    const Scenario& scenario,
                    Parts parts) {
    LitSteps lit = lit_steps(config.sun, scenario.position);
    if (!lit.left_out.empty()) {
        spdlog::info("{} of {} steps have no light and are left out (the first: {})",
                     lit.left_out.size(),
                     lit.left_out.size() + lit.steps.size(),
                     lit.left_out.front());
    }
    run.steps = std::move(lit.steps);
    if (run.output.empty()) {
        throw InputError(Problem{place_of(config, "output.file"),
                                 "a series needs a result file",
                                 "finished steps are kept beside it",
                                 "add output: {file: series.h5}, or use --output"});
    }
    run.parts =
        std::make_unique<SeriesParts>(run.output,
                                      SeriesIdentity{sha256_of_text(determining_text(config)),
                                                     run.scenario_sha256,
                                                     sha256_of_text(positions_text(run.steps)),
                                                     fmt::format("{} {}", kVersion, kGitCommit),
                                                     run.device.use_cuda ? "cuda" : "cpu",
                                                     run.steps.size()});
    run.parts->check(parts == Parts::remove);
    // Alignment of one step finds most of what could fail in any of them.
    run.job = make_job(config_of_step(config, run.steps.front()), scenario);
    run.job.reset();
}

}  // namespace

RunConfig read_config(const RaytraceOptions& options, SunPositions positions) {
    Overrides overrides;
    overrides.set = options.set;
    overrides.output = options.output;
    overrides.image = options.image;
    overrides.scenario = options.scenario;
    overrides.seed = options.seed;
    overrides.device = options.device;
    return read_run_config(options.config, overrides, positions);
}

PreparedRun prepare_run(RunConfig config, Parts parts) {
    PreparedRun run;
    check_supported(config);
    run.device = choose_device(config.device, config.tracing.model);
    run.output = config.output.file.value_or("");
    run.image = config.output.image.value_or("");
    auto scenario = std::make_shared<const Scenario>(read_scenario(config.scenario));
    for (const std::string& warning : scenario->warnings) spdlog::warn("{}", warning);
    check_against_scenario(config, *scenario);
    // Steps are stored twice: apart and joined.
    const uint64_t copies = config.sun.series ? 2 * config.sun.series->steps.size() : 1;
    if (!run.output.empty()) check_writable(run.output, copies * expected_bytes(config, *scenario));
    if (!run.image.empty()) {
        check_picture_path(run.image);
        check_writable(run.image);
    }
    run.scenario_sha256 = sha256_of_file(config.scenario);
    run.configuration_hash = sha256_of_text(config.text + run.scenario_sha256);
    if (config.sun.series) {
        prepare_series(run, config, *scenario, parts);
    } else {
        run.job = make_job(config, *scenario);
        for (const std::string& warning : run.job->warnings()) spdlog::warn("{}", warning);
    }
    run.scenario = std::move(scenario);
    run.config = std::move(config);
    return run;
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// What is found before anything is traced, with scenarios from files and from memory.
#include "raytracer/run/prepare.h"
#include "scenario/files/error.h"
#include "scenario/reader/scenario_reader.h"
#include "tests/raytracer/run/small_run.h"
#include "tests/support/catch2.h"

#include <memory>

using namespace helioray;
using namespace helioray::test;

namespace {

/// What prepare says about a configuration.
std::vector<Problem> problems_of(const RunConfig& config, const run::PrepareOptions& options = {}) {
    try {
        run::prepare(config, options);
    } catch (const InputError& error) {
        return error.problems();
    }
    return {};
}

run::PrepareOptions with_scenario() {
    run::PrepareOptions options;
    options.scenario = std::make_shared<const Scenario>(read_scenario(scenario_file()));
    return options;
}

}  // namespace

TEST_CASE("a prepared run is planned and knows its input") {
    const run::PreparedRun prepared = run::prepare(small_config());
    REQUIRE(prepared.job);
    CHECK(prepared.job->num_rays() == 60'000);
    CHECK_FALSE(prepared.is_series());
    CHECK_FALSE(prepared.device.use_cuda());
    CHECK(prepared.output.empty());
    CHECK(run::prepare(small_config()).settings == prepared.settings);
    CHECK(run::prepare(small_config({"tracing.seed=1"})).settings != prepared.settings);
}

TEST_CASE("all problems of a run are reported together") {
    const auto problems = problems_of(
        small_config({"aim.target=nowhere", "output.file=/nonexistent/a.h5", "device=cuda:99"}));
    REQUIRE(problems.size() == 3);
    CHECK_THAT(problems[0].where, ContainsSubstring("device"));
    CHECK_THAT(problems[1].what, ContainsSubstring("nowhere"));
    CHECK_THAT(problems[2].where, ContainsSubstring("/nonexistent"));
}

TEST_CASE("a scenario in memory is traced like its file") {
    // Made by the program, not read: without text and file.
    RunConfig config;
    config.sun.position = SunIncidentDirection{{0.0, 0.7, -0.7}};
    config.aim.target = "multi_focus_tower";
    config.tracing.rays_per_heliostat = 1000;
    config.device.kind = DeviceConfig::Kind::cpu;
    const run::PreparedRun from_memory = run::prepare(config, with_scenario());
    CHECK(from_memory.scenario_sha256.empty());
    config.scenario = scenario_file();
    const run::PreparedRun from_file = run::prepare(config);
    TraceControl control;
    for (const run::PreparedRun* prepared : {&from_memory, &from_file})
        prepared->job->trace(0, prepared->job->num_units(), control);
    CHECK(fingerprint(from_memory.job->sums()) == fingerprint(from_file.job->sums()));
}

TEST_CASE("a missing scenario is a problem of its own") {
    RunConfig config;
    config.aim.target = "multi_focus_tower";
    config.scenario = "/nonexistent/plant.h5";
    config.device.kind = DeviceConfig::Kind::cpu;
    const auto problems = problems_of(config);
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].where, ContainsSubstring("plant.h5"));
}

TEST_CASE("a series has to be recognised when it continues") {
    const std::vector<std::string> series{"sun.positions=[{azimuth_deg: 150, elevation_deg: 40}]",
                                          "sun.azimuth_deg=null",
                                          "sun.elevation_deg=null",
                                          "output.file=series.h5"};
    RunConfig config = small_config(series);
    CHECK(problems_of(config).empty());
    auto problems = problems_of(config, with_scenario());
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].what, ContainsSubstring("scenario file"));
    config.text.clear();
    problems = problems_of(config);
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].what, ContainsSubstring("text of its configuration"));
    config = small_config(series);
    config.output.file.reset();
    problems = problems_of(config);
    REQUIRE(problems.size() == 1);
    CHECK_THAT(problems[0].what, ContainsSubstring("result file"));
}

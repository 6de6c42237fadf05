// SPDX-License-Identifier: MIT
// A plant that is changed in memory: how much less light hits a target of half the height?
#include "raytracer/run/trace.h"
#include "scenario/config/reader.h"
#include "scenario/reader/scenario_reader.h"

#include <cstdio>
#include <exception>
#include <memory>

using namespace helioray;

namespace {

double power_on_first_target(const RunConfig& config, std::shared_ptr<const Scenario> plant) {
    run::Session session([&] { return run::prepare(config, {.scenario = std::move(plant)}); });
    const auto result = run::trace(session);
    session.close();
    return result ? result->targets.front().power_w : 0.0;
}

}  // namespace

int main(int, char** argv) try {
    const RunConfig config = read_run_config(argv[1]);
    const auto plant = std::make_shared<const Scenario>(read_scenario(config.scenario));
    const auto lower = std::make_shared<Scenario>(*plant);
    std::get<PlanarTarget>(lower->targets.front().geometry).height *= 0.5;
    std::printf("%.17g %.17g\n",
                power_on_first_target(config, plant),
                power_on_first_target(config, lower));
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

// SPDX-License-Identifier: MIT
// A rank of the tests: aims a small field and prints what the tests compare.
#include "raytracer/solvers/aiming/traced/start.h"
#include "raytracer/solvers/aiming/traced/trace_field.h"
#include "tests/raytracer/solvers/aiming/plant.h"

#include <chrono>
#include <cstdio>
#include <string>

using namespace helioray;

namespace {

/// Rank 0 computes for more than two time-outs before it shares its points, as for a large field.
void share_points_late(run::Session& session) {
    using Clock = std::chrono::steady_clock;
    const run::PreparedRun& run = session.prepared();
    auto points = aiming::configured_points(run.config, *run.scenario);
    if (session.is_root()) {
        const auto end =
            Clock::now() + 2.3 * std::chrono::duration<double>(run.config.distributed.timeout_s);
        while (Clock::now() < end) {
        }
        points.front().aim.point = {1.0, 2.0, 3.0};
    }
    aiming::share_points(session, false, points);
    std::printf("shared %g\n", points.front().aim.point[2]);
}

}  // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    const bool has_receiver = mode == "receiver";
    test::Plant plant = has_receiver ? test::make_plant(60,
                                                        {"receiver.type=polygon",
                                                         "receiver.panels=8",
                                                         "receiver.radius_m=1.5",
                                                         "receiver.height_m=4"})
                                     : test::cylinder_plant(60);
    plant.config.aiming.flux_limit = 60e3;
    run::Options options;
    options.num_threads = 1;
    run::PrepareOptions prepare;
    prepare.chooses_aims = true;
    prepare.scenario = plant.scenario;
    if (mode == "late_points") plant.config.distributed.timeout_s = 3.0;
    run::Session session([&] { return run::prepare(plant.config, prepare); }, options);
    if (mode == "late_points") {
        share_points_late(session);
        session.close();
        return 0;
    }
    const auto result = aiming::aim_field(session);
    session.close();
    if (!result) return 0;
    std::printf("fingerprint %s bound %.17g off %d\n",
                result->after.provenance.fingerprint.c_str(),
                *result->power_bound,
                static_cast<int>(result->heliostats_off));
    for (const aiming::AimedPoint& point : result->points)
        std::printf("%.17g %d\n", point.aim.point[2], point.active ? 1 : 0);
}

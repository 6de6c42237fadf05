// SPDX-License-Identifier: MIT
// A rank of the tests: aims a small field and prints what the tests compare.
#include "tests/raytracer/solvers/aiming/plant.h"

#include <cstdio>
#include <string>

using namespace helioray;

int main(int argc, char** argv) {
    const bool has_receiver = argc > 1 && std::string(argv[1]) == "receiver";
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
    run::Session session([&] { return run::prepare(plant.config, prepare); }, options);
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

// SPDX-License-Identifier: MIT
// Tutorial 01: from a scenario file to the flux on a tower, in one short program.
#include "app/output/plot/flux_plot.h"
#include "raytracer/run/make_job.h"
#include "scenario/reader/scenario_reader.h"

#include <cstdio>
#include <exception>

using namespace helioray;

int main(int argc, char** argv) try {
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s SCENARIO.h5 PICTURE.png\n", argv[0]);
        return 2;
    }
    // 1. A scenario describes the plant: targets, heliostats, the shape of the sun.
    const Scenario scenario = read_scenario(argv[1]);

    // 2. A configuration describes the moment: the position of the sun and the aim points. The
    // program uses radians.
    RunConfig config;
    config.sun.position =
        SunIncidentDirection{{0.0, 0.7, -0.7}};  // light travels north and down: sun in the south
    config.sun.dni = 1000.0;                     // W/m2
    config.sun.shape = PillboxShape{4.65e-3};
    config.aim.target = "multi_focus_tower";
    config.tracing.rays_per_heliostat = 1'000'000;
    config.tracing.shading = false;
    config.tracing.blocking = false;

    // 3. A job is the prepared run: it aligns heliostats, evaluates surfaces and plans rays.
    const auto job = make_job(config, scenario);

    // 4. Trace all of its work units. (Several processes would each trace a part and add their
    // sums.)
    TraceControl control;
    control.num_threads = 2;
    job->trace(0, job->num_units(), control);

    // 5. The result: flux maps in W/m2 and an energy balance that closes for every heliostat.
    const RunResult result = job->result();
    for (const HeliostatResult& heliostat : result.heliostats) {
        const EnergyTerms& energy = heliostat.energy;
        std::printf("%s: %.0f W of sun, ", heliostat.name.c_str(), energy.solar_power);
        std::printf("%.0f W on the target\n", energy.target_power);
    }
    for (const TargetResult& target : result.targets) {
        std::printf("%s: %.0f W, peak %.0f +- %.0f W/m2\n",
                    target.target.name.c_str(),
                    target.power_w,
                    target.peak_flux_w_m2,
                    target.peak_flux_std_error_w_m2);
    }
    plot_flux(result, argv[2]);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

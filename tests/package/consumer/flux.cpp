// SPDX-License-Identifier: MIT
// From a scenario to the power on a target with the installed libraries.
#include "app/output/plot/flux_plot.h"
#include "distributed/ranks/environment.h"
#include "raytracer/run/make_job.h"
#include "scenario/reader/scenario_reader.h"

#include "helioray/version.h"
#include <cstdio>
#include <exception>

int main(int, char** argv) try {
    helioray::DistributedEnvironment environment({});
    const helioray::Scenario scenario = helioray::read_scenario(argv[1]);
    helioray::RunConfig config;
    config.sun.position = helioray::SunIncidentDirection{{0.0, 0.7, -0.7}};
    config.sun.dni = 1000.0;
    config.sun.shape = helioray::PillboxShape{4.65e-3};
    config.aim.target = "multi_focus_tower";
    config.tracing.rays_per_heliostat = 100'000;
    const auto job = helioray::make_job(config, scenario);
    helioray::TraceControl control;
    control.num_threads = 1;
    job->trace(0, job->num_units(), control);
    const helioray::RunResult result = job->result();
    helioray::plot_flux(result, argv[2]);
    for (const helioray::TargetResult& target : result.targets) {
        std::printf("%s %.17g\n", target.target.name.c_str(), target.power_w);
    }
    std::printf("version %s rank %d of %d\n",
                helioray::kVersion,
                environment.rank(),
                environment.world_size());
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

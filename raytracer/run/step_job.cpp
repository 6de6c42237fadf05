// SPDX-License-Identifier: MIT
// Moves the sun of a job from step to step.
#include "raytracer/run/step_job.h"

#include "raytracer/run/make_job.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace helioray::run {

TraceJob& get_job(PreparedRun& run, size_t step, int num_threads) {
    if (!run.is_series()) return *run.job;
    try {
        const LitStep& lit = run.steps[step];
        SunConfig sun;
        sun.position = lit.position;
        const Vec3 direction = direction_to_sun(sun, run.scenario->position);
        if (lit.aim || run.config.sun.clouds || run.config.state.has_times() || !run.job ||
            !run.job->set_sun(direction, lit.dni, lit.temperature, num_threads)) {
            run.job = make_job(config_of_step(run.config, lit), *run.scenario, num_threads);
        }
        return *run.job;
    } catch (const InputError& error) {
        std::vector<Problem> problems = error.problems();
        for (Problem& problem : problems)
            problem.where =
                fmt::format("step {} ({}): {}", step, label_of(run.steps[step]), problem.where);
        throw InputError(std::move(problems));
    }
}

std::string describe_job(const PreparedRun& run, std::size_t step, const TraceJob& job) {
    std::string sun;
    if (run.is_series()) {
        const LitStep& lit = run.steps[step];
        sun = fmt::format(
            " {} {} {} {}", lit.direction[0], lit.direction[1], lit.direction[2], lit.dni);
        if (lit.temperature) sun += fmt::format(" {}", *lit.temperature);
    }
    return fmt::format("{} {} {}{}", step, job.num_units(), job.num_rays(), sun);
}

std::size_t parse_step(const std::string& text) {
    return std::stoull(text);
}

}  // namespace helioray::run

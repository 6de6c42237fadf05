// SPDX-License-Identifier: MIT
// The run of one case.
#include "raytracer/validation/study.h"

#include "raytracer/make_job.h"
#include "scenario/config/checks.h"

#include <algorithm>
#include <cmath>

namespace helioray::validation {

namespace {

double energy_gap(const EnergyTerms& terms) {
    double sum = 0.0;
    for (const EnergyTermInfo& info : energy_term_infos()) sum += terms.*info.member;
    sum -= terms.solar_power;
    return std::abs(sum - terms.solar_power) / terms.solar_power;
}

double map_gap(const TargetResult& target) {
    double sum = 0.0;
    for (const double flux : target.flux) sum += flux;
    const auto extent = surface_extent(target.target);
    const double pixel_area =
        extent[0] * extent[1] / static_cast<double>(target.width * target.height);
    return std::abs(sum * pixel_area - target.power_w) / std::max(target.power_w, 1.0);
}

}  // namespace

RunResult trace_scene(Scene scene, int64_t rays, uint64_t seed, const TraceControl& control) {
    const auto heliostats = std::ssize(scene.scenario.heliostats);
    scene.config.tracing.rays_per_heliostat = (rays + heliostats - 1) / heliostats;
    scene.config.tracing.seed = seed;
    check_supported(scene.config);
    const auto job = make_job(scene.config, scene.scenario);
    job->trace(0, job->num_units(), control);
    return job->result();
}

Study::Study(const Effort& effort, std::string id, std::string title, Identities& identities)
    : effort_(effort), id_(std::move(id)), title_(std::move(title)), identities_(identities) {}

int64_t Study::rays_per_heliostat(size_t heliostats) const {
    const auto n = static_cast<int64_t>(heliostats);
    return (effort_.rays + n - 1) / n;
}

RunResult Study::trace(const Scene& scene) {
    RunResult result = trace_scene(scene, effort_.rays, effort_.seed, effort_.control);
    ++identities_.scenes;
    for (const HeliostatResult& heliostat : result.heliostats)
        identities_.energy_gap = std::max(identities_.energy_gap, energy_gap(heliostat.energy));
    for (const TargetResult& target : result.targets)
        identities_.map_gap = std::max(identities_.map_gap, map_gap(target));
    return result;
}

void Study::compare(const std::string& quantity,
                    const std::string& unit,
                    double reference,
                    const std::string& source,
                    double ours,
                    double std_error,
                    double tolerance) {
    rows_.push_back(
        {id_, title_, quantity, unit, reference, source, ours, std_error, tolerance, ""});
}

}  // namespace helioray::validation

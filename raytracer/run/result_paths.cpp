// SPDX-License-Identifier: MIT
// Prepares the field of a stored result once more, and traces some of its rays.
#include "raytracer/run/result_paths.h"

#include "raytracer/results/provenance.h"
#include "raytracer/tracing/physical/prepared_field.h"
#include "raytracer/tracing/physical/trace_paths.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <unordered_map>

namespace helioray::run {

namespace {

constexpr const char* kWhy = "rays are traced again from the scenario of the run";

/// Throws InputError unless the scenario of the run is still there.
void check_scenario(const Provenance& provenance) {
    const std::filesystem::path file = provenance.scenario_file;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
        throw InputError(Problem{
            file.string(), "is not there any more", kWhy, "put the file there, or omit the rays"});
    if (sha256_of_file(file) != provenance.scenario_sha256)
        throw InputError(Problem{file.string(),
                                 "has changed since the run (another SHA-256)",
                                 kWhy,
                                 "repeat the run, or omit the rays"});
}

/// Returns the configuration of the run with the sun and the aim points of the result, which may be
/// one step of a series.
RunConfig config_of_result(const RunResult& result) {
    const Provenance& provenance = result.provenance;
    Overrides overrides;
    overrides.keeps_result = true;
    overrides.scenario = provenance.scenario_file;
    RunConfig config = parse_run_config(provenance.config,
                                        "configuration of the result",
                                        input_folder(provenance),
                                        overrides,
                                        SunPositions::optional);
    if (config.tracing.model != Model::physical)
        throw InputError(Problem{"tracing.model",
                                 "rays of model artist have no paths",
                                 "only model physical can trace single rays",
                                 "omit the rays"});
    config.tracing.seed = provenance.seed;
    config.output.per_heliostat = false;
    config.sun.series.reset();
    // Powers are those of the result.
    config.sun.clouds.reset();
    config.sun.position = SunIncidentDirection{scaled(-1.0, provenance.sun_direction)};
    config.sun.temperature = provenance.temperature_c;
    config.aim.active.emplace();
    for (const HeliostatResult& heliostat : result.heliostats) {
        if (heliostat.rays == 0) continue;
        config.aim.active->push_back(heliostat.name);
        HeliostatAim& aim = config.aim.heliostats[heliostat.name];
        aim.active = true;
        aim.target = heliostat.target;
        if (!aim.motor_positions) aim.point = heliostat.aim_point;
    }
    return config;
}

/// Throws InputError if a mirror of the field has another pose than in the result.
void check_pose(const physical::AimedHeliostat& aimed, const HeliostatResult& heliostat) {
    constexpr double kTolerance = 1e-6;
    for (size_t i = 0; i < aimed.orientation.size(); ++i) {
        if (std::abs(aimed.orientation[i] - heliostat.orientation[i]) < kTolerance) continue;
        throw InputError(Problem{heliostat.name,
                                 "gets another pose than in the result",
                                 "its rays would not be those of the run",
                                 "repeat the run with this version, or omit the rays"});
    }
}

}  // namespace

std::vector<TracedPath> trace_paths(const RunResult& result, std::int64_t count, int num_threads) {
    check_scenario(result.provenance);
    const RunConfig config = config_of_result(result);
    const Scenario scenario = read_scenario(config);
    physical::PreparedField prepared(config, scenario, true, num_threads);
    prepared.set_sun(result.provenance.sun_direction, config.sun.dni);
    prepared.update(num_threads);

    std::unordered_map<std::string, size_t> rows;
    std::int64_t rays = 0;
    for (size_t i = 0; i < result.heliostats.size(); ++i) {
        rows[result.heliostats[i].name] = i;
        rays = std::max(rays, result.heliostats[i].rays);
    }
    const physical::Field& field = prepared.field();
    for (const physical::AimedHeliostat& aimed : field.aimed())
        check_pose(aimed, result.heliostats[rows.at(scenario.heliostats[aimed.heliostat].name)]);

    std::vector<TracedPath> paths = physical::trace_paths(field, rays, count);
    const double heliostats_per_path =
        static_cast<double>(field.aimed().size()) / static_cast<double>(paths.size());
    for (TracedPath& path : paths) {
        path.heliostat = rows.at(scenario.heliostats[path.heliostat].name);
        path.power_w =
            path.share * result.heliostats[path.heliostat].energy.solar_power * heliostats_per_path;
    }
    return paths;
}

}  // namespace helioray::run

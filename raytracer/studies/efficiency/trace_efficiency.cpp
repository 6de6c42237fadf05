// SPDX-License-Identifier: MIT
// Traces sun positions of a table as a series, and computes the entries from its parts.
#include "raytracer/studies/efficiency/trace_efficiency.h"

#include "raytracer/results/result_file.h"
#include "raytracer/run/trace.h"
#include "scenario/config/reader.h"
#include "scenario/files/units.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/receivers.h"

#include <utility>
#include <vector>

namespace helioray {

SunRectangle default_rectangle(const std::optional<YearPositions>& year) {
    if (year) check_year_positions(*year);
    std::vector<double> azimuths, elevations;
    for (int i = 0; i < 24; ++i) azimuths.push_back(15.0 * i * kRadiansPerDegree);
    // Use small steps at low elevations, where shading changes the efficiency most.
    if (year) elevations.push_back(year->min_elevation_deg * kRadiansPerDegree);
    for (const double degrees : {5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 75.0, 90.0}) {
        if (!year || degrees > year->min_elevation_deg + 1.0)
            elevations.push_back(degrees * kRadiansPerDegree);
    }
    return {std::move(azimuths), std::move(elevations)};
}

std::string aiming_warning(const RunConfig& config) {
    if (!config.locations.contains("aiming.strategy")) return "";
    return place_of(config, "aiming.strategy") +
           " is not used: a table has the aim points of section aim at every position, without "
           "flux limits; helioray annual chooses them, and aim.file takes those of helioray aim";
}

namespace {

/// Throws InputError if a surface of a receiver is a mesh.
void refuse_meshes(const RunConfig& config, const Scenario* scenario) {
    bool has_mesh = scenario != nullptr && find_mesh(scenario->targets) != nullptr;
    for (const auto& [name, receiver] : config.receivers)
        has_mesh = has_mesh || find_mesh(receiver.surfaces) != nullptr;
    if (!has_mesh) return;
    throw InputError(Problem{place_of(config, "receivers"),
                             "a surface of a receiver is a mesh",
                             "tables of efficiencies have maps of equal pixels",
                             "describe the receiver by planes, cylinders, cones and spheres"});
}

}  // namespace

EfficiencyPlan plan_efficiency(const EfficiencyOptions& options,
                               RunConfig& config,
                               const std::shared_ptr<const Scenario>& scenario) {
    const double latitude_deg =
        (scenario ? scenario->position : read_scenario(config.scenario).position).latitude_deg;
    refuse_meshes(config, scenario.get());
    EfficiencyPlan plan{options.suns ? *options.suns : default_rectangle(options.year),
                        std::nullopt,
                        latitude_deg * kRadiansPerDegree,
                        config.sun.dni,
                        options.has_checks};
    if (options.year) plan.year = sky_grid(*options.year, latitude_deg);
    SunSeries series;
    for (const auto& [azimuth, elevation] : plan.positions())
        series.steps.push_back(
            {SunAngles{azimuth, elevation}, plan.dni, "sun positions of the efficiency table"});
    config = config_of_positions(std::move(config), std::move(series));
    if (!config.locations.contains("bitmap.width")) config.bitmap.width = kEfficiencyMapWidth;
    if (!config.locations.contains("bitmap.height")) config.bitmap.height = kEfficiencyMapHeight;
    return plan;
}

std::optional<EfficiencyTable> trace_efficiency(run::Session& session, const EfficiencyPlan& plan) {
    if (!run::trace_steps(session)) return std::nullopt;
    const RunParts& parts = *session.prepared().parts;
    return efficiency_table(plan, [&](std::size_t position) {
        return read_result(parts.part(position), HeliostatFlux::skip);
    });
}

}  // namespace helioray

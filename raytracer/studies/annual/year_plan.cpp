// SPDX-License-Identifier: MIT
// Plans the computation of a year.
#include "raytracer/studies/annual/year_plan.h"

#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/types/receivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace helioray {

namespace {

constexpr int kDefaultYear = 2026;
// Maps are not stored, so they may be small.
constexpr std::int64_t kPixels = 16;

void check(const char* name, double value, const Range& limits) {
    if (limits.contains(value)) return;
    throw InputError(Problem{name,
                             fmt::format("{} is not {}", value, limits.sentence()),
                             limits.why,
                             fmt::format("give a number {}", limits.sentence())});
}

}  // namespace

void check_year_positions(const YearPositions& positions) {
    check("min_elevation_deg", positions.min_elevation_deg, kLowestElevations);
    check("declinations", positions.declinations, kGridCounts);
    check("hours", positions.hours, kGridCounts);
}

void check_calendar_year(int year) {
    check("year", year, kCalendarYears);
}

SkyGrid sky_grid(const YearPositions& positions, double latitude_deg) {
    check_year_positions(positions);
    return {latitude_deg * kRadiansPerDegree,
            positions.min_elevation_deg * kRadiansPerDegree,
            positions.declinations,
            positions.hours};
}

YearPlan plan_year(const YearOptions& options, const GeodeticPosition& plant) {
    if (options.year != 0) check_calendar_year(options.year);
    check("dni_levels", options.levels, kLevelCounts);
    SkyGrid grid = sky_grid(options, plant.latitude_deg);
    const auto make_year = [&]() -> IrradianceYear {
        if (!options.weather.empty())
            return weather_year(plant, options.weather, options.stamp, options.year);
        if (options.series)
            return weather_year(plant, *options.series, options.stamp, options.year);
        return clear_year(plant, options.year != 0 ? options.year : kDefaultYear, options.sky);
    };
    return {std::move(grid), make_year(), plant};
}

RunConfig config_of_positions(RunConfig config, SunSeries positions) {
    if (config.tracing.model == Model::artist) {
        throw InputError(Problem{place_of(config, "tracing.model"),
                                 "model artist has no energy terms",
                                 "efficiencies and yields are made of them",
                                 "choose tracing.model: physical"});
    }
    if (config.state.has_times()) {
        throw InputError(
            Problem{place_of(config, "state.file"),
                    "the table of states has times, and these positions of the sun none",
                    "a year and a table of efficiencies have one state of the plant",
                    "give a table without the column time; a year has state.soiling "
                    "and state.outages"});
    }
    config.sun.series = std::move(positions);
    config.sun.clouds.reset();
    config.output.image.reset();
    config.output.per_heliostat = false;
    return config;
}

namespace {

/// Returns the temperature of the air for each node: the mean over the moments of the year, with
/// their weights in the node's energy. Powers that are linear in the temperature then give the
/// exact energy of the year. Not set if no moment with light has a temperature.
std::vector<std::optional<double>> node_temperatures(const YearPlan& plan) {
    const std::size_t count = plan.grid.nodes().size();
    std::vector<double> weights(count, 0.0), sums(count, 0.0), by_node(count);
    double lowest = kTemperatures.high, highest = kTemperatures.low;
    for (const SunMoment& moment : plan.year.moments) {
        const bool is_used = moment.temperature && moment.insolation > 0.0 &&
                             moment.elevation >= plan.grid.min_elevation();
        if (!is_used) continue;
        lowest = std::min(lowest, *moment.temperature);
        highest = std::max(highest, *moment.temperature);
        std::ranges::fill(by_node, 0.0);
        plan.grid.distribute(moment.direction, moment.insolation, SkyGrid::Rule::full, by_node);
        for (std::size_t i = 0; i < count; ++i) {
            weights[i] += by_node[i];
            sums[i] += by_node[i] * *moment.temperature;
        }
    }
    std::vector<std::optional<double>> temperatures(count);
    if (lowest > highest) return temperatures;
    // Weights of single moments may be below 0. Where they cancel, the node hardly counts.
    for (std::size_t i = 0; i < count; ++i)
        temperatures[i] = weights[i] == 0.0 ? 0.5 * (lowest + highest)
                                            : std::clamp(sums[i] / weights[i], lowest, highest);
    return temperatures;
}

}  // namespace

RunConfig config_of_year(RunConfig config, const YearPlan& plan, std::optional<double> clearness) {
    SunSeries series;
    const std::vector<std::optional<double>> temperatures = node_temperatures(plan);
    for (const SkyGrid::Node& node : plan.grid.nodes()) {
        const double dni =
            clearness ? *clearness * plan.year.clear_sky(node.elevation) : config.sun.dni;
        series.steps.push_back(
            {SunAngles{node.azimuth, node.elevation}, dni, "sun positions of the year"});
        series.steps.back().temperature = temperatures[series.steps.size() - 1];
    }
    config = config_of_positions(std::move(config), std::move(series));
    if (!clearness) {
        int64_t side = kPixels;
        for (const auto& [name, receiver] : config.receivers) {
            // Each triangle of a mesh has a pixel.
            if (const MeshTarget* mesh = find_mesh(receiver.surfaces))
                side = std::max(side, pixels_along_side(*mesh));
        }
        config.bitmap.width = config.bitmap.height = side;
    }
    return config;
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Integrates the steps of a series over time.
#include "raytracer/results/series/series_energy.h"

#include "scenario/files/number_text.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace helioray {

namespace {

/// A gap of this length is a night: days of plants have steps at least every few hours.
constexpr double kNight = 6.0 * 3600.0;

/// Adds to each of the steps half of the gap to its neighbours in the list.
void add_halves(std::vector<double>& seconds,
                const std::vector<double>& instants,
                const std::vector<std::size_t>& steps) {
    for (std::size_t i = 1; i < steps.size(); ++i) {
        const double half = 0.5 * (instants[steps[i]] - instants[steps[i - 1]]);
        seconds[steps[i - 1]] += half;
        seconds[steps[i]] += half;
    }
}

/// Returns the sum of values over steps of a day, weighted with durations.
template <typename Value>
double weighted_sum(const std::vector<double>& seconds,
                    const SeriesDay& steps,
                    const Value& value) {
    double sum = 0.0;
    for (std::size_t step = steps.first; step < steps.end; ++step)
        sum += seconds[step] * value(step);
    return sum;
}

}  // namespace

std::vector<double> step_instants(const SeriesResult& series) {
    std::vector<double> instants;
    for (const SeriesStep& step : series.steps) {
        const IsoTime time = parse_iso_time(step.time);
        if (!time.error.empty()) return {};
        instants.push_back(static_cast<double>(milliseconds_of(time.normalised)) * 1e-3);
    }
    return instants;
}

std::optional<SeriesDurations> series_durations(const SeriesResult& series) {
    const std::vector<double> instants = step_instants(series);
    const bool grows = std::ranges::adjacent_find(
                           instants, [](double a, double b) { return b <= a; }) == instants.end();
    const bool has_watts = std::ranges::none_of(
        series.targets, [](const SeriesTarget& target) { return target.unit == "1"; });
    if (instants.empty() || !grows || !has_watts) return std::nullopt;
    SeriesDurations durations;
    durations.seconds.resize(instants.size());
    durations.without_seconds.resize(instants.size());
    for (std::size_t first = 0; first < instants.size();) {
        std::size_t end = first + 1;
        while (end < instants.size() && instants[end] - instants[end - 1] <= kNight) ++end;
        durations.days.push_back({first, end});
        std::vector<std::size_t> all;
        std::vector<std::size_t> some;
        for (std::size_t step = first; step < end; ++step) {
            all.push_back(step);
            if ((step - first) % 2 == 0 || step + 1 == end) some.push_back(step);
        }
        add_halves(durations.seconds, instants, all);
        add_halves(durations.without_seconds, instants, some);
        first = end;
    }
    if (durations.days.size() == instants.size()) return std::nullopt;
    return durations;
}

double power_std_error(const SeriesResult& series, std::size_t step) {
    double square = 0.0;
    for (const SeriesTarget& target : series.targets)
        if (target.use == SurfaceUse::absorber)
            square += target.power_std_error_w[step] * target.power_std_error_w[step];
    return std::sqrt(square);
}

SeriesEnergy energy_on_targets(const SeriesResult& series,
                               const SeriesDurations& durations,
                               const SeriesDay& steps) {
    const auto power = [&](std::size_t step) { return series.power(step); };
    SeriesEnergy energy;
    energy.value = weighted_sum(durations.seconds, steps, power);
    energy.std_error = weighted_sum(
        durations.seconds, steps, [&](std::size_t step) { return power_std_error(series, step); });
    energy.step_error =
        std::abs(energy.value - weighted_sum(durations.without_seconds, steps, power));
    return energy;
}

RunResult series_plan(const SeriesResult& series,
                      const std::optional<SeriesDurations>& durations,
                      const RunResult& plant) {
    const std::size_t count = series.heliostats.size();
    if (plant.heliostats.size() != count || plant.targets.size() != series.targets.size())
        throw std::invalid_argument("the plant is not that of the series");
    RunResult plan = plant;
    plan.provenance = series.provenance;
    plan.provenance.sun_direction = {};
    plan.accuracy.reset();
    const std::string& first_time = series.steps.front().time;
    plan.step = counted(series.steps.size(), "step");
    if (!first_time.empty())
        plan.step += fmt::format(" from {} to {}", first_time, series.steps.back().time);
    const SeriesDay all{0, series.steps.size()};
    const std::vector<double> weights =
        durations ? durations->seconds
                  : std::vector<double>(series.steps.size(), 1.0 / static_cast<double>(all.end));
    for (std::size_t i = 0; i < plan.targets.size(); ++i) {
        const SeriesTarget& light = series.targets[i];
        TargetResult empty;
        empty.target = plant.targets[i].target;
        empty.unit = durations ? "J" : plant.targets[i].unit;
        empty.power_w =
            weighted_sum(weights, all, [&](std::size_t step) { return light.power_w[step]; });
        empty.power_std_error_w = weighted_sum(
            weights, all, [&](std::size_t step) { return light.power_std_error_w[step]; });
        plan.targets[i] = std::move(empty);
    }
    for (std::size_t i = 0; i < count; ++i) {
        HeliostatResult& heliostat = plan.heliostats[i];
        heliostat.flux.clear();
        for (const EnergyTermInfo& term : energy_term_infos())
            heliostat.energy.*term.member = weighted_sum(weights, all, [&](std::size_t step) {
                return series.energy[step * count + i].*term.member;
            });
        heliostat.target_power_std_error = weighted_sum(weights, all, [&](std::size_t step) {
            return series.target_power_std_error[step * count + i];
        });
    }
    return plan;
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Energies of series: the trapezoidal rule, days, errors and the field of the whole series.
#include "raytracer/results/series/series_energy.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

using namespace helioray;

namespace {

/// Series of one target and the heliostats of `plant`, with these times and powers in W.
SeriesResult series_with(const std::vector<std::string>& times, const std::vector<double>& powers) {
    SeriesResult series;
    SeriesTarget target;
    target.name = "receiver";
    target.unit = "W/m2";
    target.power_w = powers;
    for (size_t i = 0; i < times.size(); ++i) {
        SeriesStep step;
        step.time = times[i];
        series.steps.push_back(step);
        target.power_std_error_w.push_back(0.01 * powers[i]);
    }
    series.targets = {target};
    series.heliostats = {"A", "B"};
    series.heliostat_targets = {"receiver", "receiver"};
    for (const double power : powers) {
        for (const double share : {0.25, 0.75}) {
            EnergyTerms energy;
            energy.solar_power = 2.0 * share * power;
            energy.target_power = share * power;
            series.energy.push_back(energy);
            series.target_power_std_error.push_back(0.001 * share * power);
        }
    }
    return series;
}

std::string at(int hour, int day = 21) {
    return fmt::format("2026-06-{}T{:02}:00:00+02:00", day, hour);
}

constexpr double kHour = 3600.0;

}  // namespace

TEST_CASE("series energy: the trapezoidal rule, also with unequal steps") {
    const SeriesResult series = series_with({at(6), at(8), at(9)}, {100.0, 300.0, 200.0});
    const auto durations = series_durations(series);
    REQUIRE(durations);
    CHECK(durations->seconds == std::vector<double>{kHour, 1.5 * kHour, 0.5 * kHour});
    REQUIRE(durations->days.size() == 1);
    const SeriesEnergy energy = energy_on_targets(series, *durations, durations->days[0]);
    CHECK(energy.value == Approx(kHour * (2.0 * 200.0 + 250.0)));
    CHECK(energy.std_error == Approx(0.01 * energy.value));
    // Without the middle step: 3 h of 150 W.
    CHECK(energy.step_error == Approx(std::abs(energy.value - kHour * 3.0 * 150.0)));
}

TEST_CASE("series energy: a night separates days") {
    const SeriesResult series =
        series_with({at(18), at(20), at(5, 22), at(6, 22)}, {10, 20, 30, 40});
    const auto durations = series_durations(series);
    REQUIRE(durations);
    REQUIRE(durations->days.size() == 2);
    CHECK(durations->days[1].first == 2);
    CHECK(energy_on_targets(series, *durations, durations->days[0]).value == Approx(kHour * 30));
    CHECK(energy_on_targets(series, *durations, durations->days[1]).value == Approx(kHour * 35));
}

TEST_CASE("series energy: none without times, with times that fall, and with single steps") {
    CHECK_FALSE(series_durations(series_with({at(6), ""}, {1, 2})));
    CHECK_FALSE(series_durations(series_with({at(7), at(6)}, {1, 2})));
    CHECK_FALSE(series_durations(series_with({at(7)}, {1})));
    CHECK_FALSE(series_durations(series_with({at(7, 20), at(7, 21), at(7, 22)}, {1, 2, 3})));
    SeriesResult weights = series_with({at(6), at(7)}, {1, 2});
    weights.targets[0].unit = "1";
    CHECK_FALSE(series_durations(weights));
}

TEST_CASE("series energy: the field has the energies of all steps, or means without times") {
    RunResult plant;
    plant.targets.push_back(test::spot("receiver", 2, 2, 4, 4, 1.0));
    plant.heliostats.resize(2);
    plant.heliostats[0].name = "A";
    plant.heliostats[1].name = "B";
    const SeriesResult timed = series_with({at(6), at(8)}, {100.0, 300.0});
    const RunResult day = series_plan(timed, series_durations(timed), plant);
    CHECK(day.targets[0].unit == "J");
    CHECK(day.targets[0].power_w == Approx(2.0 * kHour * 200.0));
    CHECK(day.targets[0].flux.empty());
    CHECK(day.heliostats[1].energy.target_power == Approx(0.75 * 2.0 * kHour * 200.0));
    CHECK(day.heliostats[1].target_power_std_error == Approx(0.001 * 0.75 * 2.0 * kHour * 200.0));
    CHECK_THAT(day.step, ContainsSubstring("2 steps from 2026-06-21T06:00:00+02:00"));

    const SeriesResult angles = series_with({"", ""}, {100.0, 300.0});
    const RunResult mean = series_plan(angles, series_durations(angles), plant);
    CHECK(mean.targets[0].unit == "W/m2");
    CHECK(mean.heliostats[0].energy.target_power == Approx(0.25 * 200.0));
    plant.heliostats.pop_back();
    CHECK_THROWS_AS(series_plan(angles, std::nullopt, plant), std::invalid_argument);
}

// SPDX-License-Identifier: MIT
// Soiling, washing and outages by day, and what they cost in a year whose efficiency is a formula.
#include "raytracer/studies/annual/annual.h"
#include "raytracer/studies/annual/plant_state.h"
#include "scenario/files/units.h"
#include "tests/support/catch2.h"

#include <chrono>
#include <cmath>
#include <numbers>

using namespace helioray;

namespace {

constexpr double kRate = 0.003;

int64_t day_of(int year, unsigned month, unsigned day) {
    const std::chrono::year_month_day date{
        std::chrono::year(year), std::chrono::month(month), std::chrono::day(day)};
    return std::chrono::sys_days(date).time_since_epoch().count();
}

const int64_t kFirst = day_of(2026, 1, 1);
const int64_t kLast = day_of(2026, 12, 31);

StateConfig dirty() {
    StateConfig config;
    config.soiling_per_day = kRate;
    return config;
}

std::vector<size_t> indices(size_t count) {
    std::vector<size_t> all;
    for (size_t i = 0; i < count; ++i) all.push_back(i);
    return all;
}

PlantState plant(const StateConfig& config, size_t count = 1) {
    return {config, indices(count), count, kFirst, kLast};
}

/// A year in which `count` heliostats deliver 1 W for each W/m2 all the time.
struct EvenYear {
    GeodeticPosition place{37.4, -5.9, 20.0};
    IrradianceYear year = clear_year(place, 2026, ClearSky::hottel);
    SkyGrid grid{place.latitude_deg * kRadiansPerDegree, 10.0 * kRadiansPerDegree, 5, 5};
    SeriesResult series;

    explicit EvenYear(size_t count) {
        for (size_t i = 0; i < count; ++i) {
            series.heliostats.push_back("h" + std::to_string(i));
            series.heliostat_targets.push_back(i % 2 == 0 ? "a" : "b");
        }
        series.targets.resize(2);
        series.targets[0].name = "a";
        series.targets[1].name = "b";
        for (size_t node = 0; node < grid.nodes().size(); ++node) {
            SeriesStep step;
            step.dni_w_m2 = 800.0;
            series.steps.push_back(step);
            for (size_t i = 0; i < count; ++i) {
                EnergyTerms energy;
                energy.solar_power = 800.0 * 2.0;
                energy.cosine_loss = energy.target_power = 800.0;
                series.energy.push_back(energy);
                series.target_power_std_error.push_back(8.0);
            }
        }
    }
    AnnualYield yield(const PlantState* state) const {
        return annual_yield(grid, year, series, std::nullopt, state);
    }
    /// The usable insolation times a factor of each day.
    template <typename Factor>
    double sum(const Factor& factor) const {
        double all = 0.0;
        for (const SunMoment& moment : year.moments)
            if (moment.elevation >= grid.min_elevation())
                all += moment.insolation * factor(moment.day);
        return all;
    }
};

}  // namespace

TEST_CASE("washing on Mondays leaves three days of soiling in the mean of a week") {
    StateConfig config = dirty();
    config.wash_day = WashDay::monday;
    config.washed_to = 0.01;
    const PlantState state = plant(config);
    const int64_t monday = day_of(2026, 6, 15);
    double sum = 0.0;
    for (int64_t day = monday; day < monday + 7; ++day) {
        CHECK(1.0 - state.clean_share(0, day) ==
              Approx(0.01 + kRate * static_cast<double>(day - monday)));
        sum += 1.0 - state.clean_share(0, day);
    }
    CHECK(sum / 7.0 == Approx(0.01 + 3.0 * kRate));
    // 1 January 2026 is a Thursday: the washing of the Monday before counts.
    CHECK(1.0 - state.clean_share(0, kFirst) == Approx(0.01 + 3.0 * kRate));
}

TEST_CASE("without washing soiling grows from a clean first day, up to all of the light") {
    StateConfig config = dirty();
    const PlantState state = plant(config);
    CHECK(state.clean_share(0, kFirst) == 1.0);
    CHECK(1.0 - state.clean_share(0, kFirst + 100) == Approx(100.0 * kRate));
    config.soiling_per_day = 0.01;
    CHECK(plant(config).clean_share(0, kLast) == 0.0);
}

TEST_CASE("a washing that reaches a part of the heliostats goes on from there") {
    StateConfig config = dirty();
    config.wash_after = 3;
    config.washed_share = 0.25;
    const PlantState state = plant(config, 8);
    // Two of eight heliostats every three days, so each one every twelve.
    for (size_t i = 0; i < 8; ++i) {
        for (int64_t day = kFirst; day < kFirst + 60; ++day) {
            const int64_t washed = kFirst + 3 * static_cast<int64_t>(i / 2);
            const int64_t since = ((day - washed) % 12 + 12) % 12;
            CHECK(1.0 - state.clean_share(i, day) ==
                  Approx(kRate * static_cast<double>(since)).margin(1e-12));
        }
    }
    CHECK(state.mean_soiling() == Approx(5.5 * kRate).epsilon(0.02));
}

TEST_CASE("outages have their share of the days and their mean duration") {
    StateConfig config;
    config.outage_share = 0.1;
    config.outage_days = 4.0;
    constexpr size_t kCount = 2000;
    const PlantState state = plant(config, kCount);
    size_t starts = 0, days = 0, first_day = 0;
    for (size_t i = 0; i < kCount; ++i) {
        first_day += state.is_available(i, kFirst) ? 0 : 1;
        for (int64_t day = kFirst + 1; day <= kLast; ++day) {
            const bool out = !state.is_available(i, day);
            days += out ? 1 : 0;
            starts += out && state.is_available(i, day - 1) ? 1 : 0;
        }
    }
    // Days of an outage are alike: the variance of a share is about eight times that of
    // independent days. Four standard errors.
    const double count = 2000.0 * 364.0;
    CHECK(static_cast<double>(days) / count ==
          Approx(0.1).margin(4.0 * std::sqrt(8.0 * 0.09 / count)));
    CHECK(static_cast<double>(first_day) / 2000.0 ==
          Approx(0.1).margin(4.0 * std::sqrt(0.09 / 2000.0)));
    // Each start belongs to four days in the mean, with a standard deviation of 3.5.
    CHECK(static_cast<double>(days) / static_cast<double>(starts) ==
          Approx(4.0).epsilon(4.0 / std::sqrt(static_cast<double>(starts)) + 0.01));

    // The draws depend on the index in the scenario and the seed alone.
    const PlantState some(config, {3, 17}, kCount, kFirst, kLast);
    config.outage_seed = 2;
    const PlantState other = plant(config, 20);
    size_t different = 0;
    for (int64_t day = kFirst; day <= kLast; ++day) {
        CHECK(some.is_available(0, day) == state.is_available(3, day));
        CHECK(some.is_available(1, day) == state.is_available(17, day));
        different += other.is_available(3, day) != state.is_available(3, day) ? 1 : 0;
    }
    CHECK(different > 0);
}

TEST_CASE("a year loses to soiling and outages what each day loses") {
    const EvenYear even(40);
    StateConfig config = dirty();
    config.wash_day = WashDay::monday;
    config.outage_share = 0.05;
    const PlantState state = plant(config, 40);
    const AnnualYield clean = even.yield(nullptr);
    const AnnualYield year = even.yield(&state);
    CHECK(!clean.state);
    REQUIRE(year.state);
    CHECK(year.state->outage_share == Approx(0.05).margin(0.02));
    const double all = even.sum([](int64_t) { return 1.0; });
    CHECK(clean.on_targets.value == Approx(40.0 * all).epsilon(1e-9));
    double soiling = 0.0, outages = 0.0;
    for (size_t i = 0; i < 40; ++i) {
        const double soiled =
            even.sum([&](int64_t day) { return 1.0 - state.clean_share(i, day); });
        const double lost = even.sum([&](int64_t day) {
            return state.is_available(i, day) ? 0.0 : state.clean_share(i, day);
        });
        const AnnualHeliostat& heliostat = year.heliostats[i];
        CHECK(heliostat.soiling_loss == Approx(soiled).epsilon(1e-9));
        CHECK(heliostat.outage_loss == Approx(lost).epsilon(1e-9).margin(1e-6 * all));
        CHECK(heliostat.energy.solar_power ==
              Approx(heliostat.energy.cosine_loss + heliostat.soiling_loss + heliostat.outage_loss +
                     heliostat.on_target.value));
        soiling += soiled;
        outages += lost;
    }
    CHECK(year.soiling_loss == Approx(soiling).epsilon(1e-9));
    CHECK(year.outage_loss == Approx(outages).epsilon(1e-9));
    CHECK(year.soiling_loss / clean.on_targets.value == Approx(3.0 * kRate).epsilon(0.02));
    CHECK(year.on_targets.value + year.soiling_loss + year.outage_loss ==
          Approx(clean.on_targets.value));
    CHECK(year.targets[0].energy.value + year.targets[1].energy.value ==
          Approx(year.on_targets.value));
    double months = 0.0;
    for (const double month : year.on_targets.months) months += month;
    CHECK(months == Approx(year.on_targets.value));
    CHECK(year.energy.target_power == year.on_targets.value);
    CHECK(year.on_targets.std_error < clean.on_targets.std_error);
    CHECK(year.on_targets.std_error > 0.9 * clean.on_targets.std_error);
}

TEST_CASE("clean mirrors without outages lose nothing") {
    const EvenYear even(3);
    const PlantState state = plant(StateConfig{}, 3);
    const AnnualYield clean = even.yield(nullptr);
    const AnnualYield same = even.yield(&state);
    CHECK(same.soiling_loss == 0.0);
    CHECK(same.outage_loss == 0.0);
    CHECK(same.on_targets.value == Approx(clean.on_targets.value));
    CHECK(same.on_targets.std_error == Approx(clean.on_targets.std_error));
    CHECK(same.on_targets.quadrature_error ==
          Approx(clean.on_targets.quadrature_error).margin(1e-9 * clean.on_targets.value));
}

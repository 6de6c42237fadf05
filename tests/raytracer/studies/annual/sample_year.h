// SPDX-License-Identifier: MIT
// A year of a small result: two targets, three heliostats, no two numbers alike.
#pragma once

#include "raytracer/studies/annual/annual.h"
#include "tests/raytracer/sample_result.h"

namespace helioray::test {

/// As it stands in `standing`; energies are kilowatt-hours of four digits and more.
inline AnnualYield sample_year(const RunResult& standing) {
    constexpr double kKilowattHour = 3.6e6;
    AnnualYield yield;
    yield.provenance = standing.provenance;
    yield.irradiance = "clear sky of 2026, Hottel";
    yield.plant = {37.4, -5.9, 20.0};
    yield.min_elevation_deg = 10.0;
    yield.declinations = yield.hours = 3;
    for (int i = 0; i < 9; ++i) {
        yield.nodes.push_back({0.1 * i - 0.4, 0.2 * i - 0.8, 0.3 * i, 0.1 + 0.1 * i});
        yield.weights.push_back(1e9 + i);
        yield.field_efficiency.push_back(0.5 + 0.01 * i);
        for (size_t k = 0; k < standing.heliostats.size(); ++k)
            yield.efficiency.push_back(0.4 + 0.01 * i + 0.1 * static_cast<double>(k));
    }
    for (size_t month = 0; month < 12; ++month) {
        yield.usable.months[month] = (100.0 + 10.0 * static_cast<double>(month)) * kKilowattHour;
        yield.usable.value += yield.usable.months[month];
    }
    yield.insolation = 1.1 * yield.usable.value;
    for (const TargetResult& target : standing.targets)
        yield.targets.push_back({target.target.name, {}});
    for (size_t i = 0; i < standing.heliostats.size(); ++i) {
        AnnualHeliostat heliostat;
        heliostat.name = standing.heliostats[i].name;
        heliostat.target = standing.heliostats[i].target;
        // Mirrors of 10, 20, 30 m2 of which 70 % arrive; the rest is lost in three ways.
        const double solar = 10.0 * static_cast<double>(i + 1) * yield.usable.value;
        heliostat.energy.solar_power = solar;
        heliostat.energy.cosine_loss = 0.2 * solar;
        heliostat.energy.reflection_loss = 0.06 * solar;
        heliostat.energy.spillage_loss = 0.04 * solar;
        heliostat.energy.target_power = 0.7 * solar;
        heliostat.on_target = {0.7 * solar, 0.001 * solar, 0.002 * solar, {}};
        for (size_t month = 0; month < 12; ++month)
            heliostat.on_target.months[month] =
                7.0 * static_cast<double>(i + 1) * yield.usable.months[month];
        const auto add = [&](YearEnergy& to) {
            to.value += heliostat.on_target.value;
            to.std_error += heliostat.on_target.std_error;
            to.quadrature_error += heliostat.on_target.quadrature_error;
            for (size_t month = 0; month < 12; ++month)
                to.months[month] += heliostat.on_target.months[month];
        };
        add(yield.on_targets);
        for (AnnualTarget& target : yield.targets)
            if (target.name == heliostat.target) add(target.energy);
        for (const EnergyTermInfo& term : energy_term_infos())
            yield.energy.*term.member += heliostat.energy.*term.member;
        yield.heliostats.push_back(std::move(heliostat));
    }
    set_plan(yield, standing);
    return yield;
}

}  // namespace helioray::test

// SPDX-License-Identifier: MIT
// Tables of sweeps: what is written is found again, with and without units.
#include "raytracer/studies/sweep/sweep_columns.h"
#include "raytracer/studies/sweep/sweep_file.h"
#include "raytracer/studies/sweep/sweep_reader.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace helioray;
using namespace helioray::sweep;

namespace {

/// Returns a row with different numbers of each target.
SweepRow make_row(const std::string& unit,
                  const std::vector<std::string>& targets,
                  double first_number) {
    SweepRow row;
    row.energy.solar_power = 8.0;
    row.energy.target_power = 4.0 * first_number;
    row.target_power_std_error = 0.25;
    row.energy_unit = unit;
    row.rays = 100;
    row.fingerprint = "abc";
    double next = first_number;
    for (const std::string& name : targets) {
        row.targets.push_back({.name = name});
        for (const TargetNumber& number : kTargetNumbers)
            row.targets.back().*number.member = next += 0.125;
    }
    return row;
}

SweepTable make_table(const std::string& unit) {
    SweepTable table{Variants({parse_variation("optics.reflectivity=0.8,0.9")}), {}};
    table.rows.push_back(make_row(unit, {"tower", "wall: north"}, 1.0));
    table.rows.push_back(make_row(unit, {"tower"}, 1.5));
    return table;
}

}  // namespace

TEST_CASE("every number of a target has its column with unit and description") {
    const std::vector<SweepColumn> columns = columns_of(make_table("W"));
    for (const TargetNumber& number : kTargetNumbers) {
        INFO(number.name);
        const auto found =
            std::ranges::find(columns, number.prefix("W") + "wall: north", &SweepColumn::name);
        REQUIRE(found != columns.end());
        CHECK(found->unit == unit_of(number.dimension, "W"));
        CHECK(found->description == number.description);
        CHECK(found->numbers.at(0) == make_table("W").rows[0].targets[1].*number.member);
        CHECK(std::isnan(found->numbers.at(1)));
    }
    CHECK(target_number(&SweepTarget::peak_flux).prefix("W") == "peak_flux_w_m2:");
    CHECK(target_number(&SweepTarget::peak_flux).prefix("1") == "peak_flux:");
    CHECK(target_number(&SweepTarget::peak_area).prefix("1") == "peak_area_m2:");
}

TEST_CASE("a stored sweep finds efficiency, power and the light on targets") {
    const test::ScratchFolder folder;
    for (const std::string unit : {"W", "1"}) {
        INFO(unit);
        const SweepTable table = make_table(unit);
        write_sweep(table, folder / "sweep.h5");
        const StoredSweep read = read_sweep(folder / "sweep.h5");
        CHECK((read.target_power() != nullptr) == (unit == "W"));
        REQUIRE(read.efficiency().values != nullptr);
        REQUIRE(read.efficiency().errors != nullptr);
        CHECK(read.efficiency().values->numbers == std::vector<double>{0.5, 0.75});
        const std::vector<SweptTarget> targets = read.targets();
        REQUIRE(targets.size() == 2);
        CHECK(targets[0].name == "tower");
        CHECK(targets[1].name == "wall: north");
        const auto check =
            [&](const SweptNumber& found, double SweepTarget::*value, double SweepTarget::*error) {
                REQUIRE(found.values != nullptr);
                REQUIRE(found.errors != nullptr);
                for (size_t variant = 0; variant < 2; ++variant) {
                    CHECK(found.values->numbers[variant] == table.rows[variant].targets[0].*value);
                    CHECK(found.errors->numbers[variant] == table.rows[variant].targets[0].*error);
                }
            };
        check(targets[0].power, &SweepTarget::power, &SweepTarget::power_std_error);
        check(targets[0].peak_flux, &SweepTarget::peak_flux, &SweepTarget::peak_flux_std_error);
    }
}

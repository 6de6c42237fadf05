// SPDX-License-Identifier: MIT
// Entries of efficiency tables from results whose numbers are known, and the file.
#include "raytracer/results/result_file.h"
#include "raytracer/studies/efficiency/efficiency.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/sun/solar_position.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace helioray;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

constexpr double kDni = 800.0;
constexpr double kArea = 250.0;  // m2 of two mirrors

/// A smooth efficiency and a spot that moves with the sun.
double efficiency_of(const Vec3& sun) {
    return 0.6 + 0.1 * sun[0] - 0.2 * sun[1] + 0.1 * sun[2] * sun[2];
}

Vec3 direction(const SunRectangle::Sun& sun) {
    return direction_to_sun({sun.azimuth, sun.elevation, sun.elevation});
}

RunResult result_at(const SunRectangle::Sun& sun, std::size_t number) {
    RunResult result;
    result.provenance.rays = 1000;
    result.provenance.fingerprint = std::to_string(number);
    const double efficiency = efficiency_of(direction(sun));
    for (int i = 0; i < 2; ++i) {
        HeliostatResult heliostat;
        heliostat.target = "receiver";
        const double solar = kDni * kArea * (i == 0 ? 0.6 : 0.4);
        heliostat.energy.solar_power = solar;
        heliostat.energy.target_power = efficiency * solar;
        heliostat.energy.cosine_loss = (1.0 - efficiency) * solar;
        // 30 m apart, 2 m above the ground, and a third corner to the north.
        heliostat.orientation = {1, 0, 0, 30.0 * i, 0, 1, 0, 0, 0, 0, 1, 2.0, 0, 0, 0, 1};
        result.heliostats.push_back(heliostat);
    }
    TargetResult target = test::spot("receiver", 4.0, 2.0, 4, 2, 0.0);
    const double pixel = 1.0;  // m2
    const double power = efficiency * kDni * kArea;
    // Three quarters and a quarter, with errors of their own.
    target.flux = {0, 0.75 * power / pixel, 0, 0, 0, 0, 0.25 * power / pixel, 0};
    target.flux_std_error = {0, 30.0, 0, 0, 0, 0, 40.0, 0};
    target.power_w = power;
    target.power_std_error_w = 50.0;
    result.targets.push_back(target);
    return result;
}

EfficiencyTable table_of(const EfficiencyPlan& plan) {
    const auto suns = plan.positions();
    return efficiency_table(plan, [&](std::size_t i) { return result_at(suns[i], i); });
}

SunRectangle rectangle(int azimuths, std::vector<double> elevations_deg) {
    std::vector<double> azimuth;
    for (int i = 0; i < azimuths; ++i) azimuth.push_back(2.0 * std::numbers::pi * i / azimuths);
    for (double& angle : elevations_deg) angle *= kRadiansPerDegree;
    return {std::move(azimuth), std::move(elevations_deg)};
}

EfficiencyPlan plan_of(SunRectangle suns) {
    return {std::move(suns), std::nullopt, 37.0 * kRadiansPerDegree, kDni};
}

}  // namespace

TEST_CASE("Entries of a traced rectangle are those of their results") {
    const EfficiencyPlan plan = plan_of(rectangle(6, {10, 40, 90}));
    // The zenith once, then the middle of every cell.
    CHECK(plan.positions().size() == 6 * 2 + 1 + 6 * 2);
    const EfficiencyTable table = table_of(plan);
    CHECK(table.positions == 13);
    CHECK(table.checks == 12);
    CHECK(table.provenance.rays == 25000);
    CHECK(table.heliostats == 2);
    CHECK_THAT(table.mirror_area, WithinRel(kArea, 1e-12));
    CHECK_THAT(table.mean_mirror_height, WithinRel(2.0, 1e-12));
    const EfficiencyTarget& target = table.targets.at(0);
    for (std::size_t i = 0; i < table.suns.size(); ++i) {
        const double efficiency = efficiency_of(direction(table.suns.sun(i)));
        const double power = efficiency * kDni * kArea;
        CHECK_THAT(table.shares[i].target_power, WithinRel(efficiency, 1e-12));
        CHECK_THAT(table.shares[i].solar_power, WithinRel(1.0, 1e-12));
        CHECK_THAT(table.shares[i].cosine_loss, WithinRel(1.0 - efficiency, 1e-12));
        CHECK_THAT(table.std_error[i], WithinRel(50.0 / (kDni * kArea), 1e-12));
        CHECK_THAT(target.efficiency[i], WithinRel(efficiency, 1e-12));
        CHECK(table.reached[i]);
        const double* map = &target.flux_share[8 * i];
        CHECK_THAT(std::accumulate(map, map + 8, 0.0), WithinRel(1.0, 1e-12));
        CHECK_THAT(map[1], WithinRel(0.75, 1e-12));
        CHECK_THAT(map[6], WithinRel(0.25, 1e-12));
        // s = p / (p + q) with independent errors: sqrt(q^2 dp^2 + p^2 dq^2) / (p + q)^2.
        const double p = 0.75 * power, q = 0.25 * power;
        const double error = std::hypot(q * 30.0, p * 40.0) / ((p + q) * (p + q));
        CHECK_THAT(target.flux_share_std_error[8 * i + 1], WithinRel(error, 1e-9));
        CHECK_THAT(target.flux_share_std_error[8 * i + 6], WithinRel(error, 1e-9));
        CHECK(target.flux_share_std_error[8 * i] == 0.0);
    }
}

TEST_CASE("Numbers between entries are within the stated error") {
    const EfficiencyTable table = table_of(plan_of(rectangle(12, {10, 20, 30, 45, 60, 75, 90})));
    double worst = 0.0;
    for (double azimuth = 3.0; azimuth < 360.0; azimuth += 7.0) {
        for (double elevation = 11.0; elevation < 90.0; elevation += 4.0) {
            const SunRectangle::Sun sun{azimuth * kRadiansPerDegree, elevation * kRadiansPerDegree};
            const EfficiencyEstimate found = efficiency_at(table, sun.azimuth, sun.elevation);
            CHECK(found.is_covered == table.suns.contains(sun.azimuth, sun.elevation));
            const double error =
                std::abs(found.shares.target_power - efficiency_of(direction(sun)));
            CHECK(error <= found.interpolation_error);
            worst = std::max(worst, error / found.interpolation_error);
        }
    }
    CHECK(worst > 0.3);
}

TEST_CASE("The shadow of a tower that leaves the field between entries is stated") {
    const auto shadow = [](const SunRectangle::Sun& sun) {
        const double azimuth = sun.azimuth / kRadiansPerDegree;
        const double rise = (azimuth - 180.0) / 30.0, fall = (312.0 - azimuth) / 12.0;
        return 0.1 * std::clamp(std::min(rise, fall), 0.0, 1.0);
    };
    EfficiencyPlan plan = plan_of(rectangle(12, {10, 20, 30}));
    const auto table_with = [&](bool has_checks) {
        plan.has_checks = has_checks;
        const auto suns = plan.positions();
        return efficiency_table(plan, [&](std::size_t i) {
            RunResult result = result_at(suns[i], i);
            const double loss = shadow(suns[i]);
            for (HeliostatResult& heliostat : result.heliostats) {
                heliostat.energy.target_power -= loss * heliostat.energy.solar_power;
                heliostat.energy.shading_loss = loss * heliostat.energy.solar_power;
            }
            result.targets[0].power_w -= loss * kDni * kArea;
            return result;
        });
    };
    const auto worst = [&](const EfficiencyTable& table) {
        double ratio = 0.0;
        for (double azimuth = 0.5; azimuth < 360.0; azimuth += 1.0) {
            const SunRectangle::Sun sun{azimuth * kRadiansPerDegree, 22.0 * kRadiansPerDegree};
            const EfficiencyEstimate found = efficiency_at(table, sun.azimuth, sun.elevation);
            const double truth = efficiency_of(direction(sun)) - shadow(sun);
            ratio = std::max(
                ratio, std::abs(found.shares.target_power - truth) / found.interpolation_error);
        }
        return ratio;
    };
    const EfficiencyTable checked = table_with(true), unchecked = table_with(false);
    CHECK(unchecked.checks == 0);
    CHECK(unchecked.positions == checked.positions);
    CHECK(worst(unchecked) > 2.0);
    CHECK(worst(checked) <= 1.0);
    for (std::size_t i = 0; i < checked.suns.size(); ++i) {
        CHECK(checked.shares[i].target_power == unchecked.shares[i].target_power);
        CHECK(checked.interpolation_error[i] >= unchecked.interpolation_error[i]);
        // The only target has the field's.
        CHECK_THAT(checked.targets[0].interpolation_error[i],
                   WithinRel(checked.interpolation_error[i], 1e-9));
        // Far from the shadow, at azimuths of 60 and 90 degrees, there are no surprises.
        if (std::abs(checked.suns.sun(i).azimuth - 75.0 * kRadiansPerDegree) < 0.5)
            CHECK(checked.interpolation_error[i] < 1.1 * unchecked.interpolation_error[i]);
    }
}

TEST_CASE("A year's positions are interpolated to the rectangle") {
    EfficiencyPlan plan = plan_of(rectangle(24, {15, 20, 30, 40, 50, 60, 70, 80}));
    plan.year.emplace(plan.latitude, 15.0 * kRadiansPerDegree, 9, 13);
    CHECK(plan.positions().size() == 9 * 13);
    const EfficiencyTable table = table_of(plan);
    CHECK(table.grid == "year");
    std::size_t reached = 0;
    for (std::size_t i = 0; i < table.suns.size(); ++i) {
        const double efficiency = efficiency_of(direction(table.suns.sun(i)));
        if (!table.reached[i]) continue;
        ++reached;
        // Within half a degree beyond the solstices the nearest position counts.
        CHECK_THAT(table.shares[i].target_power, WithinAbs(efficiency, 2e-3));
        CHECK_THAT(table.targets[0].flux_share[8 * i + 1], WithinRel(0.75, 1e-9));
    }
    // The sun of a latitude of 37 degrees: never high in the north.
    CHECK(reached > 40);
    CHECK(reached < table.suns.size());
    CHECK_FALSE(table.reached[7]);  // azimuth 0, elevation 80
    // Its errors add up as if they had one sign.
    CHECK(table.std_error[0] >= 50.0 / (kDni * kArea) * (1.0 - 1e-9));
}

TEST_CASE("Parked heliostats lose their sunlight where they are parked") {
    const EfficiencyPlan plan = plan_of(rectangle(6, {10, 40, 90}));
    const auto suns = plan.positions();
    const EfficiencyTable table = efficiency_table(plan, [&](std::size_t i) {
        RunResult result = result_at(suns[i], i);
        HeliostatResult never = result.heliostats[0];
        never.energy = {};
        never.orientation = {};
        result.heliostats.push_back(never);
        // The second one, with two fifths of the mirrors, in the first position.
        if (i > 0) return result;
        result.heliostats[1].energy = {};
        result.heliostats[1].orientation = {};
        result.targets[0].power_w *= 0.6;
        for (double& flux : result.targets[0].flux) flux *= 0.6;
        return result;
    });
    CHECK(table.heliostats == 2);
    CHECK_THAT(table.mirror_area, WithinRel(kArea, 1e-12));
    CHECK_THAT(table.mean_mirror_height, WithinRel(2.0, 1e-12));
    const double efficiency = efficiency_of(direction(table.suns.sun(0)));
    CHECK_THAT(table.parked_loss[0], WithinRel(0.4, 1e-12));
    CHECK_THAT(table.shares[0].solar_power, WithinRel(1.0, 1e-12));
    CHECK_THAT(table.shares[0].target_power, WithinRel(0.6 * efficiency, 1e-12));
    CHECK_THAT(table.shares[0].cosine_loss, WithinRel(0.6 * (1.0 - efficiency), 1e-12));
    CHECK_THAT(table.targets.at(0).efficiency[0], WithinRel(0.6 * efficiency, 1e-12));
    CHECK_THAT(table.targets[0].flux_share[1], WithinRel(0.75, 1e-12));
    CHECK_THAT(table.std_error[0], WithinRel(50.0 / (kDni * kArea), 1e-12));
    for (std::size_t i = 1; i < table.suns.size(); ++i) {
        CHECK(table.parked_loss[i] == 0.0);
        CHECK_THAT(table.shares[i].target_power,
                   WithinRel(efficiency_of(direction(table.suns.sun(i))), 1e-12));
    }
    const SunRectangle::Sun between = table.suns.sun(0);
    CHECK_THAT(efficiency_at(table, between.azimuth, between.elevation).parked_loss,
               WithinRel(0.4, 1e-12));
}

TEST_CASE("A target whose heliostats are all parked is dark") {
    const EfficiencyPlan plan = plan_of(rectangle(6, {10, 40, 90}));
    const auto suns = plan.positions();
    const EfficiencyTable table = efficiency_table(plan, [&](std::size_t i) {
        RunResult result = result_at(suns[i], i);
        result.targets.push_back(test::spot("other", 4.0, 2.0, 4, 2, 7.0));
        result.targets[1].power_w = 0.1 * kDni * kArea;
        // Each of the two in one position.
        if (i < 2) result.targets.erase(result.targets.begin() + static_cast<std::ptrdiff_t>(i));
        return result;
    });
    REQUIRE(table.targets.size() == 2);
    CHECK(table.targets[0].target.name == "other");
    CHECK(table.targets[1].efficiency[0] == 0.0);
    CHECK(table.targets[0].efficiency[1] == 0.0);
    CHECK(table.targets[1].flux_share[1] == 0.0);
    CHECK_THAT(table.targets[0].efficiency[0], WithinRel(0.1, 1e-12));
    CHECK_THAT(table.targets[1].flux_share[2 * 8 + 1], WithinRel(0.75, 1e-12));
}

TEST_CASE("The land is the convex hull of the heliostats") {
    const EfficiencyPlan plan = plan_of(rectangle(3, {10, 20, 30}));
    const auto suns = plan.positions();
    // A square of 30 m with a heliostat in its middle, and one on an edge.
    const std::vector<std::array<double, 2>> places{
        {0, 0}, {30, 30}, {15, 15}, {30, 0}, {15, 0}, {0, 30}};
    const EfficiencyTable table = efficiency_table(plan, [&](std::size_t i) {
        RunResult result = result_at(suns[i], i);
        const HeliostatResult one = result.heliostats.front();
        result.heliostats.assign(places.size(), one);
        for (std::size_t k = 0; k < places.size(); ++k) {
            result.heliostats[k].orientation[3] = places[k][0];
            result.heliostats[k].orientation[7] = places[k][1];
        }
        return result;
    });
    CHECK_THAT(table.land_area, WithinRel(900.0, 1e-12));
}

TEST_CASE("The file keeps everything") {
    const test::ScratchFolder folder;
    EfficiencyPlan plan = plan_of(rectangle(6, {15, 40, 60}));
    plan.year.emplace(plan.latitude, 15.0 * kRadiansPerDegree, 3, 5);
    EfficiencyTable table = table_of(plan);
    table.provenance.config = "scenario: x.h5";
    table.provenance.helioray_version = "1.2.3";
    write_efficiency(table, folder / "table.h5");
    const EfficiencyTable read = read_efficiency(folder / "table.h5");
    CHECK(read.provenance.config == table.provenance.config);
    CHECK(read.provenance.fingerprint == table.provenance.fingerprint);
    CHECK(read.grid == "year");
    CHECK(read.positions == table.positions);
    CHECK(read.checks == table.checks);
    CHECK_THAT(read.latitude, WithinRel(table.latitude, 1e-12));
    CHECK(read.mirror_area == table.mirror_area);
    CHECK(read.land_area == table.land_area);
    CHECK(read.std_error == table.std_error);
    CHECK(read.parked_loss == table.parked_loss);
    CHECK(read.interpolation_error == table.interpolation_error);
    CHECK(read.reached == table.reached);
    REQUIRE(read.shares.size() == table.shares.size());
    for (std::size_t i = 0; i < table.shares.size(); ++i)
        CHECK(read.shares[i].cosine_loss == table.shares[i].cosine_loss);
    CHECK(read.targets.at(0).target == table.targets.at(0).target);
    CHECK(read.targets[0].interpolation_error == table.targets[0].interpolation_error);
    CHECK(read.targets[0].flux_share == table.targets[0].flux_share);
    CHECK(read.targets[0].flux_share_std_error == table.targets[0].flux_share_std_error);
    CHECK_THROWS_AS(read_result(folder / "table.h5"), InputError);
    write_result(test::sample_result(), folder / "run.h5");
    CHECK_THROWS_AS(read_efficiency(folder / "run.h5"), InputError);
    CHECK(folder.num_entries() == 2);
}

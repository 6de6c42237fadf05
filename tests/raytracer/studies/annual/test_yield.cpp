// SPDX-License-Identifier: MIT
// Yields of heliostats whose efficiency is a formula.
#include "raytracer/studies/annual/annual.h"
#include "scenario/files/units.h"
#include "scenario/sun/solar_position.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>

using namespace helioray;

namespace {

const GeodeticPosition kSeville{37.4, -5.9, 20.0};

struct Mirror {
    std::string name, target;
    double area;
    Vec3 to_target;  ///< unit vector
};

/// Cosine of the angle of incidence of a mirror that reflects sunlight in a direction.
double cosine(const Vec3& s, const Vec3& r) {
    return std::sqrt(0.5 * (1.0 + s[0] * r[0] + s[1] * r[1] + s[2] * r[2]));
}

const std::vector<Mirror> kMirrors{{"north", "a", 100.0, {0.0, -0.8, 0.6}},
                                   {"east", "b", 30.0, {-0.8, 0.0, 0.6}}};

/// What tracing the grid's positions would give, with a standard error of 1 W everywhere.
SeriesResult traced(const SkyGrid& grid, double dni) {
    SeriesResult series;
    for (const Mirror& mirror : kMirrors) {
        series.heliostats.push_back(mirror.name);
        series.heliostat_targets.push_back(mirror.target);
    }
    series.targets.resize(2);
    series.targets[0].name = "a";
    series.targets[1].name = "b";
    for (const SkyGrid::Node& node : grid.nodes()) {
        SeriesStep step;
        step.dni_w_m2 = dni;
        series.steps.push_back(step);
        const Vec3 sun = direction_to_sun({node.azimuth, node.elevation, node.elevation});
        for (const Mirror& mirror : kMirrors) {
            EnergyTerms energy;
            energy.solar_power = dni * mirror.area;
            energy.target_power = energy.solar_power * cosine(sun, mirror.to_target);
            energy.cosine_loss = energy.solar_power - energy.target_power;
            series.energy.push_back(energy);
            series.target_power_std_error.push_back(1.0);
        }
    }
    return series;
}

/// The same energy, moment by moment.
double sampled(const IrradianceYear& year, double min_elevation, const Mirror& mirror) {
    double energy = 0.0;
    for (const SunMoment& moment : year.moments) {
        if (moment.elevation >= min_elevation)
            energy += moment.insolation * mirror.area * cosine(moment.direction, mirror.to_target);
    }
    return energy;
}

AnnualYield yield_of(const IrradianceYear& year, int declinations, int hours, double dni = 800.0) {
    const SkyGrid grid(
        kSeville.latitude_deg * kRadiansPerDegree, 10.0 * kRadiansPerDegree, declinations, hours);
    return annual_yield(grid, year, traced(grid, dni));
}

const IrradianceYear& clear() {
    static const IrradianceYear year = clear_year(kSeville, 2026, ClearSky::hottel);
    return year;
}

}  // namespace

TEST_CASE("Cosine efficiency of a year agrees with dense sampling, the better the more points") {
    const double truth = sampled(clear(), 10.0 * kRadiansPerDegree, kMirrors[0]);
    double before = truth;
    for (const auto& [points, tolerance] : {std::pair{3, 1e-2}, {5, 1e-3}, {9, 1e-6}}) {
        const AnnualYield yield = yield_of(clear(), points, points);
        const double error = std::abs(yield.heliostats[0].on_target.value - truth);
        INFO(points << ": " << error / truth);
        CHECK(error < tolerance * truth);
        CHECK(error < 0.2 * before);
        // The estimate is an upper limit, but no wild one.
        CHECK(yield.heliostats[0].on_target.quadrature_error > error);
        if (points > 3) CHECK(yield.heliostats[0].on_target.quadrature_error < 0.05 * truth);
        before = error;
    }
}

TEST_CASE("A year with polar night and midnight sun agrees with dense sampling") {
    const struct {
        double latitude;
        int declinations, hours;
        double tolerance;
    } cases[] = {
        {68.0, 9, 13, 3e-3}, {68.0, 17, 25, 1e-3}, {78.2, 17, 25, 3e-3}, {-68.0, 17, 25, 1e-3}};
    for (const auto& c : cases) {
        const GeodeticPosition plant{c.latitude, 15.0, 20.0};
        const IrradianceYear year = clear_year(plant, 2026, ClearSky::hottel);
        const SkyGrid grid(
            c.latitude * kRadiansPerDegree, 10.0 * kRadiansPerDegree, c.declinations, c.hours);
        const AnnualYield yield = annual_yield(grid, year, traced(grid, 800.0));
        for (size_t i = 0; i < kMirrors.size(); ++i) {
            const double truth = sampled(year, 10.0 * kRadiansPerDegree, kMirrors[i]);
            const YearEnergy& energy = yield.heliostats[i].on_target;
            INFO(c.latitude << ", " << c.declinations << ", " << i << ": "
                            << energy.value / truth - 1.0);
            CHECK(std::abs(energy.value - truth) < c.tolerance * truth);
            // Refraction near the minimal elevation is below a hundred thousandth.
            CHECK(std::abs(energy.value - truth) < energy.quadrature_error + 1e-5 * truth);
            CHECK(energy.quadrature_error < 0.1 * truth);
            // Midwinter is dark.
            CHECK(energy.months[c.latitude > 0.0 ? 11 : 5] == 0.0);
        }
        REQUIRE(yield.notes.size() == 1);
        CHECK(yield.notes[0].find("below 10.0 degrees") != std::string::npos);
    }
}

TEST_CASE("Either direction of the grid alone limits the error") {
    const double truth = sampled(clear(), 10.0 * kRadiansPerDegree, kMirrors[1]);
    const auto yield = [](int declinations, int hours) {
        return yield_of(clear(), declinations, hours).heliostats[1].on_target;
    };
    CHECK(yield(17, 17).value == Approx(truth).epsilon(1e-6));
    CHECK(yield(17, 17).quadrature_error < 1e-6 * truth);
    CHECK(yield(3, 17).quadrature_error > 1e-6 * truth);
    CHECK(yield(17, 3).quadrature_error > 1e-4 * truth);
}

TEST_CASE("The terms of a year add up, and so do months, heliostats and targets") {
    const AnnualYield yield = yield_of(clear(), 5, 7);
    double usable = 0.0, all = 0.0;
    for (const SunMoment& moment : clear().moments) {
        all += moment.insolation;
        if (moment.elevation >= 10.0 * kRadiansPerDegree) usable += moment.insolation;
    }
    CHECK(yield.insolation == Approx(all));
    CHECK(yield.usable.value == Approx(usable).epsilon(1e-12));
    CHECK(yield.energy.solar_power == Approx(130.0 * usable).epsilon(1e-12));
    CHECK(yield.energy.cosine_loss + yield.energy.target_power ==
          Approx(yield.energy.solar_power).epsilon(1e-12));
    CHECK(yield.on_targets.value == Approx(yield.energy.target_power).epsilon(1e-12));
    CHECK(yield.targets[0].energy.value + yield.targets[1].energy.value ==
          Approx(yield.on_targets.value).epsilon(1e-12));
    CHECK(yield.targets[1].energy.value == Approx(yield.heliostats[1].on_target.value));
    for (const YearEnergy* energy : {&yield.on_targets, &yield.heliostats[0].on_target}) {
        double sum = 0.0;
        for (const double month : energy->months) sum += month;
        CHECK(sum == Approx(energy->value).epsilon(1e-12));
        CHECK(energy->months[5] > energy->months[11]);
    }
}

TEST_CASE("The irradiance of the trace does not matter") {
    CHECK(yield_of(clear(), 5, 5, 100.0).on_targets.value ==
          Approx(yield_of(clear(), 5, 5, 1000.0).on_targets.value).epsilon(1e-12));
}

TEST_CASE("Standard errors of all positions are added as one") {
    const AnnualYield yield = yield_of(clear(), 5, 7, 800.0);
    double weights = 0.0;
    for (const double weight : yield.weights) weights += std::abs(weight);
    CHECK(yield.heliostats[0].on_target.std_error == Approx(weights / 800.0));
    CHECK(yield.on_targets.std_error == Approx(std::sqrt(2.0) * weights / 800.0));
    CHECK(weights == Approx(yield.usable.value).epsilon(0.05));
}

TEST_CASE("Below the minimal elevation nothing counts") {
    const IrradianceYear unit = year_of_sky(kSeville, 2026, [](double elevation, int) {
        return elevation < 10.0 * kRadiansPerDegree ? 1000.0 : 0.0;
    });
    const AnnualYield yield = yield_of(unit, 5, 5);
    CHECK(yield.insolation > 0.0);
    CHECK(yield.usable.value == 0.0);
    CHECK(yield.on_targets.value == 0.0);
}

namespace {

/// W/m2 of an irradiance that limits leave: concave.
double limited(double irradiance) {
    constexpr double kBend = 600.0;
    return kBend * (1.0 - std::exp(-irradiance / kBend));
}

/// The first mirror alone, traced at these shares of a cloudless sky; what `power` does not use of
/// the irradiance is defocused.
std::pair<SeriesResult, YearLevels> traced_levels(const SkyGrid& grid,
                                                  const IrradianceYear& year,
                                                  const std::vector<double>& clearness,
                                                  double (*power)(double)) {
    const Mirror& mirror = kMirrors[0];
    SeriesResult series;
    series.heliostats = {mirror.name};
    series.heliostat_targets = {mirror.target};
    series.targets.resize(1);
    series.targets[0].name = mirror.target;
    YearLevels levels;
    levels.aiming.strategy = "optimize";
    levels.first_step = {0};
    for (const SkyGrid::Node& node : grid.nodes()) {
        const Vec3 sun = direction_to_sun({node.azimuth, node.elevation, node.elevation});
        const double area = mirror.area * cosine(sun, mirror.to_target);
        for (const double share : clearness) {
            SeriesStep step;
            step.dni_w_m2 = share * year.clear_sky(node.elevation);
            EnergyTerms energy;
            energy.solar_power = step.dni_w_m2 * mirror.area;
            energy.target_power = power(step.dni_w_m2) * area;
            energy.cosine_loss = step.dni_w_m2 * (mirror.area - area);
            series.energy.push_back(energy);
            series.target_power_std_error.push_back(0.0);
            levels.defocus_loss.push_back(step.dni_w_m2 * area - energy.target_power);
            levels.center_power.push_back(step.dni_w_m2 * area);
            series.steps.push_back(std::move(step));
        }
        levels.first_step.push_back(series.steps.size());
    }
    return {std::move(series), std::move(levels)};
}

double sampled_limited(const IrradianceYear& year, double (*power)(double)) {
    double energy = 0.0;
    for (const SunMoment& moment : year.moments) {
        if (moment.elevation < 10.0 * kRadiansPerDegree || moment.irradiance <= 0.0) continue;
        energy += moment.insolation / moment.irradiance * power(moment.irradiance) *
                  kMirrors[0].area * cosine(moment.direction, kMirrors[0].to_target);
    }
    return energy;
}

/// Days of haze between clear ones.
IrradianceYear hazy() {
    IrradianceYear year = year_of_sky(kSeville, 2026, [](double elevation, int day) {
        return (0.2 + 0.1 * (day % 9)) *
               clear_sky_dni(ClearSky::hottel, elevation, kSeville.altitude_m, day);
    });
    year.clear_sky = clear().clear_sky;
    return year;
}

}  // namespace

TEST_CASE("A power that is concave in the irradiance is interpolated between levels") {
    const IrradianceYear year = hazy();
    const double truth = sampled_limited(year, limited);
    const SkyGrid grid(kSeville.latitude_deg * kRadiansPerDegree, 10.0 * kRadiansPerDegree, 9, 9);
    const auto highest = year.clearness(10.0 * kRadiansPerDegree)[1];
    double before = truth;
    for (const int count : {3, 5, 9}) {
        std::vector<double> clearness;
        for (int i = 1; i <= count; ++i) clearness.push_back(highest * i / count);
        const auto [series, levels] = traced_levels(grid, year, clearness, limited);
        const AnnualYield yield = annual_yield(grid, year, series, levels);
        const double error = truth - yield.on_targets.value;
        INFO(count << ": " << error / truth);
        // Chords lie below a concave function.
        CHECK(error > 0.0);
        CHECK(error < 0.6 * before);
        CHECK(error < yield.on_targets.quadrature_error);
        CHECK(yield.on_targets.quadrature_error < 0.2 * truth);
        before = error;

        const EnergyTerms& energy = yield.energy;
        CHECK(energy.cosine_loss + yield.defocus_loss + energy.target_power ==
              Approx(energy.solar_power).epsilon(1e-12));
        CHECK(yield.heliostats[0].defocus_loss == yield.defocus_loss);
        CHECK(energy.solar_power == Approx(100.0 * yield.usable.value).epsilon(1e-12));
        // Whatever the strategy, center is proportional to the irradiance.
        CHECK(yield.aiming->center_energy ==
              Approx(sampled(year, 10.0 * kRadiansPerDegree, kMirrors[0])).epsilon(1e-4));
    }
    CHECK(before < 0.002 * truth);
}

TEST_CASE("A level at which a limit begins to bind makes a year exact") {
    static constexpr double kLimit = 500.0;
    double (*const cut)(double) = [](double irradiance) { return std::min(irradiance, kLimit); };
    const IrradianceYear year = hazy();
    const SkyGrid grid(kSeville.latitude_deg * kRadiansPerDegree, 10.0 * kRadiansPerDegree, 9, 9);
    // The same positions, with a level where the limit binds in place of the lowest one.
    auto [series, levels] = traced_levels(grid, year, {0.1, 0.4, 1.04}, cut);
    for (size_t node = 0; node < grid.nodes().size(); ++node) {
        // Where it never binds, one level is enough.
        const double clear = year.clear_sky(grid.nodes()[node].elevation);
        for (size_t level = 0; level < 2; ++level) {
            SeriesStep& step = series.steps[3 * node + level];
            const double was = step.dni_w_m2;
            step.dni_w_m2 = std::min(kLimit, clear) * (level == 0 ? 0.5 : 1.0);
            for (const EnergyTermInfo& term : energy_term_infos())
                series.energy[3 * node + level].*term.member *= step.dni_w_m2 / was;
            EnergyTerms& energy = series.energy[3 * node + level];
            energy.target_power = energy.solar_power - energy.cosine_loss;
            levels.defocus_loss[3 * node + level] = 0.0;
        }
    }
    const AnnualYield yield = annual_yield(grid, year, series, levels);
    // What remains is the interpolation between positions of the sun, across the bend.
    CHECK(yield.on_targets.value == Approx(sampled_limited(year, cut)).epsilon(2e-3));
    CHECK(yield.defocus_loss > 0.05 * yield.on_targets.value);
}

TEST_CASE("Levels that are all proportional to the irradiance change nothing") {
    double (*const all)(double) = [](double irradiance) { return irradiance; };
    const IrradianceYear year = hazy();
    const SkyGrid grid(kSeville.latitude_deg * kRadiansPerDegree, 10.0 * kRadiansPerDegree, 5, 7);
    const auto [series, levels] = traced_levels(grid, year, {0.3, 0.6, 1.0}, all);
    const auto [lone, one] = traced_levels(grid, year, {0.9}, all);
    const AnnualYield yield = annual_yield(grid, year, series, levels);
    const AnnualYield plain = annual_yield(grid, year, lone);
    CHECK(yield.on_targets.value == Approx(plain.on_targets.value).epsilon(1e-12));
    CHECK(yield.on_targets.quadrature_error ==
          Approx(plain.on_targets.quadrature_error).epsilon(1e-9));
    CHECK(yield.defocus_loss == Approx(0.0).margin(1e-6 * yield.on_targets.value));
    CHECK(yield.efficiency[11] == Approx(plain.efficiency[11]).epsilon(1e-12));
    double weights = 0.0;
    for (const double weight : yield.weights) weights += weight;
    CHECK(weights == Approx(yield.usable.value).epsilon(1e-12));
    YearLevels other = levels;
    other.first_step.pop_back();
    CHECK_THROWS_AS(annual_yield(grid, year, series, other), std::invalid_argument);
}

TEST_CASE("Clearness is the irradiance over that of a cloudless sky") {
    const auto range = hazy().clearness(10.0 * kRadiansPerDegree);
    // Days of 0.2 to 1 of a cloudless sky; the sky itself changes by 3.3 % with the distance.
    CHECK(range[0] == Approx(0.2).epsilon(0.04));
    CHECK(range[1] / range[0] == Approx(5.0).epsilon(0.07));
    CHECK(clear().clearness(1.5)[1] == 0.0);
    const auto usual = clear().clearness(10.0 * kRadiansPerDegree);
    CHECK(usual[0] == Approx(0.967).epsilon(0.001));
    CHECK(usual[1] == Approx(1.033).epsilon(0.001));
}

TEST_CASE("A series of other positions is refused") {
    const SkyGrid grid(0.6, 0.2, 5, 5), other(0.6, 0.2, 5, 7);
    CHECK_THROWS_AS(annual_yield(grid, clear(), traced(other, 800.0)), std::invalid_argument);
}

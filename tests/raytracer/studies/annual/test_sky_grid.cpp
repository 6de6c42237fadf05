// SPDX-License-Identifier: MIT
// Grids of sun positions: nodes on the sky, weights, exactness, limits.
#include "raytracer/studies/annual/sky_grid.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/sun/solar_position.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numeric>

using namespace helioray;

namespace {

using Rule = SkyGrid::Rule;

Vec3 sun_of(double azimuth, double elevation) {
    return direction_to_sun({azimuth, elevation, elevation});
}

/// Suns of all seasons and times of day, at least 10 degrees high.
std::vector<Vec3> suns(const GeodeticPosition& plant) {
    std::vector<Vec3> found;
    for (int month = 1; month <= 12; ++month) {
        for (int hour = 5; hour < 20; ++hour) {
            const SolarPosition sun = solar_position(
                utc_time(2026, month, 3 + month, 3600.0 * hour + 100.0 * month), 69.0, plant, {});
            if (sun.elevation > 10.0 * kRadiansPerDegree) found.push_back(direction_to_sun(sun));
        }
    }
    return found;
}

/// Interpolated value of a function at a sun.
template <typename Function>
double interpolated(const SkyGrid& grid, const Vec3& sun, Rule rule, const Function& f) {
    std::vector<double> weights(grid.nodes().size(), 0.0);
    grid.distribute(sun, 1.0, rule, weights);
    double sum = 0.0;
    for (size_t i = 0; i < weights.size(); ++i)
        sum += weights[i] * f(sun_of(grid.nodes()[i].azimuth, grid.nodes()[i].elevation));
    return sum;
}

}  // namespace

TEST_CASE("Nodes lie between the minimal elevation and noon") {
    for (const double latitude :
         {50.9 * kRadiansPerDegree, -23.0 * kRadiansPerDegree, 10.0 * kRadiansPerDegree}) {
        const SkyGrid grid(latitude, 10.0 * kRadiansPerDegree, 5, 7);
        REQUIRE(grid.nodes().size() == 35);
        for (size_t i = 0; i < 5; ++i) {
            const auto node = [&](size_t j) { return grid.nodes()[7 * i + j]; };
            CHECK(node(0).elevation == Approx(10.0 * kRadiansPerDegree));
            CHECK(node(6).elevation == Approx(10.0 * kRadiansPerDegree));
            CHECK(node(0).azimuth == Approx(-node(6).azimuth));
            CHECK(std::sin(node(0).azimuth) < 0.0);  // evening: west
            // Noon: declination and latitude make the elevation.
            CHECK(node(3).elevation ==
                  Approx(90.0 * kRadiansPerDegree - std::abs(latitude - node(3).declination)));
            CHECK(std::abs(std::sin(node(3).azimuth)) < 1e-6);
        }
        CHECK(grid.nodes().front().declination == Approx(23.44 * kRadiansPerDegree));
        CHECK(grid.nodes().back().declination == Approx(-23.44 * kRadiansPerDegree));
    }
}

TEST_CASE("Weights of a sun sum up to its amount, and are one at a node") {
    const GeodeticPosition plant{37.4, -5.9, 20.0};
    const SkyGrid grid(plant.latitude_deg * kRadiansPerDegree, 10.0 * kRadiansPerDegree, 9, 5);
    for (const Rule rule : {Rule::full, Rule::half_declinations, Rule::half_hours}) {
        for (const Vec3& sun : suns(plant)) {
            std::vector<double> weights(grid.nodes().size(), 0.0);
            grid.distribute(sun, 3.0, rule, weights);
            CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(3.0));
        }
    }
    for (const size_t i : {size_t{7}, size_t{22}, size_t{44}}) {
        std::vector<double> weights(grid.nodes().size(), 0.0);
        const SkyGrid::Node& node = grid.nodes()[i];
        grid.distribute(sun_of(node.azimuth, node.elevation), 1.0, Rule::full, weights);
        CHECK(weights[i] == Approx(1.0).epsilon(1e-6));
    }
}

TEST_CASE("Polynomials of the declination's sine are interpolated exactly") {
    const GeodeticPosition plant{37.4, -5.9, 20.0};
    const double latitude = plant.latitude_deg * kRadiansPerDegree;
    const SkyGrid grid(latitude, 10.0 * kRadiansPerDegree, 9, 5);
    const auto power = [&](int exponent) {
        return [=](const Vec3& s) {
            return std::pow(s[1] * std::cos(latitude) + s[2] * std::sin(latitude), exponent);
        };
    };
    for (const Vec3& sun : suns(plant)) {
        CHECK(interpolated(grid, sun, Rule::full, power(8)) == Approx(power(8)(sun)).margin(1e-12));
        CHECK(interpolated(grid, sun, Rule::half_declinations, power(4)) ==
              Approx(power(4)(sun)).margin(1e-12));
        CHECK(interpolated(grid, sun, Rule::half_hours, power(8)) ==
              Approx(power(8)(sun)).margin(1e-12));
    }
}

TEST_CASE("The half rules leave out every second point") {
    const SkyGrid grid(0.6, 0.2, 5, 5);
    std::vector<double> declinations(25, 0.0), hours(25, 0.0);
    const Vec3 sun = sun_of(2.0, 0.7);
    grid.distribute(sun, 1.0, Rule::half_declinations, declinations);
    grid.distribute(sun, 1.0, Rule::half_hours, hours);
    for (size_t i = 0; i < 5; ++i) {
        for (size_t j = 0; j < 5; ++j) {
            CHECK((declinations[5 * i + j] == 0.0) == (i % 2 == 1));
            CHECK((hours[5 * i + j] == 0.0) == (j % 2 == 1));
        }
    }
}

TEST_CASE("Grids that make no sense are refused") {
    CHECK_THROWS_AS(SkyGrid(0.5, 0.2, 4, 5), InputError);
    CHECK_THROWS_AS(SkyGrid(0.5, 0.2, 5, 1), InputError);
    // In Juelich the sun never rises to more than 62.5 degrees, and half a degree less is no year.
    CHECK_THROWS_AS(SkyGrid(50.9 * kRadiansPerDegree, 62.3 * kRadiansPerDegree, 5, 5), InputError);
    CHECK_THROWS_AS(SkyGrid(-50.9 * kRadiansPerDegree, 62.3 * kRadiansPerDegree, 5, 5), InputError);
    CHECK_THROWS_AS(SkyGrid(89.5 * kRadiansPerDegree, 10.0 * kRadiansPerDegree, 5, 5), InputError);
    CHECK_NOTHROW(SkyGrid(50.9 * kRadiansPerDegree, 61.0 * kRadiansPerDegree, 5, 5));
}

TEST_CASE("Where the sun stays low in winter the grid begins with the first day that it does not") {
    // In Juelich the shortest day's sun reaches 15.7 degrees.
    CHECK(SkyGrid(50.9 * kRadiansPerDegree, 15.0 * kRadiansPerDegree, 5, 5).is_all_year());
    for (const double side : {1.0, -1.0}) {
        const SkyGrid grid(side * 68.0 * kRadiansPerDegree, 10.0 * kRadiansPerDegree, 5, 7);
        CHECK_FALSE(grid.is_all_year());
        const SkyGrid::Node& winter = grid.nodes()[side > 0.0 ? 28 : 0];
        const SkyGrid::Node& summer = grid.nodes()[(side > 0.0 ? 0 : 28) + 3];
        // Noon elevation 10 degrees: declination 68 - 80.
        CHECK(winter.declination == Approx(-12.0 * side * kRadiansPerDegree));
        CHECK(winter.hour_angle == Approx(0.0).margin(1e-6));
        CHECK(winter.elevation == Approx(10.0 * kRadiansPerDegree));
        CHECK(summer.declination == Approx(23.44 * side * kRadiansPerDegree));
        CHECK(summer.elevation == Approx((90.0 - 68.0 + 23.44) * kRadiansPerDegree));
        for (const SkyGrid::Node& node : grid.nodes())
            CHECK(node.elevation > 9.999 * kRadiansPerDegree);
    }
}

TEST_CASE("Weights beyond the polar circle sum up to one, under the midnight sun too") {
    const GeodeticPosition plant{78.2, 15.6, 20.0};
    const SkyGrid grid(plant.latitude_deg * kRadiansPerDegree, 10.0 * kRadiansPerDegree, 9, 13);
    const std::vector<Vec3> found = suns(plant);
    REQUIRE(found.size() > 20);
    for (const Rule rule : {Rule::full, Rule::half_declinations, Rule::half_hours}) {
        for (const Vec3& sun : found) {
            std::vector<double> weights(grid.nodes().size(), 0.0);
            grid.distribute(sun, 1.0, rule, weights);
            CHECK(std::accumulate(weights.begin(), weights.end(), 0.0) == Approx(1.0));
        }
    }
    // Midnight of midsummer: the first and the last hour angle are half a turn away.
    CHECK(grid.nodes()[0].hour_angle == Approx(kRadiansPerDegree * 180.0));
    CHECK(grid.nodes()[0].elevation == Approx((78.2 + 23.44 - 90.0) * kRadiansPerDegree));
}

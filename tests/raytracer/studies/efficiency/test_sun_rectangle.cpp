// SPDX-License-Identifier: MIT
// Interpolation on a rectangle of sun positions, and its error, against closed forms.
#include "raytracer/studies/efficiency/sky_coverage.h"
#include "raytracer/studies/efficiency/sun_rectangle.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

using namespace helioray;

namespace {

std::vector<double> radians(std::vector<double> degrees) {
    for (double& angle : degrees) angle *= kRadiansPerDegree;
    return degrees;
}

template <typename Function>
std::vector<double> sampled(const SunRectangle& suns, const Function& function) {
    std::vector<double> values;
    for (std::size_t i = 0; i < suns.size(); ++i)
        values.push_back(function(suns.sun(i).azimuth, suns.sun(i).elevation));
    return values;
}

double interpolated(const SunRectangle& suns,
                    const std::vector<double>& values,
                    double azimuth,
                    double elevation) {
    double sum = 0.0;
    for (const auto& [entry, weight] : suns.interpolation(azimuth, elevation))
        sum += weight * values[entry];
    return sum;
}

}  // namespace

TEST_CASE("Bilinear functions are interpolated exactly") {
    const SunRectangle suns(radians({30, 70, 90, 200}), radians({5, 20, 80}));
    CHECK_FALSE(suns.is_all_around());
    const auto function = [](double a, double e) { return 1.0 + 2.0 * a - 3.0 * e + 0.7 * a * e; };
    const std::vector<double> values = sampled(suns, function);
    for (const double azimuth : {31.0, 70.0, 88.0, 199.0}) {
        for (const double elevation : {5.0, 6.0, 44.0, 80.0}) {
            const double a = azimuth * kRadiansPerDegree, e = elevation * kRadiansPerDegree;
            CHECK_THAT(interpolated(suns, values, a, e),
                       Catch::Matchers::WithinAbs(function(a, e), 1e-12));
            CHECK_THAT(interpolated(suns, values, a - 2.0 * std::numbers::pi, e),
                       Catch::Matchers::WithinAbs(function(a, e), 1e-12));
        }
    }
}

TEST_CASE("Beyond the ends the nearest numbers count") {
    const SunRectangle suns(radians({90, 120, 200}), radians({10, 20, 30}));
    const std::vector<double> values = sampled(suns, [](double a, double e) { return a + 10 * e; });
    const auto at = [&](double azimuth, double elevation) {
        return interpolated(
            suns, values, azimuth * kRadiansPerDegree, elevation * kRadiansPerDegree);
    };
    CHECK(at(100, 5) == Approx(at(100, 10)));
    CHECK(at(100, 60) == Approx(at(100, 30)));
    CHECK(at(210, 15) == Approx(at(200, 15)));
    CHECK(at(60, 15) == Approx(at(90, 15)));
    // 325 degrees is as far from both ends: 125 from 200, 125 from 90.
    CHECK(at(320, 15) == Approx(at(200, 15)));
    CHECK(at(330, 15) == Approx(at(90, 15)));
}

TEST_CASE("Azimuths all around have no seam") {
    const SunRectangle suns(radians({0, 90, 180, 270}), radians({10, 20, 30}));
    REQUIRE(suns.is_all_around());
    const std::vector<double> values =
        sampled(suns, [](double a, double) { return std::sin(a) + 2.0 * std::cos(a); });
    // Halfway between 270 and 360 degrees: the mean of -1 and 2.
    CHECK_THAT(interpolated(suns, values, 315.0 * kRadiansPerDegree, 0.3),
               Catch::Matchers::WithinAbs(0.5, 1e-12));
}

TEST_CASE("The error of a parabola is its largest one") {
    // Unequal steps: in a cell of step h the error is largest in the middle, h^2 / 8 * f''.
    const SunRectangle suns(radians({100, 110, 130, 160}), radians({10, 20, 45}));
    const double curvature = 1.7, other = -0.9;
    const auto function = [&](double a, double e) {
        return 0.5 * curvature * a * a + 0.5 * other * e * e + a - e;
    };
    const std::vector<double> values = sampled(suns, function);
    std::vector<double> at_middles;
    for (const auto& [a, e] : suns.middles()) at_middles.push_back(function(a, e));
    // Middles are no surprise.
    const std::vector<double> errors = suns.interpolation_error(values, at_middles);
    const std::size_t entry = 1 * 3 + 1;  // 110 and 20 degrees; longer steps of 20 and 25
    const double a = 20.0 * kRadiansPerDegree, e = 25.0 * kRadiansPerDegree;
    CHECK_THAT(errors[entry],
               Catch::Matchers::WithinRel((curvature * a * a - other * e * e) / 8.0, 1e-9));
    double largest = 0.0;
    for (double azimuth = 100.0; azimuth <= 160.0; azimuth += 0.5) {
        for (double elevation = 10.0; elevation <= 45.0; elevation += 0.5) {
            const double x = azimuth * kRadiansPerDegree, y = elevation * kRadiansPerDegree;
            const double error = std::abs(interpolated(suns, values, x, y) - function(x, y));
            double stated = 0.0;
            for (const auto& [corner, weight] : suns.interpolation(x, y))
                if (weight > 0.0) stated = std::max(stated, errors[corner]);
            CHECK(error <= stated * (1.0 + 1e-9) + 1e-12);
            largest = std::max(largest, error / std::max(stated, 1e-12));
        }
    }
    // And not much more than what happens.
    CHECK(largest > 0.5);
}

TEST_CASE("Middles lie between entries") {
    const SunRectangle around(radians({20, 110, 200, 290}), radians({10, 20, 90}));
    const auto suns = around.middles();
    REQUIRE(suns.size() == 4 * 2);
    CHECK_THAT(suns[0].azimuth, Catch::Matchers::WithinRel(65.0 * kRadiansPerDegree, 1e-12));
    CHECK_THAT(suns[1].elevation, Catch::Matchers::WithinRel(55.0 * kRadiansPerDegree, 1e-12));
    // Between 290 and 380 degrees.
    CHECK_THAT(suns[6].azimuth, Catch::Matchers::WithinRel(335.0 * kRadiansPerDegree, 1e-12));
    CHECK(SunRectangle(radians({20, 110, 200}), radians({10, 20, 90})).middles().size() == 2 * 2);
    // Over north.
    const SunRectangle late(radians({90, 210, 350}), radians({10, 20, 90}));
    CHECK_THAT(late.middles()[4].azimuth,
               Catch::Matchers::WithinAbs(40.0 * kRadiansPerDegree, 1e-9));
}

TEST_CASE("A kink or a step is stated wherever it is in a cell") {
    const SunRectangle suns(radians({100, 120, 140, 160, 180}), radians({10, 20, 30}));
    const auto middles = suns.middles();
    // The largest difference of all places as a share of what is stated.
    const auto worst = [&](bool is_step, bool has_middles) {
        double ratio = 0.0;
        for (double at = 120.5; at < 140.0; at += 0.5) {
            const auto function = [&](double a, double) {
                const double past = a - at * kRadiansPerDegree;
                return past > 0.0 ? (is_step ? 0.3 : past) : 0.0;
            };
            const std::vector<double> values = sampled(suns, function);
            std::vector<double> at_middles;
            for (const auto& [a, e] : middles) at_middles.push_back(function(a, e));
            const auto errors =
                suns.interpolation_error(values, has_middles ? at_middles : std::vector<double>{});
            for (double azimuth = 100.125; azimuth < 180.0; azimuth += 0.25) {
                const double a = azimuth * kRadiansPerDegree, e = 0.3;
                double stated = 1e-12;
                for (const auto& [corner, weight] : suns.interpolation(a, e))
                    stated = std::max(stated, errors[corner]);
                const double error = std::abs(interpolated(suns, values, a, e) - function(a, e));
                ratio = std::max(ratio, error / stated);
            }
        }
        return ratio;
    };
    CHECK(worst(false, true) <= 1.21);
    CHECK(worst(true, true) <= 1.6);
    CHECK(worst(false, false) > 3.5);
    CHECK(worst(true, false) > 7.0);
}

TEST_CASE("A linear function has no error, a circle has one") {
    const SunRectangle suns(radians({0, 60, 120, 180, 240, 300}), radians({10, 20, 30}));
    for (const double error :
         suns.interpolation_error(sampled(suns, [](double, double e) { return 3.0 * e; }), {}))
        CHECK(error < 1e-12);
    // sin on the circle: the second difference over the seam is that of any other place.
    const auto errors =
        suns.interpolation_error(sampled(suns, [](double a, double) { return std::cos(a); }), {});
    CHECK(errors[0] == Approx(errors[3 * 3]));
    // Between 0 and 60 degrees the mean is 0.75.
    CHECK(errors[0] > std::cos(30.0 * kRadiansPerDegree) - 0.75);
}

TEST_CASE("Wrong angles are refused") {
    const std::vector<double> good = radians({10, 20, 30});
    CHECK_THROWS_AS(SunRectangle(radians({0, 360, 370}), good), InputError);
    CHECK_THROWS_AS(SunRectangle(radians({0, 90}), good), InputError);
    CHECK_THROWS_AS(SunRectangle(radians({0, 90, 80}), good), InputError);
    CHECK_THROWS_AS(SunRectangle(good, radians({0, 20, 30})), InputError);
    CHECK_THROWS_AS(SunRectangle(good, radians({10, 20, 91})), InputError);
    CHECK_THROWS_AS(SunRectangle(good, radians({10, std::nan(""), 30})), InputError);
    CHECK_NOTHROW(SunRectangle(good, radians({10, 20, 90})));
    const SunRectangle known = solarpilot_rectangle();
    CHECK(known.azimuths().size() == 12);
    CHECK(known.elevations().size() == 8);
    CHECK(known.is_all_around());
}

TEST_CASE("A rectangle may lie across north") {
    const auto value = [](const SunRectangle& suns, double azimuth) {
        double sum = 0.0;
        for (const auto& [entry, weight] :
             suns.interpolation(azimuth * kRadiansPerDegree, 20.0 * kRadiansPerDegree))
            sum += weight * static_cast<double>(entry / suns.elevations().size());
        return sum;
    };
    const std::vector<double> heights = radians({10, 20, 30});
    for (const std::vector<double>& azimuths :
         {std::vector<double>{-90, -30, 0, 60}, {270, 330, 360, 420}}) {
        const SunRectangle suns(radians(azimuths), heights);
        CHECK(suns.azimuths().front() == Approx(-90 * kRadiansPerDegree));
        CHECK_FALSE(suns.is_all_around());
        CHECK(value(suns, 300) == Approx(0.5));
        CHECK(value(suns, -60) == Approx(0.5));
        CHECK(value(suns, 350) == Approx(1.0 + 20.0 / 30.0));
        CHECK(value(suns, 30) == Approx(2.5));
        CHECK(suns.sun(0).azimuth == Approx(270 * kRadiansPerDegree));
        for (const SunRectangle::Sun& sun : suns.middles()) {
            CHECK(sun.azimuth >= 0.0);
            CHECK(suns.contains(sun.azimuth, sun.elevation));
        }
        const double twenty = 20 * kRadiansPerDegree;
        CHECK(suns.contains(-90 * kRadiansPerDegree, twenty));
        CHECK(suns.contains(60 * kRadiansPerDegree, twenty));
        CHECK_FALSE(suns.contains(61 * kRadiansPerDegree, twenty));
        CHECK_FALSE(suns.contains(180 * kRadiansPerDegree, twenty));
        CHECK_FALSE(suns.contains(0.0, 9 * kRadiansPerDegree));
        CHECK_FALSE(suns.contains(0.0, 31 * kRadiansPerDegree));
    }
    CHECK_THROWS_AS(SunRectangle(radians({-90, 90, 270}), heights), InputError);
    CHECK(continued_over_north({270, 300, 330, 0, 30}) ==
          std::vector<double>{270, 300, 330, 360, 390});
    CHECK(continued_over_north({10, 20, 5}) == std::vector<double>{10, 20, 365});
    CHECK(continued_over_north({0, 90, 80}) == std::vector<double>{0, 90, 80});
    CHECK(continued_over_north({-90, 0, -100}) == std::vector<double>{-90, 0, -100});
}

TEST_CASE("A sun that leaves the table is counted") {
    const auto warning = [](const std::vector<double>& azimuths, double highest, double latitude) {
        return coverage_warning(SunRectangle(radians(azimuths), radians({5, 20, highest})),
                                latitude * kRadiansPerDegree);
    };
    const std::vector<double> around{0, 90, 180, 270}, south{90, 180, 270};
    CHECK(warning(around, 90, 30).empty());
    CHECK(warning(around, 90, -30).empty());
    // In winter the sun of the north rises and sets in the south, in summer it does not.
    const std::string north = warning(south, 90, 30);
    CHECK(north.find("the sun of latitude 30.0° leaves the table in ") != std::string::npos);
    CHECK(north.find("azimuths from 90° to 270°") != std::string::npos);
    CHECK(!warning(around, 60, 30).empty());
    const SkyCoverage coverage =
        sky_coverage(SunRectangle(radians(south), radians({5, 20, 90})), -60.0 * kRadiansPerDegree);
    CHECK(coverage.hours_beyond > 0.8 * coverage.hours);
    // At the equator the sun is as long in the north as in the south.
    const SkyCoverage equator =
        sky_coverage(SunRectangle(radians(south), radians({1, 20, 90})), 0.0);
    CHECK(equator.hours_beyond == Approx(0.5 * equator.hours).epsilon(0.01));
}

TEST_CASE("Angles of tables are the decimals that were asked for") {
    std::vector<double> asked{15, 14.4, 0.1, 82.975, 345, 359.999999999, 1e-9, 0.123456789012};
    for (int i = 0; i <= 720; ++i) asked.push_back(0.5 * i);
    for (const double degrees : asked) {
        CHECK(decimal_degrees(degrees * kRadiansPerDegree) == degrees);
        CHECK(decimal_degrees(-degrees * kRadiansPerDegree) == -degrees);
        // Azimuths across north were turned by 360 degrees.
        if (degrees == 0.5 * std::round(2.0 * degrees)) {
            CHECK(decimal_degrees(degrees * kRadiansPerDegree - 2.0 * std::numbers::pi) ==
                  degrees - 360.0);
        }
    }
    // Not every quotient is its decimal.
    CHECK(15.0 * kRadiansPerDegree / kRadiansPerDegree != 15.0);
    // Other angles stay as they are.
    CHECK(decimal_degrees(1.0 / 3.0 * kRadiansPerDegree) == Approx(1.0 / 3.0).margin(1e-15));
    CHECK(decimal_degrees(1.0) == 1.0 / kRadiansPerDegree);
}

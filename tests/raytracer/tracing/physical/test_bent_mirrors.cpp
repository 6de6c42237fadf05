// SPDX-License-Identifier: MIT
// Mirrors whose shape changes with elevation or temperature, against spots in closed form.
#include "raytracer/tracing/physical/live_field.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/types/bent_surface.h"
#include "tests/raytracer/tracing/physical/run.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

using namespace helioray;
using namespace helioray::test;
using namespace helioray::validation;

namespace {

constexpr double kDistance = 80.0;
constexpr double kWidth = 3.0;

struct Row {
    double elevation_deg;
    double focal_length;
    double tilt;  ///< angle of the normal towards the upper edge, radians
};

constexpr Row kRows[] = {{20.0, 100.0, 0.0}, {50.0, 130.0, 1e-3}, {80.0, 400.0, -2e-3}};

Surface bent_surface(const Surface& rigid) {
    Surface surface = rigid;
    for (const Row& row : kRows) {
        std::vector<Facet> facets = surface.facets;
        for (Facet& facet : facets) {
            facet.focal_length = row.focal_length;
            const double half = norm(facet.canting_n);
            facet.canting_n = {0.0, half * std::cos(row.tilt), -half * std::sin(row.tilt)};
        }
        surface.bent.push_back({row.elevation_deg * kRadiansPerDegree, facets});
    }
    return surface;
}

/// Mean and standard deviation of the flux along the columns or rows of a map, in pixels.
std::array<double, 2> moments(const std::vector<double>& flux, int64_t size, bool along_rows) {
    double sum = 0.0, first = 0.0, second = 0.0;
    for (int64_t row = 0; row < size; ++row) {
        for (int64_t column = 0; column < size; ++column) {
            const double value = flux[static_cast<size_t>(size * row + column)];
            const auto at = static_cast<double>(along_rows ? row : column);
            sum += value;
            first += value * at;
            second += value * at * at;
        }
    }
    const double mean = first / sum;
    return {mean, std::sqrt(second / sum - mean * mean)};
}

}  // namespace

TEST_CASE("bent mirrors: the spot has the focal length and tilt of the mirror's elevation") {
    for (const double elevation : {0.0, 20.0, 35.0, 50.0, 60.0, 75.0, 80.0, 90.0}) {
        // Light along the mirror's axis comes back to a target on the axis.
        const double e = elevation * kRadiansPerDegree;
        const Vec3 axis{0.0, -std::cos(e), std::sin(e)};
        constexpr double kTarget = 8.0;
        Scene scene = make_scene({{{0, 0, 0}, kWidth, kWidth, FacetShape::paraboloid, 100.0}},
                                 {scaled(kDistance, axis), scaled(-1.0, axis), kTarget, kTarget},
                                 sun_at(180.0, 90.0 - elevation),
                                 CollimatedShape{},
                                 NoError{});
        scene.scenario.heliostats[0].surface =
            std::make_shared<const Surface>(bent_surface(*scene.scenario.heliostats[0].surface));
        scene.config.aim.heliostats[mirror_name(0)].motor_positions = {std::numbers::pi, e};
        constexpr int64_t kPixels = 256;
        scene.config.bitmap.width = scene.config.bitmap.height = kPixels;
        scene.config.tracing.rays_per_heliostat = 1'000'000;
        const RunResult result = run(scene);

        const auto interpolate = [&](double Row::*member, bool inverse) {
            const auto value = [&](const Row& row) {
                return inverse ? 1.0 / (row.*member) : row.*member;
            };
            if (elevation <= kRows[0].elevation_deg) return value(kRows[0]);
            for (size_t i = 1; i < std::size(kRows); ++i) {
                const Row &low = kRows[i - 1], &high = kRows[i];
                if (elevation > high.elevation_deg) continue;
                const double t =
                    (elevation - low.elevation_deg) / (high.elevation_deg - low.elevation_deg);
                return value(low) + t * (value(high) - value(low));
            }
            return value(kRows[2]);
        };
        const double curvature = interpolate(&Row::focal_length, true);
        const double tilt = interpolate(&Row::tilt, false);
        const double pixel = kTarget / kPixels;
        // An evenly lit square, and the width of a pixel.
        const double spread = std::hypot(kWidth * std::abs(1.0 - kDistance * curvature), pixel) /
                              std::sqrt(12.0) / pixel;
        const auto across = moments(result.targets[0].flux, kPixels, false);
        const auto upright = moments(result.targets[0].flux, kPixels, true);
        CAPTURE(elevation, 1.0 / curvature, tilt);
        CHECK(across[0] == Approx(0.5 * (kPixels - 1)).margin(0.05));
        CHECK(across[1] == Approx(spread).epsilon(2e-3));
        // Rows count downwards, and the image's top is the mirror's upper edge.
        const double shift = kDistance * std::tan(2.0 * tilt) / pixel;
        CHECK(std::abs(std::abs(upright[0] - 0.5 * (kPixels - 1)) - std::abs(shift)) < 0.1);
    }
}

TEST_CASE("bent mirrors: a field that follows the sun is a new field at every position") {
    Scene scene = make_scene({{{0, 0, 0}, 3.0, 3.0}, {{8, 2, 0}, 3.0, 3.0}, {{4, -6, 0}, 3.0, 3.0}},
                             {{0, -60, 40}, {0, 1, 0}, 8.0, 8.0},
                             sun_at(180.0, 30.0),
                             PillboxShape{4.65e-3},
                             NoError{});
    scene.scenario.heliostats[0].surface =
        std::make_shared<const Surface>(bent_surface(*scene.scenario.heliostats[0].surface));
    scene.scenario.heliostats[1].surface = scene.scenario.heliostats[0].surface;
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.tracing.rays_per_heliostat = 2'000;
    const auto plant = std::make_shared<const Scenario>(scene.scenario);
    physical::LiveField live(scene.config, plant);
    live.trace();
    std::vector<int64_t> before;
    for (const double zenith : {70.0, 20.0, 70.0}) {
        scene.config.sun.position = sun_at(180.0, zenith);
        live.set_sun(direction_to_sun(scene.config.sun, plant->position), scene.config.sun.dni);
        live.trace();
        physical::LiveField fresh(scene.config, plant);
        fresh.trace();
        CHECK(live.sums() == fresh.sums());
        CHECK(live.sums() != before);
        before = live.sums();
    }
    // A rigid mirror instead of a bent one.
    Surface rigid = *scene.scenario.heliostats[0].surface;
    rigid.bent.clear();
    live.set_surface(0, std::make_shared<const Surface>(rigid));
    live.trace();
    Scenario changed = *plant;
    changed.heliostats[0].surface = std::make_shared<const Surface>(rigid);
    physical::LiveField fresh(scene.config, std::make_shared<const Scenario>(changed));
    fresh.trace();
    CHECK(live.sums() == fresh.sums());
}

namespace {

/// A mirror with a focal length at -10 °C and another at 40 °C.
std::shared_ptr<const Surface> surface_by_temperature(const Surface& rigid,
                                                      double cold,
                                                      double warm) {
    Surface surface = rigid;
    surface.bending_axis = BendingAxis::temperature;
    for (const auto& [temperature, focal_length] : {std::pair{-10.0, cold}, {40.0, warm}}) {
        std::vector<Facet> facets = rigid.facets;
        for (Facet& facet : facets) facet.focal_length = focal_length;
        surface.bent.push_back({temperature, facets});
    }
    return std::make_shared<const Surface>(surface);
}

/// A mirror of 3 m x 3 m that lights a target on its axis, without errors.
Scene scene_on_axis() {
    const double elevation = 50.0 * kRadiansPerDegree;
    const Vec3 axis{0.0, -std::cos(elevation), std::sin(elevation)};
    Scene scene = make_scene({{{0, 0, 0}, kWidth, kWidth, FacetShape::paraboloid, 100.0}},
                             {scaled(kDistance, axis), scaled(-1.0, axis), 8.0, 8.0},
                             sun_at(180.0, 40.0),
                             CollimatedShape{},
                             NoError{});
    scene.config.bitmap.width = scene.config.bitmap.height = 256;
    scene.config.tracing.rays_per_heliostat = 1'000'000;
    return scene;
}

std::vector<int64_t> traced_sums(const Scene& scene) {
    physical::LiveField live(scene.config, std::make_shared<const Scenario>(scene.scenario));
    live.trace();
    return live.sums();
}

}  // namespace

TEST_CASE("bent mirrors: the spot has the focal length of the temperature") {
    Scene scene = scene_on_axis();
    scene.scenario.heliostats[0].surface =
        surface_by_temperature(*scene.scenario.heliostats[0].surface, 400.0, 100.0);
    for (const double temperature : {-30.0, -10.0, 0.0, 25.0, 40.0, 60.0}) {
        scene.config.sun.temperature = temperature;
        const RunResult result = run(scene);
        const double t = std::clamp((temperature + 10.0) / 50.0, 0.0, 1.0);
        const double curvature = (1.0 - t) / 400.0 + t / 100.0;
        constexpr double kPixel = 8.0 / 256;
        // An evenly lit square, and the width of a pixel.
        const double spread = std::hypot(kWidth * std::abs(1.0 - kDistance * curvature), kPixel) /
                              std::sqrt(12.0) / kPixel;
        CAPTURE(temperature);
        for (const bool along_rows : {false, true})
            CHECK(moments(result.targets[0].flux, 256, along_rows)[1] ==
                  Approx(spread).epsilon(2e-3));
        CHECK(result.provenance.temperature_c == temperature);
    }
    scene.config.sun.temperature.reset();
    try {
        run(scene);
        FAIL("traced without a temperature");
    } catch (const InputError& error) {
        CHECK(error.problems().at(0).where == "sun.temperature_c");
        CHECK_THAT(error.what(), ContainsSubstring(mirror_name(0)));
    }
}

TEST_CASE("bent mirrors: equal rows give the bits of a rigid mirror at any temperature") {
    Scene scene = scene_on_axis();
    scene.config.tracing.rays_per_heliostat = 2'000;
    const std::vector<int64_t> rigid = traced_sums(scene);
    scene.scenario.heliostats[0].surface =
        surface_by_temperature(*scene.scenario.heliostats[0].surface, 100.0, 100.0);
    for (const double temperature : {-20.0, 3.7, 40.0}) {
        scene.config.sun.temperature = temperature;
        CHECK(traced_sums(scene) == rigid);
    }
}

TEST_CASE("bent mirrors: a field that follows the temperature is a new field at every one") {
    Scene scene = make_scene({{{0, 0, 0}, 3.0, 3.0}, {{8, 2, 0}, 3.0, 3.0}, {{4, -6, 0}, 3.0, 3.0}},
                             {{0, -60, 40}, {0, 1, 0}, 8.0, 8.0},
                             sun_at(180.0, 30.0),
                             PillboxShape{4.65e-3},
                             NoError{});
    // Two heliostats share a mirror by temperature, and one bends with its elevation.
    const auto shared = surface_by_temperature(*scene.scenario.heliostats[0].surface, 60.0, 200.0);
    scene.scenario.heliostats[2].surface =
        std::make_shared<const Surface>(bent_surface(*scene.scenario.heliostats[0].surface));
    scene.scenario.heliostats[0].surface = scene.scenario.heliostats[1].surface = shared;
    scene.config.tracing.shading = scene.config.tracing.blocking = true;
    scene.config.tracing.rays_per_heliostat = 2'000;
    scene.config.sun.temperature = 20.0;
    const auto plant = std::make_shared<const Scenario>(scene.scenario);
    physical::LiveField live(scene.config, plant);
    live.trace();
    std::vector<int64_t> before;
    for (const auto& [zenith, temperature] :
         {std::pair{30.0, -5.0}, {60.0, -5.0}, {60.0, 35.0}, {20.0, 20.0}}) {
        scene.config.sun.position = sun_at(180.0, zenith);
        scene.config.sun.temperature = temperature;
        live.set_sun(direction_to_sun(scene.config.sun, plant->position), scene.config.sun.dni);
        live.set_temperature(temperature);
        live.trace();
        CHECK(live.sums() == traced_sums(scene));
        CHECK(live.sums() != before);
        before = live.sums();
    }
    // A mirror that replaces another one has the shape of the present temperature.
    scene.scenario.heliostats[2].surface = shared;
    live.set_surface(2, shared);
    live.trace();
    CHECK(live.sums() == traced_sums(scene));
}

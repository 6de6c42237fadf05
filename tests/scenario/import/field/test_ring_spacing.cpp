// SPDX-License-Identifier: MIT
// Distances of rings: closed forms, limits, the published correlations.
#include "scenario/import/field/layouts.h"
#include "tests/scenario/import/field/field_support.h"

#include <cmath>

using namespace helioray;

namespace {
constexpr RingSizes kSizes{6.0, 5.0, 57.0, 8.0};
}

TEST_CASE("ring spacing: the rear mirror touches the line of sight above the front one") {
    // Tangents from the receiver to both discs are the same line.
    for (const double radius : {30.0, 57.0, 120.0, 400.0}) {
        const double rear = radius_behind(radius, kSizes).value();
        const double front_edge =
            std::atan2(57.0, radius) - std::asin(2.5 / std::hypot(radius, 57.0));
        const double rear_edge = std::atan2(57.0, rear) + std::asin(2.5 / std::hypot(rear, 57.0));
        INFO(radius);
        CHECK(rear > radius);
        CHECK(rear_edge == Approx(front_edge).epsilon(1e-12));
    }
}

TEST_CASE("ring spacing: for a high receiver it is that of parallel light") {
    // Far away from everything: height / sin a.
    const RingSizes far{6.0, 5.0, 5e6, 8.0};
    for (const double radius : {1e6, 5e6, 2e7}) {
        const double a = std::atan2(5e6, radius);
        CHECK(*radius_behind(radius, far) - radius == Approx(5.0 / std::sin(a)).epsilon(1e-4));
    }
}

TEST_CASE("ring spacing: where mirrors see the receiver grazing there is no ring behind") {
    // The upper edge is level with the receiver when sin a = half / slant: aim height 2.5.
    CHECK_FALSE(radius_behind(100.0, {6.0, 5.0, 2.4, 8.0}));
    CHECK(radius_behind(100.0, {6.0, 5.0, 2.6, 8.0}));
}

TEST_CASE("ring spacing: staggered neighbours stand exactly the smallest distance apart") {
    const double slot = 2.0 * std::asin(0.5 * 12.0 / 50.0);
    const double next = staggered_radius(50.0, slot, kSizes);
    const double dx = next * std::sin(0.5 * slot), dy = next * std::cos(0.5 * slot) - 50.0;
    CHECK(std::hypot(dx, dy) == Approx(8.0).epsilon(1e-12));
    // Slots so wide that neighbours are apart anyway need no step at all.
    CHECK(staggered_radius(50.0, 2.0 * std::asin(20.0 / 50.0), kSizes) == 50.0);
}

TEST_CASE("ring spacing: DELSOL's correlations at 45 degrees") {
    // By hand: a = pi/4, tan a = 1.
    const auto spacing = delsol_spacing(57.0, kSizes);
    REQUIRE(spacing);
    const double rows = 1.1442399 - 1.093519 + 3.0683558 * 0.7853981634 - 1.1255617 * 0.6168502751;
    CHECK(rows == Approx(1.7663).epsilon(1e-4));
    CHECK(spacing->radial == Approx(0.5 * 5.0 * rows).epsilon(1e-9));
    const double neighbours =
        1.7490871 + 0.63964099 * 0.7853981634 + 0.028726279 / (0.7853981634 - 0.049023315);
    CHECK(neighbours == Approx(2.29047).epsilon(1e-4));
    CHECK(spacing->azimuthal ==
          Approx(6.0 * neighbours / (1.0 - rows * 6.0 / 114.0)).epsilon(1e-9));
    // Below the range of the correlations there is none.
    CHECK_FALSE(delsol_spacing(57.0 / std::tan(0.059), kSizes));
    CHECK(delsol_spacing(57.0 / std::tan(0.061), kSizes));
}

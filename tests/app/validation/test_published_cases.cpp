// SPDX-License-Identifier: MIT
// Wang et al., Solar Energy 195 (2020) 461-474: rounds A and B with few rays.
#include "app/validation/published_field.h"
#include "tests/app/validation/validation_support.h"

#include <algorithm>
#include <cmath>

using namespace helioray;
using helioray::test::check_cases;

TEST_CASE("Round A: one mirror on its axis") {
    CHECK(check_cases("A") == 17);
}

TEST_CASE("Round B: one heliostat off its axis") {
    CHECK(check_cases("B1") == 16);
    CHECK(check_cases("B2") == 16);
}

TEST_CASE("The published field has its 522 heliostats") {
    const auto positions = validation::published_positions();
    REQUIRE(positions.size() == 522);
    double closest = 1e9, farthest = 0.0;
    for (size_t i = 0; i < positions.size(); ++i) {
        farthest = std::max(farthest, std::hypot(positions[i][0], positions[i][1]));
        for (size_t j = 0; j < i; ++j) {
            closest = std::min(
                closest,
                std::hypot(positions[i][0] - positions[j][0], positions[i][1] - positions[j][1]));
        }
    }
    // Mirrors of 10 m x 10 m do not touch each other.
    CHECK(closest > 13.9);
    CHECK(farthest == Approx(580.494106));
    // The heliostat that round B calls P3.
    CHECK(std::any_of(positions.begin(), positions.end(), [](const Vec3& p) {
        return std::abs(p[0] + 324.3) < 0.1 && std::abs(p[1] - 427.9) < 0.1;
    }));
}

// SPDX-License-Identifier: MIT
// Closed forms within four standard errors, through configuration, alignment and kernels.
#include "tests/app/validation/validation_support.h"

using helioray::test::check_cases;

TEST_CASE("One paraboloid on its axis: F1 to F10") {
    CHECK(check_cases("F") == 20);
}

TEST_CASE("Mirrors with closed forms: M1 to M13") {
    CHECK(check_cases("M") == 23);
}

TEST_CASE("Buie's sun: ratios, spillage and centre flux") {
    CHECK(check_cases("S1") == 37);
    CHECK(check_cases("S2") == 28);
}

TEST_CASE("Transmittance of the air and position of the sun") {
    CHECK(check_cases("T") == 15);
    CHECK(check_cases("P") == 10);
}

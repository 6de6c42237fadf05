// SPDX-License-Identifier: MIT
// Pictures and report of aim points.
#include "app/plot/aiming_plot.h"
#include "tests/raytracer/aimed_field.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

using namespace helioray;

TEST_CASE("placeholder") {
    CHECK(true);
}

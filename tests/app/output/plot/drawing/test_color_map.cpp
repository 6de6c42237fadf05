// SPDX-License-Identifier: MIT
// The colours of flux are ordered and evenly spaced to the eye.
#include "app/output/plot/drawing/colors.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>

using namespace helioray;

TEST_CASE("Lightness grows linearly along the scale") {
    const double first = perceived_lightness(flux_color(0.0));
    const double last = perceived_lightness(flux_color(1.0));
    CHECK(first < 0.15);
    CHECK(last > 0.95);
    for (int i = 0; i <= 100; ++i) {
        const double share = i / 100.0;
        INFO(share);
        // One step of 8 bits is up to 0.01 in dark colours.
        CHECK(std::abs(perceived_lightness(flux_color(share)) - (first + (last - first) * share)) <
              0.012);
    }
}

TEST_CASE("Shares beyond the scale take its ends, unknown ones grey") {
    CHECK(flux_color(-0.5) == flux_color(0.0));
    CHECK(flux_color(7.0) == flux_color(1.0));
    const Rgb8 unknown = flux_color(std::nan(""));
    CHECK(unknown[0] == unknown[1]);
    CHECK(unknown[1] == unknown[2]);
    CHECK(unknown != flux_color(0.5));
}

TEST_CASE("No colour of the scale is cut off by the gamut") {
    // A channel that were cut would stay at its end over a stretch of the scale.
    for (const size_t channel : {0U, 1U, 2U}) {
        int at_end = 0;
        for (int i = 0; i <= 200; ++i) at_end += flux_color(i / 200.0)[channel] == 255 ? 1 : 0;
        CHECK(at_end <= 2);
    }
    CHECK(flux_color(0.0) != Rgb8{0, 0, 0});
}

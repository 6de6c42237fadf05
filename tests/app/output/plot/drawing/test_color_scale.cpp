// SPDX-License-Identifier: MIT
// Scales: places, ticks, colours.
#include "app/output/plot/drawing/colors.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

TEST_CASE("Places are linear in the value or its logarithm") {
    const ColorScale linear = ColorScale::linear(10.0, 30.0);
    CHECK(linear.place(10.0) == 0.0);
    CHECK(linear.place(15.0) == Approx(0.25));
    CHECK(linear.place(30.0) == 1.0);

    const ColorScale four_decades = ColorScale::logarithmic(5000.0);
    CHECK(four_decades.low() == Approx(0.5));
    CHECK(four_decades.place(5000.0) == Approx(1.0));
    CHECK(four_decades.place(50.0) == Approx(0.5));
    CHECK(four_decades.place(0.1) == 0.0);
    CHECK(four_decades.place(0.0) == 0.0);
    CHECK(four_decades.place(-3.0) == 0.0);
    CHECK(std::isnan(four_decades.place(std::nan(""))));

    const ColorScale both = ColorScale::about_zero(4.0);
    CHECK(both.place(0.0) == 0.5);
    CHECK(both.place(-4.0) == 0.0);
}

TEST_CASE("Ticks of a logarithmic scale are powers of ten and their threefold") {
    const AxisTicks few = ColorScale::logarithmic(5000.0).ticks(5);
    CHECK(few.labels == std::vector<std::string>{"1", "10", "100", "1000"});
    const AxisTicks many = ColorScale::logarithmic(5000.0).ticks(11);
    CHECK(many.labels ==
          std::vector<std::string>{"1", "3", "10", "30", "100", "300", "1000", "3000"});
    CHECK(many.positions[3] == Approx(30.0));
}

TEST_CASE("Equal differences of either sign are equally dark, and further is darker") {
    double before = perceived_lightness(difference_color(0.5));
    CHECK(before > 0.95);
    for (int i = 1; i <= 50; ++i) {
        const double plus = perceived_lightness(difference_color(0.5 + i / 100.0));
        const double minus = perceived_lightness(difference_color(0.5 - i / 100.0));
        INFO(i);
        CHECK(std::abs(plus - minus) < 0.012);
        CHECK(plus < before + 0.004);
        before = plus;
    }
    // Blue against orange: the two ends differ most along the axis that is left to red-green
    // blindness.
    const Rgb8 low = difference_color(0.0);
    const Rgb8 high = difference_color(1.0);
    CHECK(low[2] > low[0] + 80);
    CHECK(high[0] > high[2] + 80);
}

TEST_CASE("Colours of fields stand out from white") {
    for (int i = 0; i <= 20; ++i) CHECK(perceived_lightness(field_color(i / 20.0)) < 0.88);
    CHECK(field_color(-1.0) == field_color(0.0));
    CHECK(field_color(std::nan("")) == flux_color(std::nan("")));
}

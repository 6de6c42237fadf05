// SPDX-License-Identifier: MIT
// Round numbers along axes.
#include "app/output/plot/drawing/axes.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

TEST_CASE("Ticks are the round numbers one would choose") {
    const AxisTicks metres = nice_ticks(-4.3, 4.3, 10);
    CHECK(metres.labels ==
          std::vector<std::string>{"−4", "−3", "−2", "−1", "0", "1", "2", "3", "4"});
    CHECK(nice_ticks(-4.3, 4.3, 5).labels == std::vector<std::string>{"−4", "−2", "0", "2", "4"});
    CHECK(nice_ticks(0.0, 0.25, 6).labels ==
          std::vector<std::string>{"0.00", "0.05", "0.10", "0.15", "0.20", "0.25"});
    CHECK(nice_ticks(0.0, 812.0, 9).labels.back() == "800");
    CHECK(nice_ticks(-15.0, 15.0, 7).labels ==
          std::vector<std::string>{"−15", "−10", "−5", "0", "5", "10", "15"});
}

TEST_CASE("Ticks lie in the range, are multiples of the step and never too many") {
    for (const double size : {1e-7, 3.3e-3, 0.5, 1.0, 7.77, 99.9, 1e4, 6.02e9}) {
        for (const int most : {2, 3, 5, 8, 13}) {
            for (const double low : {0.0, -0.5 * size}) {
                const AxisTicks ticks = nice_ticks(low, low + size, most);
                INFO(size << " " << most << " " << low);
                REQUIRE(ticks.positions.size() == ticks.labels.size());
                REQUIRE_FALSE(ticks.positions.empty());
                CHECK(ticks.positions.size() <= static_cast<size_t>(most));
                // The next finer step would have been too fine: at least a fifth is used.
                CHECK(ticks.positions.size() * 5 >= static_cast<size_t>(most));
                for (const double position : ticks.positions) {
                    CHECK(position >= low - 1e-9 * size);
                    CHECK(position <= low + size * (1.0 + 1e-9));
                    const double multiple = position / ticks.step;
                    CHECK(std::abs(multiple - std::round(multiple)) < 1e-9);
                }
            }
        }
    }
}

TEST_CASE("Ranges that are none have no ticks") {
    CHECK(nice_ticks(1.0, 1.0, 5).positions.empty());
    CHECK(nice_ticks(1.0, 0.0, 5).positions.empty());
    CHECK(nice_ticks(0.0, HUGE_VAL, 5).positions.empty());
    CHECK(nice_ticks(0.0, std::nan(""), 5).positions.empty());
}

TEST_CASE("Only scales with long labels give up a power of ten") {
    CHECK(scale_exponent(812.0) == 0);
    CHECK(scale_exponent(0.01) == 0);
    CHECK(scale_exponent(0.0099) == -3);
    CHECK(scale_exponent(3.3e-7) == -9);
    CHECK(scale_exponent(99999.0) == 0);
    CHECK(scale_exponent(123456.0) == 3);
    CHECK(scale_exponent(0.0) == 0);
    CHECK(power_of_ten_text(-9) == "×10⁻⁹");
    CHECK(power_of_ten_text(12) == "×10¹²");
    CHECK(power_of_ten_text(0) == "");
}

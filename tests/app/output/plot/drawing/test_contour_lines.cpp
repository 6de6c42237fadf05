// SPDX-License-Identifier: MIT
// Lines of equal value against circles, planes and saddles.
#include "app/output/plot/drawing/contour_lines.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace helioray;

namespace {

// Area by the shoelace formula.
double area(const std::vector<ContourPoint>& line) {
    double twice = 0.0;
    for (size_t i = 1; i < line.size(); ++i) {
        twice += line[i - 1].x * line[i].y - line[i].x * line[i - 1].y;
    }
    return std::abs(twice) / 2.0;
}

}  // namespace

TEST_CASE("The line of a cone is one closed circle") {
    constexpr int kSize = 101;
    std::vector<double> values;
    for (int i = 0; i < kSize; ++i) {
        for (int j = 0; j < kSize; ++j) values.push_back(std::hypot(i - 50.0, j - 50.0));
    }
    const auto lines = contour_lines(values, kSize, kSize, 30.5);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].front().x == lines[0].back().x);
    CHECK(lines[0].front().y == lines[0].back().y);
    CHECK(area(lines[0]) == Approx(std::numbers::pi * 30.5 * 30.5).epsilon(1e-3));
    for (const ContourPoint& p : lines[0]) {
        CHECK(std::hypot(p.x - 50.0, p.y - 50.0) == Approx(30.5).epsilon(1e-3));
    }
    CHECK(contour_lines(values, kSize, kSize, 1000.0).empty());
}

TEST_CASE("The line of a plane is straight and ends at the edges") {
    constexpr int kWidth = 7;
    constexpr int kHeight = 4;
    std::vector<double> values;
    for (int i = 0; i < kHeight; ++i) {
        for (int j = 0; j < kWidth; ++j) values.push_back(10.0 * j + 4.0 * i);
    }
    const auto lines = contour_lines(values, kWidth, kHeight, 33.0);
    REQUIRE(lines.size() == 1);
    double low = kHeight;
    double high = 0.0;
    for (const ContourPoint& p : lines[0]) {
        CHECK(10.0 * p.x + 4.0 * p.y == Approx(33.0));
        low = std::min(low, p.y);
        high = std::max(high, p.y);
    }
    CHECK(low == 0.0);
    CHECK(high == kHeight - 1.0);
}

TEST_CASE("A saddle is cut as its middle says") {
    // High corners top left and bottom right; the mean is 0.5.
    const std::vector<double> values{1.0, 0.0, 0.0, 1.0};
    const auto below = contour_lines(values, 2, 2, 0.4);  // the middle is high: it joins them
    REQUIRE(below.size() == 2);
    for (const auto& line : below) {
        // Each line cuts off a low corner: (1, 0) or (0, 1).
        const double x = 0.5 * (line.front().x + line.back().x);
        const double y = 0.5 * (line.front().y + line.back().y);
        CHECK(std::abs(x - y) == Approx(0.6));
    }
    const auto above = contour_lines(values, 2, 2, 0.6);
    REQUIRE(above.size() == 2);
    for (const auto& line : above) {
        const double x = 0.5 * (line.front().x + line.back().x);
        const double y = 0.5 * (line.front().y + line.back().y);
        CHECK(x == Approx(y));
    }
}

TEST_CASE("Unknown values open a line") {
    std::vector<double> values(25, 0.0);
    values[12] = 1.0;
    CHECK(contour_lines(values, 5, 5, 0.5).size() == 1);
    CHECK(area(contour_lines(values, 5, 5, 0.5)[0]) == Approx(0.5));
    values[6] = std::numeric_limits<double>::quiet_NaN();
    const auto lines = contour_lines(values, 5, 5, 0.5);
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].size() == 4);
}

TEST_CASE("Smoothing keeps sums inside, constants and slopes") {
    std::vector<double> spike(49, 0.0);
    spike[24] = 16.0;
    const std::vector<double> smooth = smoothed(spike, 7, 7, 1);
    CHECK(smooth[24] == Approx(4.0));
    CHECK(smooth[23] == Approx(2.0));
    CHECK(smooth[16] == Approx(1.0));
    CHECK(smooth[22] == 0.0);
    for (const double value : smoothed(std::vector<double>(12, 3.0), 4, 3, 2)) {
        CHECK(value == Approx(3.0));
    }
}

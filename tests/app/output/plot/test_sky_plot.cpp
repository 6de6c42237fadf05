// SPDX-License-Identifier: MIT
// The sky of an efficiency table: what is grey and what is coloured.
#include "app/output/plot/sky_plot.h"
#include "scenario/files/units.h"
#include "tests/app/output/panel_image.h"
#include "tests/support/catch2.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

using namespace helioray;

namespace {

// Radius of the horizon, points.
constexpr double kRadius = 250.0;
constexpr std::uint32_t kBeyond = 0xDDDDDD;

std::vector<double> radians(std::vector<double> degrees) {
    for (double& angle : degrees) angle *= kRadiansPerDegree;
    return degrees;
}

/// Returns a table whose efficiency is 0.5 in the east and 0.7 elsewhere.
EfficiencyTable table_of(const std::vector<double>& azimuths_deg,
                         const std::vector<double>& elevations_deg) {
    EfficiencyTable table(SunRectangle(radians(azimuths_deg), radians(elevations_deg)));
    const std::size_t size = table.suns.size();
    table.shares.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
        table.shares[i].solar_power = 1.0;
        table.shares[i].target_power = i < elevations_deg.size() ? 0.5 : 0.7;
    }
    table.parked_loss.assign(size, 0.0);
    table.std_error.assign(size, 0.001);
    table.interpolation_error.assign(size, 0.002);
    table.reached.assign(size, true);
    return table;
}

constexpr double kSkyPixelsPerPoint = 2.0;

ColorImage image_of(const EfficiencyTable& table) {
    const PlotPage page = sky_page(table);
    return test::panel_image(*page.panels.at(0), kSkyPixelsPerPoint);
}

/// Returns the number of pixels of the colour for places beyond the table, relative to the disc.
double grey_fraction(const EfficiencyTable& table) {
    const auto grey = std::ranges::count(image_of(table).pixels, kBeyond);
    return static_cast<double>(grey) /
           (std::numbers::pi * std::pow(kRadius * kSkyPixelsPerPoint, 2.0));
}

/// Returns the end of the longest line above the disc, points.
double end_of_heading(const EfficiencyTable& table) {
    constexpr double kHeight = 34.0;
    const ColorImage image = image_of(table);
    const auto width = static_cast<std::size_t>(image.width);
    std::size_t last = 0;
    for (std::size_t row = 0; row < static_cast<std::size_t>(kHeight * kSkyPixelsPerPoint); ++row) {
        for (std::size_t column = 0; column < width; ++column) {
            if (image.pixels[row * width + column] != 0xFFFFFFU) last = std::max(last, column);
        }
    }
    return static_cast<double>(last) / kSkyPixelsPerPoint;
}

}  // namespace

TEST_CASE("The sky beyond a table is grey") {
    // Half of the disc within 70 degrees of the zenith, and half of that within 30 degrees; lines,
    // dots and words cover some of it.
    const double outer = 70.0 / 90.0, inner = 30.0 / 90.0;
    const double expected = 0.5 * (outer * outer + inner * inner);
    const double south = grey_fraction(table_of({90, 180, 270}, {20, 40, 60}));
    CHECK(south < expected);
    CHECK(south > 0.95 * expected);
    // Across north the other half is grey.
    const double north = grey_fraction(table_of({-90, 0, 90}, {20, 40, 60}));
    CHECK(north == Approx(south).epsilon(0.02));
    // Only the zenith.
    const double around = grey_fraction(table_of({0, 90, 180, 270}, {20, 40, 60}));
    CHECK(around < inner * inner);
    CHECK(around > 0.85 * inner * inner);
}

TEST_CASE("A whole sky has nothing grey and does not explain the colour") {
    const EfficiencyTable whole = table_of({0, 90, 180, 270}, {20, 60, 90});
    CHECK(grey_fraction(whole) < 0.001);  // rims of letters
    // "; grey: beyond the table" is about 100 points long.
    const EfficiencyTable part = table_of({90, 180, 270}, {20, 60, 90});
    CHECK(end_of_heading(part) > end_of_heading(whole) + 60.0);
}

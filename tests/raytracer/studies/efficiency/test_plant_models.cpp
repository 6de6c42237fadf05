// SPDX-License-Identifier: MIT
// Columns around receivers as plant models count them, against the geometry of the surface.
#include "app/output/export/efficiency_files.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "tests/support/catch2.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

using namespace helioray;
using Catch::Matchers::WithinAbs;

namespace {

/// A target with an entry for each column of the map, in which only that column is lit.
EfficiencyTarget lit_by_column(Target target, std::size_t width) {
    EfficiencyTarget lit{
        std::move(target), static_cast<std::int64_t>(width), 2, {}, {}, {}, {}, {}};
    for (std::size_t entry = 0; entry < width; ++entry) {
        lit.efficiency.push_back(0.5);
        lit.efficiency_std_error.push_back(0.001);
        lit.interpolation_error.push_back(0.002);
        for (int row = 0; row < 2; ++row)
            for (std::size_t i = 0; i < width; ++i)
                lit.flux_share.push_back(i == entry ? (row == 0 ? 0.25 : 0.75) : 0.0);
    }
    lit.flux_share_std_error.resize(lit.flux_share.size());
    return lit;
}

Target cylinder(double azimuth_deg, double opening_deg) {
    CylindricalTarget shape;
    shape.center = {1.0, 2.0, 50.0};
    const double azimuth = azimuth_deg * kRadiansPerDegree;
    shape.normal = {std::sin(azimuth), std::cos(azimuth), 0.0};
    shape.radius = 3.0;
    shape.height = 5.0;
    shape.opening_angle = opening_deg * kRadiansPerDegree;
    return {"receiver", shape};
}

/// Azimuth in degrees, [0, 360), of the middle of a column of the map, by the surface itself.
double azimuth_of(const Target& target, std::size_t column, std::size_t width) {
    const double extent = surface_extent(target)[0];
    const double x =
        pixel_centre(static_cast<int64_t>(column), static_cast<int64_t>(width), extent);
    const auto& shape = std::get<CylindricalTarget>(target.geometry);
    const std::array<Vec3, 3> axes = compute_axes(shape);
    const Vec3 local = point_in_frame(shape, x, 0.0);
    Vec3 point{};
    for (std::size_t k = 0; k < 3; ++k) point = add_scaled(point, local[k], axes[k]);
    const double azimuth = std::atan2(point[0], point[1]) / kRadiansPerDegree;
    return azimuth < 0.0 ? azimuth + 360.0 : azimuth;
}

}  // namespace

TEST_CASE("Column c of n around a cylinder lies from 180 - 360 c / n to 360 / n less") {
    for (const double normal : {0.0, 37.0, 180.0, 275.0}) {
        for (const double opening : {360.0, 200.0}) {
            const Target target = cylinder(normal, opening);
            constexpr std::size_t kWidth = 60;
            const EfficiencyTarget lit = lit_by_column(target, kWidth);
            for (std::size_t entry = 0; entry < kWidth; ++entry) {
                constexpr std::size_t kColumns = 12;
                const std::vector<double> columns = receiver_columns(lit, entry, kColumns);
                CHECK_THAT(std::accumulate(columns.begin(), columns.end(), 0.0),
                           WithinAbs(1.0, 1e-12));
                const double from_south =
                    std::fmod(540.0 - azimuth_of(target, entry, kWidth), 360.0);
                const auto expected = static_cast<std::size_t>(from_south / 30.0);
                CHECK(columns[expected] > 0.49);
            }
        }
    }
}

TEST_CASE("Columns share pixels by angle") {
    // Six columns of 60 degrees about north: the first from azimuth 180 to 120.
    const EfficiencyTarget lit = lit_by_column(cylinder(0.0, 360.0), 6);
    const std::vector<double> columns = receiver_columns(lit, 0, 24);
    for (std::size_t i = 0; i < columns.size(); ++i)
        CHECK_THAT(columns[i], WithinAbs(i < 4 ? 0.25 : 0.0, 1e-12));
    // Four columns of 90 degrees: the second pixel, 120 to 60 degrees, lies half in each.
    const std::vector<double> wide = receiver_columns(lit, 1, 4);
    CHECK_THAT(wide[0], WithinAbs(0.5, 1e-12));
    CHECK_THAT(wide[1], WithinAbs(0.5, 1e-12));
}

TEST_CASE("Columns of planes go from left to right, dark maps are even") {
    EfficiencyTarget lit = lit_by_column({"plane", PlanarTarget{}}, 10);
    const std::vector<double> columns = receiver_columns(lit, 9, 5);
    CHECK_THAT(columns[4], WithinAbs(1.0, 1e-12));
    std::ranges::fill(lit.flux_share, 0.0);
    for (const double share : receiver_columns(lit, 0, 5)) CHECK_THAT(share, WithinAbs(0.2, 1e-12));
}

TEST_CASE("Plant models need one target and sensible numbers") {
    EfficiencyTable table(solarpilot_rectangle());
    const std::size_t count = table.suns.size();
    table.shares.resize(count);
    table.std_error.resize(count);
    table.interpolation_error.resize(count);
    table.reached.assign(count, true);
    table.heliostats = 1;
    table.targets.push_back(lit_by_column(cylinder(0.0, 360.0), count));
    PlantModelOptions options;
    CHECK(sam_files(table, options).size() == 4);
    // Errors are those of the target, not of the field.
    CHECK(sam_files(table, options)[3].content.ends_with(
        fmt::format(",{},{},{}\n", 0.94 * 0.5, 0.94 * 0.001, 0.94 * 0.002)));
    CHECK(solarpilot_files(table, options).size() == 4);
    options.absorptance = 1.5;
    CHECK_THROWS_AS(sam_files(table, options), InputError);
    options = {};
    options.panels = 0;
    CHECK_THROWS_AS(solarpilot_files(table, options), InputError);
    options = {};
    options.target = "tower";
    CHECK_THROWS_AS(solartherm_motab(table, options), InputError);
    options = {};
    table.targets.push_back(table.targets.front());
    table.targets.back().target.name = "other";
    CHECK_THROWS_AS(sam_files(table, options), InputError);
    options.target = "other";
    CHECK_NOTHROW(sam_files(table, options));
}

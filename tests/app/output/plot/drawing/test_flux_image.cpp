// SPDX-License-Identifier: MIT
// Colours, centroid and compass of maps.
#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/drawing/flux_image.h"
#include "tests/raytracer/sample_result.h"
#include "tests/support/catch2.h"

#include <cmath>
#include <numbers>

using namespace helioray;

namespace {

std::uint32_t packed(double share) {
    const auto [r, g, b] = flux_color(share);
    return static_cast<std::uint32_t>(r << 16 | g << 8 | b);
}

std::string labels_of(const Target& target) {
    std::string text;
    for (const CompassMark& mark : compass_marks(target)) text += mark.label + " ";
    return text;
}

Target plane(const Vec3& normal) {
    PlanarTarget geometry;
    geometry.normal = normal;
    geometry.width = 4.0;
    geometry.height = 2.0;
    return {"plane", geometry};
}

}  // namespace

TEST_CASE("The image keeps rows and columns") {
    TargetResult t = test::spot("t", 3.0, 2.0, 3, 2, 0.0);
    t.flux = {0.0, 1.0, 2.0, 3.0, 4.0, std::nan("")};
    const ColorImage image = flux_image(t, ColorScale::linear(0.0, 4.0));
    REQUIRE(image.width == 3);
    REQUIRE(image.height == 2);
    CHECK(image.pixels == std::vector<std::uint32_t>{packed(0.0),
                                                     packed(0.25),
                                                     packed(0.5),
                                                     packed(0.75),
                                                     packed(1.0),
                                                     packed(std::nan(""))});
    CHECK(largest_flux(t) == 4.0);
    CHECK(total_flux(t) == 10.0);
}

TEST_CASE("Very large maps are averaged over blocks") {
    TargetResult t = test::spot("t", 5.0, 1.0, 5000, 2, 0.0);
    for (size_t i = 0; i < t.flux.size(); ++i) t.flux[i] = i % 5000 < 3 ? 6.0 : 0.0;
    const ColorImage image = flux_image(t, ColorScale::linear(0.0, 6.0));
    CHECK(image.width == 1667);
    CHECK(image.height == 1);
    CHECK(image.pixels[0] == packed(1.0));
    CHECK(image.pixels[1] == packed(0.0));
}

TEST_CASE("The centroid is the mean of the pixel centres, up positive") {
    TargetResult t = test::spot("t", 4.0, 2.0, 4, 2, 0.0);
    CHECK_FALSE(flux_centroid(t).has_value());
    t.flux[3] = 1.0;  // top right
    REQUIRE(flux_centroid(t).has_value());
    CHECK(flux_centroid(t)->x == Approx(1.5));
    CHECK(flux_centroid(t)->y == Approx(0.5));
    t.flux[0] = 3.0;  // top left
    CHECK(flux_centroid(t)->x == Approx(-0.75));
}

TEST_CASE("Planes tell where their left and right edges lie") {
    // Who faces a north-facing target looks south: east is on the left.
    CHECK(labels_of(plane({0, 1, 0})) == "← E W → ");
    CHECK(labels_of(plane({0, -1, 0})) == "← W E → ");
    CHECK(labels_of(plane({1, 0, 0})) == "← S N → ");
    CHECK(labels_of(plane({0, 0, 1})) == "← W E → ");
    CHECK(labels_of(plane({0, 0, -1})) == "← E W → ");
}

TEST_CASE("Upright cylinders tell which way they face") {
    CylindricalTarget cylinder;
    cylinder.radius = 2.0;
    cylinder.height = 1.0;
    cylinder.opening_angle = 2.0 * std::numbers::pi;
    // From outside the way to the right leads from north to west.
    CHECK(labels_of({"c", cylinder}) == "S SE E NE N NW W SW S ");
    cylinder.side = CylindricalTarget::Side::inner;
    cylinder.opening_angle = std::numbers::pi;
    cylinder.normal = {0, -1, 0};
    CHECK(labels_of({"c", cylinder}) == "E SE S SW W ");
    CHECK(compass_marks({"c", cylinder})[1].x == Approx(-std::numbers::pi / 2.0));
    cylinder.axis = {1, 0, 0};
    CHECK(labels_of({"c", cylinder}) == "");
}

TEST_CASE("Units of the three kinds of bitmaps are told apart") {
    TargetResult t = test::spot("t", 1.0, 1.0, 2, 2, 1.0);
    CHECK(flux_unit(t).factor == 1000.0);
    CHECK(flux_unit(t).label == "Flux (kW/m²)");
    t.unit = std::string("W");
    CHECK(flux_unit(t).factor == 1.0);
    CHECK(flux_unit(t).label == "Power per pixel (W)");
    t.unit = std::string("1");
    CHECK(flux_unit(t).label == "Sum of ray weights per pixel");
}

// SPDX-License-Identifier: MIT
// Mirrors of a template: sizes add up, canting sends the axis' light to one point.
#include "scenario/import/field/heliostat_surfaces.h"
#include "scenario/types/vector_math.h"
#include "tests/scenario/import/field/field_support.h"

#include <cmath>

using namespace helioray;
using namespace helioray::test;

TEST_CASE("mirror: facets and gaps fill the template's size") {
    const HeliostatTemplate heliostat = field({"heliostat.facets=[3, 2]",
                                               "heliostat.facet_gap_m=[0.3, 0.1]",
                                               "heliostat.canting_distance_m=none"})
                                            .heliostat;
    const Surface surface = mirror_surface(heliostat, mirror_lengths(heliostat, 100.0));
    REQUIRE(surface.facets.size() == 6);
    double west = 0, east = 0, south = 0, north = 0, area = 0;
    for (const Facet& facet : surface.facets) {
        west = std::min(west, facet.translation[0] - facet.canting_e[0]);
        east = std::max(east, facet.translation[0] + facet.canting_e[0]);
        south = std::min(south, facet.translation[1] - facet.canting_n[1]);
        north = std::max(north, facet.translation[1] + facet.canting_n[1]);
        area += 4.0 * norm(facet.canting_e) * norm(facet.canting_n);
        CHECK(facet.canting_e[2] == 0.0);
    }
    CHECK(east - west == Approx(6.0));
    CHECK(north - south == Approx(5.0));
    CHECK(area == Approx((6.0 - 0.6) * (5.0 - 0.1)));
    CHECK(surface.facets[1].translation[0] - surface.facets[0].translation[0] == Approx(1.8 + 0.3));
    CHECK(surface.facets[0].name == "facet_1");
}

TEST_CASE("mirror: on-axis canting reflects axial light to the canting point") {
    const HeliostatTemplate heliostat =
        field({"heliostat.facets=[4, 5]", "heliostat.canting_distance_m=37"}).heliostat;
    const Surface surface = mirror_surface(heliostat, mirror_lengths(heliostat, 100.0));
    for (const Facet& facet : surface.facets) {
        // Edges stay perpendicular and keep their length.
        CHECK(dot(facet.canting_e, facet.canting_n) == Approx(0.0).margin(1e-12));
        CHECK(norm(facet.canting_e) == Approx(0.75));
        CHECK(norm(facet.canting_n) == Approx(0.5));
        // Light that comes down the axis meets (0, 0, 37).
        const Vec3 normal = normalized(cross(facet.canting_e, facet.canting_n));
        const Vec3 reflected = subtract(scaled(2.0 * normal[2], normal), {0, 0, 1});
        const Vec3 wanted = normalized(subtract({0, 0, 37}, facet.translation));
        for (size_t i = 0; i < 3; ++i) CHECK(reflected[i] == Approx(wanted[i]).margin(1e-12));
    }
}

TEST_CASE("mirror: lengths follow the slant range in steps, or are given") {
    const HeliostatTemplate own =
        field({"heliostat.slant_step_m=2", "heliostat.facets=[2, 1]"}).heliostat;
    CHECK(mirror_lengths(own, 101.2).focal_length == 102.0);
    CHECK(mirror_lengths(own, 100.9).canting_distance == 100.0);
    CHECK(mirror_lengths(own, 0.1).focal_length == 2.0);
    const HeliostatTemplate fixed =
        field({"heliostat.focal_length_m=250", "heliostat.canting_distance_m=none"}).heliostat;
    CHECK(mirror_lengths(fixed, 101.2) == MirrorLengths{250.0, std::nullopt});
    const HeliostatTemplate flat = field({"heliostat.facet_shape=flat"}).heliostat;
    CHECK(mirror_lengths(flat, 101.2) == MirrorLengths{std::nullopt, std::nullopt});

    SurfaceStore store(own);
    CHECK(store.get(mirror_lengths(own, 101.2)) == store.get(mirror_lengths(own, 102.3)));
    CHECK(store.get(mirror_lengths(own, 104.0)) != store.get(mirror_lengths(own, 102.3)));
    CHECK(store.size() == 2);
}

// SPDX-License-Identifier: MIT
// Outlines of mirrors in their own frame and in the field.
#include "raytracer/tracing/job/mirror_outline.h"
#include "tests/support/catch2.h"

using namespace helioray;

TEST_CASE("The outline holds all facets") {
    Surface surface;
    for (const double e : {-1.0, 1.0}) {
        Facet facet;
        facet.translation = {e, 0.5, 0.2 + 0.1 * e};
        facet.canting_e = {0.8, 0.0, 0.1};
        facet.canting_n = {0.0, 0.6, 0.0};
        surface.facets.push_back(facet);
    }
    const auto outline = mirror_outline(surface);
    CHECK(outline[0][0] == Approx(-1.8));
    CHECK(outline[0][1] == Approx(-0.1));
    CHECK(outline[2][0] == Approx(1.8));
    CHECK(outline[2][1] == Approx(1.1));
    for (const Vec3& corner : outline) CHECK(corner[2] == Approx(0.2));
}

TEST_CASE("The orientation places the outline in the field") {
    HeliostatResult heliostat;
    // The mirror faces north: its east stays, its north points down.
    heliostat.orientation = {1, 0, 0, 10, 0, 0, 1, 20, 0, -1, 0, 5, 0, 0, 0, 1};
    heliostat.mirror_outline =
        std::array<Vec3, 4>{Vec3{-2, -1, 0.1}, Vec3{2, -1, 0.1}, Vec3{2, 1, 0.1}, Vec3{-2, 1, 0.1}};
    CHECK(mirror_origin(heliostat) == Vec3{10, 20, 5});
    const auto corners = outline_in_field(heliostat);
    CHECK(corners[0] == Vec3{8, 20.1, 6});
    CHECK(corners[2] == Vec3{12, 20.1, 4});
}

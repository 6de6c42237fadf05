// SPDX-License-Identifier: MIT
// Mirrors that methods for rigid ones cannot take.
#include "scenario/types/bent_surface.h"
#include "tests/support/catch2.h"

using namespace helioray;

TEST_CASE("a mirror is rigid and rectangular, or the reason says what it is") {
    Surface surface;
    surface.facets.resize(2);
    CHECK(find_rigidity_problem(surface).empty());
    surface.facets[1].outline.kind = FacetOutlineKind::round;
    CHECK_THAT(find_rigidity_problem(surface), ContainsSubstring("not a rectangle"));
    surface.bent.resize(2);
    CHECK_THAT(find_rigidity_problem(surface), ContainsSubstring("bends"));
}

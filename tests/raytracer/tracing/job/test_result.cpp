// SPDX-License-Identifier: MIT
// Surface extents and the list of energy terms.
#include "raytracer/tracing/job/result.h"
#include "tests/support/catch2.h"

#include <set>

using namespace helioray;

TEST_CASE("The extent of a plane is its width and height, of a cylinder the unrolled sector") {
    PlanarTarget plane;
    plane.width = 8.6;
    plane.height = 7.2;
    CHECK(surface_extent({"p", plane}) == std::array{8.6, 7.2});

    CylindricalTarget cylinder;
    cylinder.radius = 3.0;
    cylinder.height = 5.0;
    cylinder.opening_angle = 0.5;
    CHECK(surface_extent({"c", cylinder}) == std::array{1.5, 5.0});
}

TEST_CASE("The energy terms are listed once each, in the order of the balance") {
    std::vector<std::string> names;
    EnergyTerms terms;
    double value = 1.0;
    for (const EnergyTermInfo& info : energy_term_infos()) {
        names.emplace_back(info.name);
        CHECK(std::string(info.description).size() > 20);
        CHECK(std::string(info.description).back() == '.');
        // Every member is reached by one entry only.
        CHECK(terms.*info.member == 0.0);
        terms.*info.member = value++;
    }
    CHECK(names == std::vector<std::string>{"solar_power",
                                            "cosine_loss",
                                            "shading_loss",
                                            "reflection_loss",
                                            "blocking_loss",
                                            "attenuation_loss",
                                            "spillage_loss",
                                            "shield_loss",
                                            "escape_loss",
                                            "reflected_shield_loss",
                                            "bounce_limit_loss",
                                            "secondary_loss",
                                            "target_power"});
    CHECK(terms.solar_power == 1.0);
    CHECK(terms.blocking_loss == 5.0);
    CHECK(terms.target_power == 13.0);
}

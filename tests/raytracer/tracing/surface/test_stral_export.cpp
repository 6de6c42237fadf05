// SPDX-License-Identifier: MIT
// Heliostats written as STRAL files and fitted again are the same mirrors.
#include "raytracer/solvers/surface_fit/fit_surface.h"
#include "raytracer/tracing/surface/stral_export.h"
#include "scenario/import/stral/stral_file.h"
#include "scenario/reader/scenario_reader.h"
#include "tests/raytracer/tracing/surface/surface_support.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;
using namespace helioray::test;

TEST_CASE("stral export: through the file and a fit back to the mirror") {
    const Scenario scenario = read_scenario(source_dir() + "/configs/juelich.h5");
    Heliostat aa39 = scenario.heliostats[*scenario.find_heliostat("AA39")];
    Surface curved = *aa39.surface;
    for (Facet& facet : curved.facets) {
        facet.shape = FacetShape::paraboloid;
        facet.focal_length = 60.0;
    }
    aa39.surface = std::make_shared<const Surface>(curved);
    std::vector<std::string> report;
    const StralFile file = stral_from_heliostat(aa39, 30, &report);
    CHECK(file.facets.size() == 4);
    CHECK(file.width == Approx(3.22).epsilon(1e-4));
    CHECK(file.height == Approx(2.56).epsilon(1e-4));
    CHECK(file.mirror_offset == 0.175);
    CHECK(report == std::vector<std::string>{"drives left out: the format has no place for them"});
    // Coefficients add up to the mirror's area, up to its curvature's part of 2e-5.
    double area = 0.0;
    for (const StralFacet& facet : file.facets) {
        for (const double weight : facet.weights) area += weight;
    }
    CHECK(area == Approx(4 * 1.605 * 1.275).epsilon(1e-4));

    const StralFile back = parse_stral(stral_bytes(file), "memory");
    SurfaceFitOptions options;
    options.num_control_points = {6, 6};
    std::vector<FacetFit> fits;
    const Surface fitted =
        fit_surface(measured_surface(back, "memory"), stral_facets(back), options, &fits);
    for (const FacetFit& fit : fits) CHECK(fit.rms_height < 1e-7);
    const std::vector<FacetPoint> expected = sample_surface(*aa39.surface, 9, 9);
    const std::vector<FacetPoint> actual = sample_surface(fitted, 9, 9);
    // float32 holds metres to 1e-7.
    CHECK(largest_difference(each(actual, &FacetPoint::point), each(expected, &FacetPoint::point)) <
          1e-6);
    CHECK(largest_difference(each(actual, &FacetPoint::normal),
                             each(expected, &FacetPoint::normal)) < 1e-5);
}

TEST_CASE("stral export: what the format cannot hold is named") {
    const Scenario scenario = read_scenario(source_dir() + "/configs/juelich.h5");
    Heliostat heliostat = scenario.heliostats[0];
    auto kinematics = std::make_shared<Kinematics>(*heliostat.kinematics);
    kinematics->deviations.second_joint_translation[2] = 0.3;
    kinematics->deviations.first_joint_tilt_n = 0.01;
    heliostat.kinematics = kinematics;
    std::vector<std::string> report;
    stral_from_heliostat(heliostat, 2, &report);
    REQUIRE(report.size() == 3);
    CHECK_THAT(report[0], ContainsSubstring("offsets of the joints left out"));
    CHECK_THAT(report[1], ContainsSubstring("tilts of the axes left out"));
}

// SPDX-License-Identifier: MIT
// Polynomials on facets: their splines, their deviations, slopes compared.
#include "raytracer/solvers/reconstruction/images/mirror_shape.h"
#include "raytracer/tracing/surface/surface.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/raytracer/solvers/reconstruction/mirrors.h"

#include <cmath>
#include <filesystem>

using namespace helioray;
using namespace helioray::reconstruction;

namespace {

std::vector<double> nothing_known(const MirrorShape& shape) {
    return std::vector<double>(shape.num_unknowns() * shape.num_unknowns(), 0.0);
}

}  // namespace

TEST_CASE("A facet's tilt turns its normals and a focal length bends them") {
    const Surface start = test::four_facets(1e6);
    const MirrorShape shape(start);
    CHECK(shape.num_facets() == 4);
    CHECK(shape.num_coefficients() == 14);
    std::vector<double> unknowns(shape.num_unknowns(), 0.0);
    unknowns[14] = 1e-3;  // second facet: du/de
    const Surface tilted = shape.surface(unknowns, nothing_known(shape));
    CHECK(slope_difference(tilted, start) == Approx(0.5e-3).epsilon(1e-4));
    const auto at = evaluate_facet(tilted.facets[1], control_point_frame(tilted), {{{0.3, 0.8}}});
    CHECK(-at[0].normal[0] / at[0].normal[2] == Approx(1e-3).epsilon(1e-3));
    // Height c x^2 / h is that of a parabola with the focal length h / 4c.
    unknowns.assign(unknowns.size(), 0.0);
    const double half = 0.5 * (0.8 + 0.6375), focus = 60.0;
    for (size_t facet = 0; facet < 4; ++facet)
        unknowns[14 * facet + 2] = unknowns[14 * facet + 4] = half / (4.0 * focus);
    Surface curved = start;
    for (Facet& facet : curved.facets) {
        facet.shape = FacetShape::paraboloid;
        facet.focal_length = focus;
    }
    const Surface bent = shape.surface(unknowns, nothing_known(shape));
    CHECK(slope_difference(bent, curved) < 1e-6);
    const double rms = std::sqrt((0.8 * 0.8 + 0.6375 * 0.6375) / 3.0) / (2.0 * focus);
    CHECK(slope_difference(bent, start) == Approx(rms).epsilon(5e-3));
}

TEST_CASE("The start may be a spline of any parameters") {
    // Control points at equal distances, as for flat facets of PAINT scenarios: parameters are not
    // proportional to places.
    Surface start = test::four_facets(1e6);
    for (Facet& facet : start.facets) {
        facet.shape = FacetShape::bspline;
        facet.num_control_points = {6, 6};
        for (int i = 0; i < 6; ++i) {
            for (int j = 0; j < 6; ++j) {
                const double e = (0.4 * i - 1.0) * 0.8, n = (0.4 * j - 1.0) * 0.6375;
                facet.control_points.insert(facet.control_points.end(), {e, n, 0.0});
            }
        }
    }
    const MirrorShape of_splines(start), of_planes(test::four_facets(1e6));
    for (size_t i = 0; i < of_splines.points(0).size(); ++i) {
        const Vec3 difference =
            subtract(of_splines.points(0)[i].point, of_planes.points(0)[i].point);
        REQUIRE(norm(difference) < 1e-9);
    }
    CHECK(of_splines.point_area(0) == Approx(4.0 * 0.8 * 0.6375 / 196.0));
}

TEST_CASE("Standard deviations of slopes follow from the covariance and stay in files") {
    const Surface start = test::four_facets(50.0);
    const MirrorShape shape(start);
    std::vector<double> covariance = nothing_known(shape);
    const size_t all = shape.num_unknowns();
    // Only the tilts of the first facet are unsure: 1 mrad along east, 2 mrad along north.
    covariance[0] = 1e-6;
    covariance[all + 1] = 4e-6;
    CHECK(shape.slope_deviation(covariance) == Approx(std::sqrt(5e-6 / 4.0)));
    const Surface made = shape.surface(std::vector<double>(all, 1e-4), covariance);
    REQUIRE(made.facets[0].slope_deviation.size() == 128);
    CHECK(made.facets[0].slope_deviation[0] == Approx(1e-3));
    CHECK(made.facets[0].slope_deviation[127] == Approx(2e-3));
    CHECK(made.facets[1].slope_deviation[5] == 0.0);
    CHECK(slope_map(made, start).deviation[0] == Approx(std::sqrt(5e-6)));

    const Scenario scenario = test::one_heliostat(made);
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / "helioray_test_slope_deviation.h5";
    write_scenario(scenario, file);
    const Scenario read = read_scenario(file);
    std::filesystem::remove(file);
    CHECK(read.heliostats[0].surface->facets[0].slope_deviation == made.facets[0].slope_deviation);
    CHECK(equal(read, [&] {
        Scenario same = scenario;
        same.prototypes = {scenario.heliostats[0].surface,
                           scenario.heliostats[0].kinematics,
                           scenario.heliostats[0].actuators};
        same.warnings = read.warnings;
        return same;
    }()));
}

TEST_CASE("Mirrors of many facets have fewer unknowns for each") {
    Surface many = test::four_facets(50.0);
    while (many.facets.size() < 12) many.facets.push_back(many.facets.front());
    CHECK(MirrorShape(many).num_coefficients() == 5);
    while (many.facets.size() < 40) many.facets.push_back(many.facets.front());
    CHECK(MirrorShape(many).num_coefficients() == 2);
    CHECK_THROWS_AS(slope_difference(many, test::four_facets(50.0)), InputError);
}

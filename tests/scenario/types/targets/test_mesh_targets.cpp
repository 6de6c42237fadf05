// SPDX-License-Identifier: MIT
// Meshes as targets: sizes, files of scenarios and broken rules.
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/describe.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"
#include "scenario/writer/scenario_writer.h"
#include "tests/scenario/sample_scenario.h"
#include "tests/scenario/temporary_folder.h"
#include "tests/support/catch2.h"

#include <cmath>

using namespace helioray;

namespace {

/// A tetrahedron with its corner at a place.
std::vector<MeshTriangle> body(const Vec3& place) {
    const Vec3 a = place, b = add(place, {1, 0, 0}), c = add(place, {0, 2, 0}),
               d = add(place, {0, 0, 4});
    return {{a, c, b}, {a, b, d}, {a, d, c}, {b, c, d}};
}

Scenario with(const MeshTarget& mesh, const std::string& receiver) {
    Scenario scenario = test::plain_scenario();
    scenario.targets.push_back({"mesh", mesh, receiver});
    scenario.receivers.push_back({"r", std::nullopt});
    return scenario;
}

}  // namespace

TEST_CASE("mesh targets: size, centre and normal") {
    const MeshTarget closed = make_mesh(body({10, 20, 30}), MeshTarget::Front::normals);
    CHECK(closed.center == Vec3{10.5, 21, 32});
    CHECK(closed.normal == Vec3{0, 0, 1});
    const double area = 0.5 * (2.0 + 4.0 + 8.0 + std::sqrt(4.0 + 16.0 + 64.0));
    CHECK(closed.side * closed.side == Approx(area));
    CHECK(surface_area({"mesh", closed, "r"}) == Approx(area));
    CHECK(default_aim_point(closed, {0, 0, 0}) == closed.center);
    const std::vector<double> corners = triangle_corners(closed);
    REQUIRE(corners.size() == 36);
    CHECK(corners[3] == Approx(10.0));
    CHECK(corners[4] == Approx(22.0));
    CHECK(*triangles_of_corners(corners, closed.center) == *closed.triangles);
    CHECK(pixels_along_side(closed) == 2);

    const std::vector<MeshTriangle> one{{Vec3{0, 0, 0}, Vec3{2, 0, 0}, Vec3{0, 0, 2}}};
    CHECK(make_mesh(one, MeshTarget::Front::normals).normal == Vec3{0, -1, 0});
    CHECK(make_mesh(one, MeshTarget::Front::reversed).normal == Vec3{0, 1, 0});
    CHECK(triangle_areas(make_mesh(one, MeshTarget::Front::both)) == std::vector{2.0});
}

TEST_CASE("mesh targets: files come back equal, and info describes them") {
    const test::TemporaryFolder folder;
    const Scenario scenario = with(make_mesh(body({1, 2, 30}), MeshTarget::Front::reversed), "r");
    write_scenario(scenario, folder / "a.h5");
    const Scenario read = read_scenario(folder / "a.h5");
    const auto& mesh = std::get<MeshTarget>(read.targets.back().geometry);
    CHECK(mesh.front == MeshTarget::Front::reversed);
    CHECK(num_triangles(mesh) == 4);
    CHECK(*mesh.triangles == *std::get<MeshTarget>(scenario.targets.back().geometry).triangles);
    CHECK(describe_shape(mesh).size.find("4 triangles") == 0);
}

TEST_CASE("mesh targets: broken rules are reported with their place") {
    const test::TemporaryFolder folder;
    write_scenario(with(make_mesh(body({1, 2, 30}), MeshTarget::Front::normals), ""),
                   folder / "alone.h5");
    CHECK_THROWS_WITH(read_scenario(folder / "alone.h5"),
                      ContainsSubstring("target_areas_mesh/mesh/receiver: is missing"));
    Scenario without = with(MeshTarget{{1, 2, 3}, {0, 0, 1}, 2.0}, "r");
    write_scenario(without, folder / "empty.h5");
    CHECK_THROWS_WITH(read_scenario(folder / "empty.h5"),
                      ContainsSubstring("target_areas_mesh/mesh/triangles"));
}

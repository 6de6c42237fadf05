// SPDX-License-Identifier: MIT
// B-splines and sampled mirror surfaces against ARTIST's numbers.
#include "raytracer/artist/surface.h"
#include "tests/raytracer/artist/artist_support.h"

using namespace helioray;
using namespace helioray::test;

namespace {

std::vector<float> column(const at::Tensor& points, int64_t k) {
    const at::Tensor values = points.select(1, k).contiguous();
    return {values.data_ptr<float>(), values.data_ptr<float>() + values.numel()};
}

void check_basis(const Json& expected, const std::vector<float>& t, int64_t n, int64_t degree) {
    const artist::Basis basis = artist::evaluate_basis(t, n, degree);
    REQUIRE(basis.first.size() == t.size());
    const auto as_rows = [&](const std::vector<float>& values) {
        return at::tensor(at::ArrayRef<float>(values)).reshape({-1, degree + 1});
    };
    for (size_t row = 0; row < t.size(); ++row) {
        const auto r = static_cast<int64_t>(row);
        CHECK(basis.first[row] == artist::knot_span(t[row], n, degree) - degree);
        CHECK(max_difference(as_rows(basis.value).select(0, r), expected[row][0]) < 1e-6);
        CHECK(max_difference(as_rows(basis.derivative).select(0, r), expected[row][1]) < 1e-5);
    }
}

// Points and normals of the first two heliostats named, at the indices the vectors list.
void check_sampled(const Json& expected, const Scenario& scenario) {
    for (size_t h = 0; h < 2; ++h) {
        const auto index = scenario.find_heliostat(expected["group"][h].get<std::string>());
        REQUIRE(index);
        const artist::SurfacePoints sampled =
            artist::sample_surface(*scenario.heliostats[*index].surface, {50, 50});
        REQUIRE(sampled.points.size(0) == 10000);
        for (const auto& [key, rows] : expected["unaligned_points"].items()) {
            CHECK(max_difference(sampled.points.select(0, std::stol(key)), rows[h]) < 1e-6);
        }
        for (const auto& [key, rows] : expected["unaligned_normals"].items()) {
            CHECK(max_difference(sampled.normals.select(0, std::stol(key)), rows[h]) < 2e-6);
        }
    }
}

}  // namespace

TEST_CASE("artist surface: evaluation grid") {
    const Json v = load_vectors("nurbs.json");
    const std::vector<float> grid = artist::evaluation_grid(50);
    CHECK(grid.front() == v["evaluation_grid_50_first_last"][0][0].get<float>());
    CHECK(grid[1] == v["evaluation_grid_50_first_last"][1][1].get<float>());
    CHECK(grid.back() == v["evaluation_grid_50_first_last"][4][0].get<float>());
}

TEST_CASE("artist surface: knots, spans and basis functions") {
    const Json v = load_vectors("nurbs.json");
    const auto knots = [](const std::vector<float>& values) {
        return at::tensor(at::ArrayRef<float>(values));
    };
    CHECK(max_difference(knots(artist::clamped_knots(4, 3)), v["knots_u"]) < 1e-7);
    CHECK(max_difference(knots(artist::clamped_knots(5, 2)), v["knots_v"]) < 1e-7);
    const at::Tensor uv = to_tensor(v["evaluation_points_uv"]);
    const std::vector<float> u = column(uv, 0), w = column(uv, 1);
    for (size_t row = 0; row < u.size(); ++row) {
        CHECK(artist::knot_span(u[row], 4, 3) == v["spans_u"][row].get<int64_t>());
        CHECK(artist::knot_span(w[row], 5, 2) == v["spans_v"][row].get<int64_t>());
    }
    check_basis(v["basis_u_value_then_derivative"], u, 4, 3);
    check_basis(v["basis_v_value_then_derivative"], w, 5, 2);
}

TEST_CASE("artist surface: points and normals of one facet") {
    const Json v = load_vectors("nurbs.json");
    const at::Tensor uv = to_tensor(v["evaluation_points_uv"]);
    const at::Tensor control_points = to_tensor(v["bumped_control_points_4x5"]);
    const at::Tensor rotation =
        artist::canting_rotation(to_vec3(v["canting"][0]), to_vec3(v["canting"][1]));
    const at::Tensor translation = to_tensor(v["translation"]).narrow(0, 0, 3);
    for (int64_t k = 0; k < uv.size(0); ++k) {
        const auto row = static_cast<size_t>(k);
        const artist::Basis bu = artist::evaluate_basis({column(uv, 0)[row]}, 4, 3);
        const artist::Basis bv = artist::evaluate_basis({column(uv, 1)[row]}, 5, 2);
        const artist::SurfacePoints at_point = artist::evaluate_surface(control_points, bu, bv);
        CHECK(max_difference(at_point.points.select(0, 0), v["points_uncanted"][row]) < 1e-6);
        CHECK(max_difference(at_point.normals.select(0, 0), v["normals_uncanted"][row]) < 1e-6);
        const at::Tensor canted =
            at_point.points.narrow(1, 0, 3).matmul(rotation.t()).add(translation);
        const at::Tensor expected = to_tensor(v["points_canted_translated"][row]).narrow(0, 0, 3);
        CHECK(max_difference(canted.select(0, 0), expected) < 1e-6);
    }
}

TEST_CASE("artist surface: sampled heliostats, fitted and ideal") {
    const auto fitted = sample_scenario("test_scenario_paint_four_heliostats.h5");
    const auto ideal = sample_scenario("test_scenario_paint_four_heliostats_ideal.h5");
    if (!fitted) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Json v = load_vectors("scenario_surfaces.json");
    check_sampled(v, *fitted);
    check_sampled(v["ideal_scenario"], *ideal);
}

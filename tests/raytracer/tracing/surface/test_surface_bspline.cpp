// SPDX-License-Identifier: MIT
// B-splines: ARTIST's numbers, the ends of the parameter range and known surfaces.
#include "raytracer/tracing/surface/bspline.h"
#include "raytracer/tracing/surface/surface.h"
#include "tests/raytracer/published_vectors.h"
#include "tests/raytracer/tracing/surface/surface_support.h"

#include <stdexcept>

using namespace helioray;
using namespace helioray::test;

namespace {

/// A facet in the mirror frame that consists of its control points alone.
struct Spline {
    std::array<int64_t, 2> num_control_points;
    std::array<int64_t, 2> degrees;
    std::vector<Vec3> control_points;

    const Vec3& control(int64_t i, int64_t j) const {
        return control_points[static_cast<size_t>(i * num_control_points[1] + j)];
    }
    std::vector<FacetPoint> at(const std::vector<FacetParameters>& uv) const {
        Facet facet;
        facet.num_control_points = num_control_points;
        facet.degrees = degrees;
        for (const Vec3& p : control_points)
            facet.control_points.insert(facet.control_points.end(), p.begin(), p.end());
        return evaluate_facet(facet, ControlPointFrame::mirror, uv);
    }
};

/// [P] rows of values, then derivatives: the form of ARTIST's numbers.
void check_basis(const std::vector<FacetParameters>& uv,
                 size_t axis,
                 int64_t count,
                 int64_t degree,
                 const nlohmann::json& spans,
                 const nlohmann::json& values_then_derivatives) {
    for (size_t i = 0; i < uv.size(); ++i) {
        const kernels::BasisValues<double> basis = bspline_basis(uv[i][axis], count, degree);
        const auto size = static_cast<size_t>(degree + 1);
        CHECK(basis.first + degree == spans[i].get<int64_t>());
        const nlohmann::json& expected = values_then_derivatives[i];
        CHECK(largest_difference(std::span(basis.value, size),
                                 expected[0].get<std::vector<double>>()) < 1e-5);
        CHECK(largest_difference(std::span(basis.derivative, size),
                                 expected[1].get<std::vector<double>>()) < 1e-5);
    }
}

}  // namespace

TEST_CASE("B-spline knots, basis functions, points and normals equal ARTIST's") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const std::vector<FacetParameters> uv = parameters_of(vectors["evaluation_points_uv"]);
    CHECK(largest_difference(clamped_uniform_knots(4, 3),
                             vectors["knots_u"].get<std::vector<double>>()) == 0);
    CHECK(largest_difference(clamped_uniform_knots(5, 2),
                             vectors["knots_v"].get<std::vector<double>>()) < 1e-7);
    check_basis(uv, 0, 4, 3, vectors["spans_u"], vectors["basis_u_value_then_derivative"]);
    check_basis(uv, 1, 5, 2, vectors["spans_v"], vectors["basis_v_value_then_derivative"]);

    Spline spline{{4, 5}, {3, 2}, {}};
    for (const nlohmann::json& row : vectors["bumped_control_points_4x5"])
        for (const Vec3& p : vec3_rows(row)) spline.control_points.push_back(p);
    const std::vector<FacetPoint> surface = spline.at(uv);
    CHECK(largest_difference(each(surface, &FacetPoint::point),
                             vec3_rows(vectors["points_uncanted"])) < 1e-6);
    CHECK(largest_difference(each(surface, &FacetPoint::normal),
                             vec3_rows(vectors["normals_uncanted"])) < 1e-5);
}

TEST_CASE("Evaluation grids equal ARTIST's, east index outermost") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const std::vector<FacetParameters> grid = evaluation_grid(3, 2, kArtistGridMargin);
    const std::vector<FacetParameters> expected = parameters_of(vectors["evaluation_grid_3x2"]);
    REQUIRE(grid.size() == expected.size());
    for (size_t i = 0; i < grid.size(); ++i)
        CHECK(largest_difference(std::span(grid[i]), std::span(expected[i])) < 3e-8);
    CHECK(evaluation_grid(2, 2) == std::vector<FacetParameters>{{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    // The only cell's middle.
    CHECK(evaluation_grid(1, 1, 0.5) == std::vector<FacetParameters>{{0.5, 0.5}});
}

TEST_CASE("Basis functions add up to one everywhere, both ends included") {
    std::vector<double> parameters{0, 0.25, 0.5, 1};
    Uniform uniform(2);
    for (int i = 0; i < 50; ++i) parameters.push_back(uniform(0, 1));
    for (const int64_t degree : {1, 2, 3, 5, 7}) {
        for (const int64_t count : {degree + 1, degree + 4}) {
            int64_t last = 0;
            for (const double t : parameters) {
                const kernels::BasisValues<double> basis = bspline_basis(t, count, degree);
                double sum = 0.0, slope = 0.0;
                for (int64_t k = 0; k <= degree; ++k) {
                    CHECK(basis.value[k] >= 0);
                    sum += basis.value[k];
                    slope += basis.derivative[k];
                }
                CHECK(std::abs(sum - 1) < 1e-14);
                CHECK(std::abs(slope) < 1e-12);
                last = std::max<int64_t>(last, basis.first);
            }
            CHECK(last == count - degree - 1);
        }
    }
}

TEST_CASE("Corners of a clamped surface are its corner control points") {
    Spline spline{{5, 6}, {3, 2}, {}};
    Uniform uniform(9);
    for (int i = 0; i < 30; ++i)
        spline.control_points.push_back({uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)});
    const std::vector<FacetPoint> corners = spline.at({{0, 0}, {0, 1}, {1, 0}, {1, 1}});
    CHECK(largest_difference(each(corners, &FacetPoint::point),
                             {spline.control(0, 0),
                              spline.control(0, 5),
                              spline.control(4, 0),
                              spline.control(4, 5)}) < 1e-15);
    // At an end the tangent points to the neighbouring control point: p / knot interval times the
    // difference.
    CHECK(largest_difference(corners[0].tangent_u,
                             scaled(3 * 2, subtract(spline.control(1, 0), spline.control(0, 0)))) <
          1e-13);
    CHECK(largest_difference(corners[3].tangent_v,
                             scaled(2 * 4, subtract(spline.control(4, 5), spline.control(4, 4)))) <
          1e-13);
}

TEST_CASE("Bezier patches reproduce polynomials") {
    // Control points of z = x^2 on [0, 1]: 0, 0, 1 for degree 2.
    const Spline spline{
        {3, 2}, {2, 1}, {{0, 0, 0}, {0, 1, 0}, {0.5, 0, 0}, {0.5, 1, 0}, {1, 0, 1}, {1, 1, 1}}};
    const std::vector<FacetParameters> uv = evaluation_grid(7, 3);
    const std::vector<FacetPoint> surface = spline.at(uv);
    for (size_t i = 0; i < uv.size(); ++i) {
        const auto [u, v] = uv[i];
        CHECK(largest_difference(surface[i].point, Vec3{u, v, u * u}) < 1e-15);
        CHECK(largest_difference(surface[i].tangent_u, Vec3{1, 0, 2 * u}) < 1e-14);
        CHECK(largest_difference(surface[i].normal, normalized(Vec3{-2 * u, 0, 1})) < 1e-14);
    }
}

TEST_CASE("B-splines that do not exist are refused") {
    CHECK_THROWS_AS(clamped_uniform_knots(3, 3), std::invalid_argument);
    CHECK_THROWS_AS(clamped_uniform_knots(3, 0), std::invalid_argument);
    CHECK_THROWS_AS(bspline_basis(0.5, 3, 3), std::invalid_argument);
    CHECK_THROWS_AS(bspline_basis(0.5, 3, 0), std::invalid_argument);
    CHECK_THROWS_AS(bspline_basis(0.5, 20, 8), std::invalid_argument);
    CHECK_THROWS_AS(bspline_basis(1.1, 4, 3), std::invalid_argument);
    CHECK_THROWS_AS(bspline_basis(-0.1, 4, 3), std::invalid_argument);
    CHECK_THROWS_AS(bspline_basis(NAN, 4, 3), std::invalid_argument);
    const std::vector<double> numbers(4 * 4 * 3);
    CHECK_NOTHROW(evaluate_bspline(numbers, {4, 4}, {3, 3}, {0.5, 0.5}));
    CHECK_THROWS_AS(evaluate_bspline(numbers, {4, 5}, {3, 3}, {0.5, 0.5}), std::invalid_argument);
    CHECK_THROWS_AS(evaluate_bspline(numbers, {4, 4}, {3, 4}, {0.5, 0.5}), std::invalid_argument);
    CHECK_THROWS_AS(evaluate_bspline(numbers, {4, 4}, {3, 3}, {0.5, 1.5}), std::invalid_argument);
}

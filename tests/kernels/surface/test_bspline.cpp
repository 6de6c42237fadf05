// SPDX-License-Identifier: MIT
// B-spline points, normals, areas and area-uniform sampling of the kernels.
#include "kernels/facet_area.h"
#include "kernels/surface/facet_point.h"
#include "tests/kernels/scene.h"
#include "tests/support/catch2.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <fstream>
#include <vector>

using namespace helioray::kernels;

namespace {

nlohmann::json vectors() {
    std::ifstream file(helioray::test::source_dir() + "/tests/data/vectors/nurbs.json");
    return nlohmann::json::parse(file);
}

template <typename Real>
std::vector<Real> flattened(const nlohmann::json& points) {
    std::vector<Real> values;
    for (const auto& row : points) {
        for (const auto& point : row) {
            for (const auto& x : point) values.push_back(x.get<Real>());
        }
    }
    return values;
}

/// Evaluates the vectors' surface at all their parameters and compares points and normals.
template <typename Real>
void check_against_vectors(double tolerance) {
    const nlohmann::json v = vectors();
    const auto control_points = flattened<Real>(v["bumped_control_points_4x5"]);
    const int32_t n[2] = {4, 5};
    const int32_t degrees[2] = {3, 2};
    REQUIRE(v["evaluation_points_uv"].size() == 6);
    for (size_t i = 0; i < v["evaluation_points_uv"].size(); ++i) {
        const auto& uv = v["evaluation_points_uv"][i];
        SurfacePatch<Real> patch;
        evaluate_bspline(
            control_points.data(), 0, n, degrees, uv[0].get<Real>(), uv[1].get<Real>(), patch);
        const auto normal = normalized(cross(patch.tangent_u, patch.tangent_v));
        const auto& point = v["points_uncanted"][i];
        const auto& expected = v["normals_uncanted"][i];
        CHECK(std::abs(patch.point.x - point[0].get<double>()) < tolerance);
        CHECK(std::abs(patch.point.y - point[1].get<double>()) < tolerance);
        CHECK(std::abs(patch.point.z - point[2].get<double>()) < tolerance);
        CHECK(std::abs(normal.x - expected[0].get<double>()) < tolerance);
        CHECK(std::abs(normal.y - expected[1].get<double>()) < tolerance);
        CHECK(std::abs(normal.z - expected[2].get<double>()) < tolerance);
    }
}

}  // namespace

TEST_CASE("B-spline points and normals are ARTIST's") {
    check_against_vectors<double>(1e-6);
    check_against_vectors<float>(1e-6);
}

TEST_CASE("the far edge of the parameter range belongs to the surface") {
    const auto control_points = flattened<double>(vectors()["bumped_control_points_4x5"]);
    const int32_t n[2] = {4, 5};
    const int32_t degrees[2] = {3, 2};
    SurfacePatch<double> patch;
    evaluate_bspline(control_points.data(), 0, n, degrees, 1.0, 1.0, patch);
    CHECK(patch.point.x == Approx(control_points[57]));
    CHECK(patch.point.y == Approx(control_points[58]));
    CHECK(patch.point.z == Approx(control_points[59]));
}

TEST_CASE("areas: flat, paraboloid and sphere in closed form") {
    helioray::test::Scene scene = helioray::test::paraboloid_scene();
    for (const int count : {4, 5, 10, 20}) {
        helioray::test::use_flat_bspline(scene, count);
        CHECK(scene.area == Approx(100.0).epsilon(1e-10));
    }
    const double half[2] = {5.0, 5.0};
    CHECK(analytic_area(FacetKind::flat, half, 0.0) == Approx(100.0));
    // Second order: mean of 1 + r^2 / (8 f^2) with mean r^2 = 2 * 25 / 3.
    CHECK(analytic_area(FacetKind::paraboloid, half, 500.0) ==
          Approx(100.0 * (1.0 + 50.0 / 3.0 / (8.0 * 500.0 * 500.0))).epsilon(1e-9));
    // A zone of a sphere over a small square tends to the square; over a larger one it is bigger.
    const double large[2] = {1.0, 1.0};
    CHECK(analytic_area(FacetKind::sphere, large, 2.0) > 4.08);
}

TEST_CASE("mirror points are uniform by area whatever the parametrisation") {
    // Equidistant control points of a clamped spline crowd the middle in (u, v); points must not.
    for (const int count : {4, 7, 20}) {
        helioray::test::Scene scene = helioray::test::paraboloid_scene();
        helioray::test::use_flat_bspline(scene, count);
        const FieldView field = scene.view();
        double mean_residual = 0.0, square_x = 0.0, square_y = 0.0;
        const int n = 8 * kSamplingTableSize;  // whole table intervals
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                const MirrorPoint point = mirror_point(field,
                                                       scene.heliostats[0],
                                                       (static_cast<float>(i) + 0.5f) / n,
                                                       (static_cast<float>(j) + 0.5f) / n);
                const double weight = point.residual / static_cast<double>(n * n);
                mean_residual += weight;
                square_x += weight * static_cast<double>(point.position.x) * point.position.x;
                square_y += weight * static_cast<double>(point.position.y) * point.position.y;
            }
        }
        CHECK(mean_residual == Approx(1.0).epsilon(2e-5));
        // Variance of a uniform distribution over a width of 10 m.
        CHECK(square_x == Approx(100.0 / 12.0).epsilon(1e-3));
        CHECK(square_y == Approx(100.0 / 12.0).epsilon(1e-3));
    }
}

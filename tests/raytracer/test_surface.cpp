// SPDX-License-Identifier: MIT
// Canting and facets: ARTIST's numbers, the ideal and fitted conventions, analytic shapes.
#include "raytracer/surface/canting.h"
#include "raytracer/surface/surface.h"
#include "tests/raytracer/tensor_support.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/matmul.h>

using namespace helioray;
using namespace helioray::test;

namespace {

Vec3 to_vec3(const nlohmann::json& json) {
    return {json[0], json[1], json[2]};
}

// The facet of nurbs.json with the given control points.
Facet vector_facet(const nlohmann::json& vectors, const at::Tensor& control_points) {
    Facet facet;
    facet.name = "facet_1";
    facet.num_control_points = {control_points.size(0), control_points.size(1)};
    facet.degrees = {3, 2};
    const at::Tensor numbers = control_points.contiguous();
    facet.control_points.assign(numbers.data_ptr<double>(),
                                numbers.data_ptr<double>() + numbers.numel());
    facet.translation = to_vec3(vectors["translation"]);
    facet.canting_e = to_vec3(vectors["canting"][0]);
    facet.canting_n = to_vec3(vectors["canting"][1]);
    return facet;
}

Facet shaped_facet(FacetShape shape) {
    Facet facet;
    facet.shape = shape;
    facet.focal_length = 20;
    facet.canting_e = {0.8, 0, 0};
    facet.canting_n = {0, 0.6, 0};
    facet.translation = {1, 2, 3};
    return facet;
}

double length(const Vec3& v) {
    return std::hypot(v[0], v[1], v[2]);
}

}  // namespace

TEST_CASE("Canting equals ARTIST's and is undone") {
    const nlohmann::json vectors = read_vectors("transforms.json")["perform_canting"];
    const at::Tensor canting = to_tensor(vectors["canting_facets_e_n"]).narrow(-1, 0, 3);
    const at::Tensor rotation = canting_rotation(canting.select(1, 0), canting.select(1, 1));
    CHECK(largest_difference(at::matmul(rotation, rotation.transpose(1, 2)),
                             at::eye(3, at::kDouble).expand({2, 3, 3})) < 1e-15);
    const at::Tensor data = to_tensor(vectors["data_per_facet"]).narrow(-1, 0, 3);
    const at::Tensor canted = apply_canting(rotation, data);
    CHECK(largest_difference(canted, to_tensor(vectors["canted"]).narrow(-1, 0, 3)) < 1e-6);
    CHECK(largest_difference(undo_canting(rotation, canted), data) < 1e-15);
}

TEST_CASE("Planar control points equal ARTIST's") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const at::Tensor canting = to_tensor(vectors["canting"]).narrow(-1, 0, 3);
    CHECK(largest_difference(planar_control_points(canting[0], canting[1], 4, 5),
                             to_tensor(vectors["planar_control_points_4x5"])) < 1e-6);
    const at::Tensor many = planar_control_points(
        canting[0].unsqueeze(0).repeat({7, 1}), canting[1].unsqueeze(0).repeat({7, 1}), 4, 5);
    CHECK(many.sizes() == at::IntArrayRef({7, 4, 5, 3}));
    CHECK(largest_difference(many[6], planar_control_points(canting[0], canting[1], 4, 5)) == 0);
}

TEST_CASE("Facets in their own frame are canted and translated, fitted ones taken as they are") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const Facet facet = vector_facet(vectors, to_tensor(vectors["bumped_control_points_4x5"]));
    const at::Tensor uv = to_tensor(vectors["evaluation_points_uv"]);
    const auto expected = [&](const char* key) { return to_tensor(vectors[key]).narrow(1, 0, 3); };

    const SurfacePoints own = evaluate_facet(facet, ControlPointFrame::facet, uv);
    CHECK(largest_difference(own.points, expected("points_canted_translated")) < 1e-6);
    CHECK(largest_difference(own.normals, expected("normals_canted")) < 1e-5);
    const at::Tensor cross = at::linalg_cross(own.tangent_u, own.tangent_v);
    CHECK(largest_difference(cross / cross.square().sum(1, true).sqrt(), own.normals) < 1e-14);

    const SurfacePoints mirror = evaluate_facet(facet, ControlPointFrame::mirror, uv);
    CHECK(largest_difference(mirror.points, expected("points_uncanted")) < 1e-6);
    CHECK(largest_difference(mirror.normals, expected("normals_uncanted")) < 1e-5);
}

TEST_CASE("One height different from zero makes a whole surface fitted") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const at::Tensor flat = to_tensor(vectors["planar_control_points_4x5"]);
    const Facet ideal = vector_facet(vectors, flat);
    Surface surface;
    surface.facets = {ideal, ideal};
    CHECK(control_point_frame(surface) == ControlPointFrame::facet);
    const SurfaceSamples canted = sample_surface(surface, 4, 3);
    CHECK(canted.points.sizes() == at::IntArrayRef({2, 12, 3}));
    // The middle of a grid with odd sizes is the facet's centre.
    CHECK(largest_difference(sample_surface(surface, 3, 3).points[0][4],
                             to_tensor(vectors["translation"]).narrow(0, 0, 3)) < 1e-9);

    surface.facets[1] = vector_facet(vectors, to_tensor(vectors["bumped_control_points_4x5"]));
    CHECK(control_point_frame(surface) == ControlPointFrame::mirror);
    const SurfaceSamples fitted = sample_surface(surface, 2, 2);
    CHECK(largest_difference(fitted.points[0][0], flat[0][0]) < 1e-15);
    CHECK(largest_difference(fitted.points[0][3], flat[3][4]) < 1e-15);
    CHECK(largest_difference(fitted.normals[0][0], tensor_of({0, 0, 1}, {3})) < 1e-15);
}

TEST_CASE("Flat facets equal flat B-splines") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    Facet spline = vector_facet(vectors, at::empty({0, 0, 3}, at::kDouble));
    const at::Tensor control =
        planar_control_points(tensor_of({length(spline.canting_e), 0, 0}, {3}),
                              tensor_of({0, length(spline.canting_n), 0}, {3}),
                              4,
                              3);
    const at::Tensor uv = evaluation_grid(5, 4);
    const SurfacePoints expected = evaluate_facet(spline, ControlPointFrame::facet, uv, control);
    Facet flat = spline;
    flat.shape = FacetShape::flat;
    const SurfacePoints points = evaluate_facet(flat, ControlPointFrame::facet, uv);
    CHECK(largest_difference(points.points, expected.points) < 1e-15);
    CHECK(largest_difference(points.normals, expected.normals) < 1e-15);
    CHECK(largest_difference(points.tangent_u, expected.tangent_u) < 1e-14);
    CHECK(largest_difference(points.tangent_v, expected.tangent_v) < 1e-14);
    // An analytic facet is canted whatever the other facets' control points contain.
    const SurfacePoints mixed = evaluate_facet(flat, ControlPointFrame::mirror, uv);
    CHECK(largest_difference(mixed.points, points.points) == 0);
}

TEST_CASE("A paraboloid reflects axial light to its focus") {
    const Facet facet = shaped_facet(FacetShape::paraboloid);
    const SurfacePoints s = evaluate_facet(facet, ControlPointFrame::facet, evaluation_grid(5, 5));
    const at::Tensor incident = tensor_of({0, 0, -1}, {3}).expand({25, 3});
    const at::Tensor reflected = incident - 2 * (incident * s.normals).sum(1, true) * s.normals;
    const at::Tensor to_focus = tensor_of({1, 2, 3 + 20}, {3}) - s.points;
    CHECK(largest(at::linalg_cross(reflected, to_focus)) < 1e-12);
    CHECK((reflected * to_focus).sum(1).min().item<double>() > 0);
    // Corner: (0.8^2 + 0.6^2) / 80 high.
    CHECK(s.points[0][2].item<double>() == Approx(3 + 1.0 / 80).epsilon(1e-14));
}

TEST_CASE("Normals of a sphere meet at its centre") {
    const Facet facet = shaped_facet(FacetShape::sphere);
    const SurfacePoints s = evaluate_facet(facet, ControlPointFrame::facet, evaluation_grid(5, 5));
    const at::Tensor centre = tensor_of({1, 2, 3 + 40}, {3});
    CHECK(largest_difference(s.points + 40 * s.normals, centre.expand({25, 3})) < 1e-12);
    CHECK(largest_difference(s.points[12], tensor_of({1, 2, 3}, {3})) < 1e-15);
}

TEST_CASE("Tangents of analytic facets are derivatives of their points") {
    for (const FacetShape shape : {FacetShape::flat, FacetShape::paraboloid, FacetShape::sphere}) {
        Facet facet = shaped_facet(shape);
        facet.canting_e = {0.8, 0.01, -0.02};
        const at::Tensor uv = uniform({6, 2}, 0.1, 0.9, 3);
        const SurfacePoints s = evaluate_facet(facet, ControlPointFrame::facet, uv);
        const double step = 1e-5;
        for (const int64_t k : {0, 1}) {
            const at::Tensor shift = tensor_of({k == 0 ? step : 0, k == 1 ? step : 0}, {2});
            const at::Tensor slope =
                (evaluate_facet(facet, ControlPointFrame::facet, uv + shift).points -
                 evaluate_facet(facet, ControlPointFrame::facet, uv - shift).points) /
                (2 * step);
            CHECK(largest_difference(k == 0 ? s.tangent_u : s.tangent_v, slope) < 1e-9);
        }
        const at::Tensor cross = at::linalg_cross(s.tangent_u, s.tangent_v);
        CHECK(largest_difference(cross / cross.square().sum(1, true).sqrt(), s.normals) < 1e-14);
    }
}

TEST_CASE("Facets have the gradients of central differences in control points and parameters") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const at::Tensor control = to_tensor(vectors["bumped_control_points_4x5"]);
    const Facet facet = vector_facet(vectors, control);
    const std::vector<at::Tensor> inputs{control, uniform({4, 2}, 0.05, 0.95, 3)};
    for (const size_t input : {0U, 1U}) {
        check_gradient(
            [&](const auto& x) {
                const SurfacePoints s = evaluate_facet(facet, ControlPointFrame::facet, x[1], x[0]);
                return at::cat({s.points, s.normals}, 1);
            },
            inputs,
            input);
    }
}

TEST_CASE("Facets that do not exist are refused") {
    const at::Tensor uv = evaluation_grid(2, 2);
    Facet facet = shaped_facet(FacetShape::sphere);
    facet.focal_length = 0.4;
    CHECK_THROWS_AS(evaluate_facet(facet, ControlPointFrame::facet, uv), c10::Error);
    facet.shape = FacetShape::paraboloid;
    facet.focal_length = 0;
    CHECK_THROWS_AS(evaluate_facet(facet, ControlPointFrame::facet, uv), c10::Error);
    facet.shape = FacetShape::bspline;
    CHECK_THROWS_AS(evaluate_facet(facet, ControlPointFrame::facet, uv), c10::Error);
    CHECK_THROWS_AS(sample_surface(Surface{}, 2, 2), c10::Error);
}

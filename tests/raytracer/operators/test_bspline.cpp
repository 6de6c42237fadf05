// SPDX-License-Identifier: MIT
// Differentiable B-splines: ARTIST's numbers, the ends of the parameter range, known surfaces and
// gradients.
#include "raytracer/operators/surface.h"
#include "tests/raytracer/artist/tensor_support.h"

#include <ATen/ops/cartesian_prod.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/stack.h>

using namespace helioray::operators;
using namespace helioray::test;

namespace {

/// Parameters of a regular grid over [0, 1]^2: [nu * nv, 2].
at::Tensor regular_grid(int64_t nu, int64_t nv) {
    return at::cartesian_prod(
        {at::linspace(0, 1, nu, at::kDouble), at::linspace(0, 1, nv, at::kDouble)});
}

}  // namespace

TEST_CASE("Differentiable B-splines: basis functions, points and normals equal ARTIST's") {
    const nlohmann::json vectors = read_vectors("nurbs.json");
    const at::Tensor uv = json_tensor(vectors["evaluation_points_uv"]);
    const BSplineBasis u = bspline_basis(uv.select(1, 0), 4, 3);
    const BSplineBasis v = bspline_basis(uv.select(1, 1), 5, 2);
    CHECK(largest_difference((u.first + 3).to(at::kDouble), json_tensor(vectors["spans_u"])) == 0);
    CHECK(largest_difference((v.first + 2).to(at::kDouble), json_tensor(vectors["spans_v"])) == 0);
    CHECK(largest_difference(at::stack({u.values, u.derivatives}, 1),
                             json_tensor(vectors["basis_u_value_then_derivative"])) < 1e-5);
    CHECK(largest_difference(at::stack({v.values, v.derivatives}, 1),
                             json_tensor(vectors["basis_v_value_then_derivative"])) < 1e-5);

    const SurfacePoints surface =
        evaluate_bspline(json_tensor(vectors["bumped_control_points_4x5"]), {3, 2}, uv);
    CHECK(largest_difference(surface.points,
                             json_tensor(vectors["points_uncanted"]).narrow(1, 0, 3)) < 1e-6);
    CHECK(largest_difference(surface.normals,
                             json_tensor(vectors["normals_uncanted"]).narrow(1, 0, 3)) < 1e-5);
}

TEST_CASE(
    "Differentiable B-splines: basis functions add up to one everywhere, both ends included") {
    const at::Tensor t = at::cat({uniform({50}, 0, 1, 2), tensor_of({0, 0.25, 0.5, 1}, {4})});
    for (const int64_t degree : {1, 2, 3, 5}) {
        for (const int64_t count : {degree + 1, degree + 4}) {
            const BSplineBasis basis = bspline_basis(t, count, degree);
            CHECK(largest_difference(basis.values.sum(1), at::ones_like(t)) < 1e-14);
            CHECK(largest(basis.derivatives.sum(1)) < 1e-12);
            CHECK(basis.values.min().item<double>() >= 0);
            CHECK(basis.first.max().item<int64_t>() == count - degree - 1);
        }
    }
}

TEST_CASE("Differentiable B-splines: corners of a clamped surface are its corner control points") {
    const at::Tensor control = uniform({5, 6, 3}, -1, 1, 9);
    const at::Tensor corners = tensor_of({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
    const SurfacePoints surface = evaluate_bspline(control, {3, 2}, corners);
    const at::Tensor expected =
        at::stack({control[0][0], control[0][5], control[4][0], control[4][5]});
    CHECK(largest_difference(surface.points, expected) < 1e-15);
    // At an end the tangent points to the neighbouring control point: p / knot interval times the
    // difference.
    CHECK(largest_difference(surface.tangent_u[0], (control[1][0] - control[0][0]) * 3 * 2) <
          1e-13);
    CHECK(largest_difference(surface.tangent_v[3], (control[4][5] - control[4][4]) * 2 * 4) <
          1e-13);
}

TEST_CASE("Differentiable B-splines: Bezier patches reproduce polynomials") {
    // Control points of z = x^2 on [0, 1]: 0, 0, 1 for degree 2.
    const at::Tensor x = tensor_of({0, 0.5, 1}, {3}), z = tensor_of({0, 0, 1}, {3});
    const at::Tensor y = tensor_of({0, 1}, {2});
    const at::Tensor control = at::stack({x.unsqueeze(1).expand({3, 2}),
                                          y.unsqueeze(0).expand({3, 2}),
                                          z.unsqueeze(1).expand({3, 2})},
                                         -1);
    const at::Tensor uv = regular_grid(7, 3);
    const SurfacePoints surface = evaluate_bspline(control, {2, 1}, uv);
    const at::Tensor u = uv.select(1, 0), zero = at::zeros_like(u), one = at::ones_like(u);
    CHECK(largest_difference(surface.points, at::stack({u, uv.select(1, 1), u * u}, 1)) < 1e-15);
    CHECK(largest_difference(surface.tangent_u, at::stack({one, zero, 2 * u}, 1)) < 1e-14);
    const at::Tensor normal =
        at::stack({-2 * u, zero, one}, 1) / (1 + 4 * u * u).sqrt().unsqueeze(1);
    CHECK(largest_difference(surface.normals, normal) < 1e-14);
}

TEST_CASE("Differentiable B-splines: several surfaces are evaluated at once") {
    const at::Tensor control = uniform({2, 3, 5, 4, 3}, -1, 1, 3);
    const at::Tensor uv = uniform({10, 2}, 0, 1, 4);
    const SurfacePoints all = evaluate_bspline(control, {3, 3}, uv);
    CHECK(all.points.sizes() == at::IntArrayRef({2, 3, 10, 3}));
    const SurfacePoints one = evaluate_bspline(control[1][2], {3, 3}, uv);
    CHECK(largest_difference(all.points[1][2], one.points) == 0);
    CHECK(largest_difference(all.normals[1][2], one.normals) == 0);
}

TEST_CASE("Differentiable B-splines: surfaces have the gradients of central differences") {
    const at::Tensor xy = (2 * regular_grid(5, 4) - 1) * tensor_of({0.8, 0.6}, {2});
    const at::Tensor flat = at::cat({xy, at::zeros_like(xy.narrow(1, 0, 1))}, 1).view({5, 4, 3});
    const std::vector<at::Tensor> inputs{flat + uniform({5, 4, 3}, -0.1, 0.1, 5),
                                         uniform({6, 2}, 0.02, 0.98, 6)};
    for (const size_t input : {0U, 1U}) {
        check_gradient(
            [](const auto& x) {
                const SurfacePoints s = evaluate_bspline(x[0], {3, 2}, x[1]);
                return at::cat({s.points, s.normals, s.tangent_u, s.tangent_v}, 1);
            },
            inputs,
            input,
            1e-6);
    }
}

TEST_CASE("Differentiable B-splines: those that do not exist are refused") {
    const at::Tensor t = tensor_of({0.5}, {1});
    CHECK_THROWS_AS(bspline_basis(t, 3, 3), c10::Error);
    CHECK_THROWS_AS(bspline_basis(t, 3, 0), c10::Error);
    CHECK_THROWS_AS(bspline_basis(t + 0.6, 4, 3), c10::Error);
    CHECK_THROWS_AS(bspline_basis(t - 0.6, 4, 3), c10::Error);
    CHECK_THROWS_AS(bspline_basis(t * NAN, 4, 3), c10::Error);
    CHECK_THROWS_AS(evaluate_bspline(uniform({4, 4}, 0, 1, 1), {3, 3}, uniform({2, 2}, 0, 1, 1)),
                    c10::Error);
}

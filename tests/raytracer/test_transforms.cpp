// SPDX-License-Identifier: MIT
// Elementary transforms against ARTIST's numbers and their own laws.
#include "raytracer/kinematics/transforms.h"
#include "tests/raytracer/tensor_support.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>

#include <numbers>

using namespace helioray;
using namespace helioray::test;

TEST_CASE("Rotations and translations equal ARTIST's") {
    const nlohmann::json vectors = read_vectors("transforms.json");
    const at::Tensor angles = to_tensor(vectors["angles"]);
    CHECK(largest_difference(rotate_e(angles), to_tensor(vectors["rotate_e"])) < 1e-7);
    CHECK(largest_difference(rotate_n(angles), to_tensor(vectors["rotate_n"])) < 1e-7);
    CHECK(largest_difference(rotate_u(angles), to_tensor(vectors["rotate_u"])) < 1e-7);

    const nlohmann::json& shift = vectors["translate"];
    const at::Tensor offset = tensor_of({shift["e"][0], shift["n"][0], shift["u"][0]}, {1, 3});
    CHECK(largest_difference(translate(offset), to_tensor(shift["matrix"])) < 1e-7);

    const nlohmann::json& distortions = vectors["rotate_distortions"];
    const at::Tensor both =
        at::matmul(rotate_e(to_tensor(distortions["e"])), rotate_u(to_tensor(distortions["u"])));
    CHECK(largest_difference(both, to_tensor(distortions["matrices"])) < 1e-7);
}

TEST_CASE("Rotations are orthonormal and turn the stated way") {
    const at::Tensor angles = uniform({5}, -3, 3, 4);
    const at::Tensor identity = at::eye(4, at::kDouble).expand({5, 4, 4});
    for (const auto rotate : {rotate_e, rotate_n, rotate_u}) {
        const at::Tensor matrix = rotate(angles);
        CHECK(largest_difference(at::matmul(matrix, matrix.transpose(1, 2)), identity) < 1e-15);
        CHECK(largest_difference(at::matmul(matrix, rotate(-angles)), identity) < 1e-15);
    }
    // A quarter turn about east takes north to up, about up east to north: right-handed. About
    // north it takes up to west, where a right-handed one would take it to east.
    const at::Tensor quarter = tensor_of({std::numbers::pi / 2}, {});
    CHECK(rotate_e(quarter)[2][1].item<double>() == Approx(1));
    CHECK(rotate_u(quarter)[1][0].item<double>() == Approx(1));
    CHECK(rotate_n(quarter)[0][2].item<double>() == Approx(-1));
}

TEST_CASE("A rigid transform has its axes and origin as columns") {
    const at::Tensor e = uniform({2, 3}, -1, 1, 1), n = uniform({2, 3}, -1, 1, 2),
                     u = uniform({2, 3}, -1, 1, 3), o = uniform({2, 3}, -1, 1, 4);
    const at::Tensor matrix = rigid_transform(e, n, u, o);
    int64_t i = 0;
    for (const at::Tensor& vector : {e, n, u, o}) {
        CHECK(largest_difference(matrix.narrow(1, 0, 3).select(2, i++), vector) == 0);
    }
    CHECK(largest_difference(matrix.select(1, 3), tensor_of({0, 0, 0, 1, 0, 0, 0, 1}, {2, 4})) ==
          0);
}

TEST_CASE("Normalising and angles keep finite gradients where they are undefined") {
    at::Tensor vectors = tensor_of({3, 0, 4, 0, 0, 0}, {2, 3}).set_requires_grad(true);
    const UnitVectors unit = normalise_or(vectors, tensor_of({0, 0, 1}, {3}), 1e-9);
    CHECK(largest_difference(unit.vectors, tensor_of({0.6, 0, 0.8, 0, 0, 1}, {2, 3})) < 1e-15);
    CHECK(unit.valid[0].item<bool>());
    CHECK_FALSE(unit.valid[1].item<bool>());
    unit.vectors.select(1, 0).sum().backward();
    CHECK(vectors.grad().isfinite().all().item<bool>());
    CHECK(vectors.grad()[0][0].item<double>() == Approx(0.64 / 5));

    at::Tensor y = tensor_of({0, 1}, {2}).set_requires_grad(true);
    at::Tensor x = tensor_of({0, -1}, {2}).set_requires_grad(true);
    const at::Tensor angle = angle_of(y, x, 2.5);
    CHECK(angle[0].item<double>() == 2.5);
    CHECK(angle[1].item<double>() == Approx(0.75 * std::numbers::pi));
    angle.sum().backward();
    CHECK(largest_difference(y.grad(), tensor_of({0, -0.5}, {2})) < 1e-15);
    CHECK(largest_difference(x.grad(), tensor_of({0, -0.5}, {2})) < 1e-15);
}

TEST_CASE("Transforms have the gradients of central differences") {
    const at::Tensor angles = uniform({3}, -2, 2, 8);
    for (const auto rotate : {rotate_e, rotate_n, rotate_u}) {
        check_gradient([&](const auto& x) { return rotate(x[0]); }, {angles}, 0, 1e-8);
    }
    check_gradient([](const auto& x) { return translate(x[0]); }, {uniform({2, 3}, -1, 1, 5)}, 0);
}

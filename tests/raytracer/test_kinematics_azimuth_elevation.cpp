// SPDX-License-Identifier: MIT
// Azimuth-elevation kinematics: the definition of its axes, its inverse and its agreement with the
// rigid body.
#include "raytracer/kinematics/azimuth_elevation.h"
#include "raytracer/kinematics/joints.h"
#include "tests/raytracer/kinematics_support.h"

#include <ATen/ops/linalg_cross.h>

#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

constexpr double kPi = std::numbers::pi;

KinematicsParameters towers(ActuatorParameters drives, double translation) {
    KinematicsParameters parameters = rigid_bodies(std::move(drives), translation, 0);
    parameters.types = at::ones_like(parameters.types);
    return parameters;
}

}  // namespace

TEST_CASE("Azimuth and elevation are those of the normal, the e axis stays horizontal") {
    const KinematicsParameters parameters = towers(ideal_drives(50, -7, 7), 0);
    const at::Tensor angles = uniform({50, 2}, 0, 1, 5) * tensor_of({2 * kPi, 1.5}, {2});
    const at::Tensor orientation = mirror_orientation(parameters, angles);
    for (int64_t i = 0; i < 50; ++i) {
        const double a = angles[i][0].item<double>(), h = angles[i][1].item<double>();
        const at::Tensor e = tensor_of({-std::cos(a), std::sin(a), 0}, {3});
        const at::Tensor normal =
            tensor_of({std::cos(h) * std::sin(a), std::cos(h) * std::cos(a), std::sin(h)}, {3});
        CHECK(largest_difference(column(orientation, 0)[i], e) < 1e-15);
        CHECK(largest_difference(column(orientation, 2)[i], normal) < 1e-15);
        CHECK(largest_difference(column(orientation, 1)[i], at::linalg_cross(normal, e)) < 1e-15);
    }
    CHECK(largest_difference(column(orientation, 3), parameters.positions) == 0);
}

TEST_CASE("Facing south both kinematics agree") {
    const KinematicsParameters tower = towers(ideal_drives(1, -7, 7), 0);
    KinematicsParameters body = tower;
    body.types = at::zeros_like(tower.types);
    const at::Tensor orientation = mirror_orientation(tower, tensor_of({kPi, 0}, {1, 2}));
    CHECK(largest_difference(orientation, mirror_orientation(body, tensor_of({0, 0}, {1, 2}))) <
          1e-15);
    // Tilting axis 2 up by h is turning the rigid body's axis 1 by -h.
    CHECK(largest_difference(mirror_orientation(tower, tensor_of({kPi, 0.4}, {1, 2})),
                             mirror_orientation(body, tensor_of({-0.4, 0}, {1, 2}))) < 1e-15);
}

TEST_CASE("The concentrator translation moves the mirror in its own frame") {
    KinematicsParameters parameters = towers(ideal_drives(1, -7, 7), 0);
    parameters.translations = tensor_of({0, 0, 0, 0, 0, 0, 0.1, 0.2, 0.3}, {1, 9});
    const at::Tensor orientation = mirror_orientation(parameters, tensor_of({2.0, 0.7}, {1, 2}));
    const at::Tensor moved = parameters.positions + 0.1 * column(orientation, 0) +
                             0.2 * column(orientation, 1) + 0.3 * column(orientation, 2);
    CHECK(largest_difference(column(orientation, 3), moved) < 1e-14);
}

TEST_CASE("The azimuth of a normal is in [0, 2 pi), that of a vertical one pi") {
    const at::Tensor normals =
        tensor_of({0, 1, 0, 1, 0, 0, 0, -1, 0, -1, 0, 0, 0, 0, 1}, {5, 3}).set_requires_grad(true);
    const at::Tensor angles = azimuth_elevation_joint_angles(normals);
    CHECK(largest_difference(
              angles, tensor_of({0, 0, kPi / 2, 0, kPi, 0, 1.5 * kPi, 0, kPi, kPi / 2}, {5, 2})) <
          1e-15);
    angles.sum().backward();
    CHECK(normals.grad().isfinite().all().item<bool>());
}

TEST_CASE("Azimuth-elevation mirrors are aimed and stay upright") {
    const KinematicsParameters parameters = towers(ideal_drives(100, -kPi, kPi), 0.3);
    const at::Tensor sun = tensor_of({0.3, 0.6, -0.7}, {3});
    const at::Tensor aim = tensor_of({0, 0, 55}, {1, 3}).repeat({100, 1});
    const Alignment alignment = align_to_aim_points(parameters, sun, aim);
    CHECK(alignment.converged.all().item<bool>());
    CHECK(alignment.issues.empty());
    // The e axis stays horizontal and the n axis never points down.
    CHECK(largest(column(alignment.orientation, 0).select(1, 2)) == 0);
    CHECK(column(alignment.orientation, 1).select(1, 2).min().item<double>() > 0);
    // Motor positions of ideal drives are the two angles, within [-pi, pi] as the limits ask.
    CHECK(largest(alignment.motor_positions) <= kPi);
    const Alignment again = align_to_motor_positions(parameters, alignment.motor_positions);
    CHECK(largest_difference(again.orientation, alignment.orientation) < 1e-13);
}

TEST_CASE("Azimuth-elevation has the gradients of central differences") {
    const KinematicsParameters parameters = towers(ideal_drives(2, -7, 7), 0.3);
    const auto aligned = [&](const std::vector<at::Tensor>& x) {
        KinematicsParameters changed = parameters;
        changed.positions = x[0];
        changed.translations = x[1];
        const Alignment alignment = align_to_aim_points(changed, x[2], x[3]);
        return at::cat({alignment.orientation.flatten(1), alignment.motor_positions}, 1);
    };
    const std::vector<at::Tensor> inputs{parameters.positions,
                                         parameters.translations,
                                         tensor_of({0.3, 0.6, -0.7}, {3}),
                                         tensor_of({1, 2, 30, -3, 1, 40}, {2, 3})};
    for (size_t i = 0; i < inputs.size(); ++i) check_gradient(aligned, inputs, i);
}

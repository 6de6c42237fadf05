// SPDX-License-Identifier: MIT
// Alignment of rigid bodies: gradients of every differentiable input against central differences.
#include "tests/raytracer/kinematics_support.h"

#include <ATen/ops/stack.h>

using namespace helioray;
using namespace helioray::test;

namespace {

constexpr int64_t kCount = 2;

// Everything an alignment depends on, by index.
enum Input : size_t {
    kPositions,
    kTranslations,
    kRotations,
    kIncrement,
    kOffset,
    kPivotRadius,
    kInitialStroke,
    kInitialAngle,
    kIncident,
    kAim,
    kMotor,
    kErrors,
    kNumInputs
};

const char* const kNames[kNumInputs] = {"positions",
                                        "translations",
                                        "rotations",
                                        "increment",
                                        "offset",
                                        "pivot radius",
                                        "initial stroke",
                                        "initial angle",
                                        "incident direction",
                                        "aim points",
                                        "motor positions",
                                        "axis errors"};

std::vector<at::Tensor> typical_inputs() {
    const KinematicsParameters p = rigid_bodies(linear_drives(kCount), 0.3, 0.02);
    std::vector<at::Tensor> inputs(kNumInputs);
    inputs[kPositions] = p.positions;
    inputs[kTranslations] = p.translations;
    inputs[kRotations] = p.rotations;
    inputs[kIncrement] = p.actuators.increment;
    inputs[kOffset] = p.actuators.offset;
    inputs[kPivotRadius] = p.actuators.pivot_radius;
    inputs[kInitialStroke] = p.actuators.initial_stroke;
    inputs[kInitialAngle] = p.actuators.initial_angle;
    inputs[kIncident] = tensor_of({0.2, 0.7, -0.6}, {3});
    inputs[kAim] = tensor_of({1, -2, 30, -1, 0, 25}, {kCount, 3});
    inputs[kMotor] = uniform({kCount, 2}, 10000, 60000, 3);
    inputs[kErrors] = uniform({kCount, 2}, -0.002, 0.002, 4);
    return inputs;
}

KinematicsParameters parameters_of(const std::vector<at::Tensor>& x) {
    KinematicsParameters p = rigid_bodies(linear_drives(kCount), 0, 0);
    p.positions = x[kPositions];
    p.translations = x[kTranslations];
    p.rotations = x[kRotations];
    p.actuators.increment = x[kIncrement];
    p.actuators.offset = x[kOffset];
    p.actuators.pivot_radius = x[kPivotRadius];
    p.actuators.initial_stroke = x[kInitialStroke];
    p.actuators.initial_angle = x[kInitialAngle];
    return p;
}

}  // namespace

TEST_CASE("Orientations of aim points have the gradients of central differences") {
    const std::vector<at::Tensor> inputs = typical_inputs();
    for (const Input input : {kPositions, kTranslations, kRotations, kIncident, kAim}) {
        INFO(kNames[input]);
        check_gradient(
            [](const auto& x) {
                return align_to_aim_points(parameters_of(x), x[kIncident], x[kAim]).orientation;
            },
            inputs,
            input);
    }
}

TEST_CASE("Motor positions of aim points have the gradients of central differences") {
    const std::vector<at::Tensor> inputs = typical_inputs();
    for (size_t input = 0; input <= kAim; ++input) {
        INFO(kNames[input]);
        check_gradient(
            [](const auto& x) {
                return align_to_aim_points(parameters_of(x), x[kIncident], x[kAim]).motor_positions;
            },
            inputs,
            input,
            1e-6,
            1e-6);
    }
}

TEST_CASE("The drive does not change where an aimed mirror points") {
    std::vector<at::Tensor> inputs = typical_inputs();
    inputs[kOffset] = inputs[kOffset].clone().set_requires_grad(true);
    inputs[kAim] = inputs[kAim].clone().set_requires_grad(true);
    align_to_aim_points(parameters_of(inputs), inputs[kIncident], inputs[kAim])
        .orientation.square()
        .sum()
        .backward();
    CHECK((!inputs[kOffset].grad().defined() || largest(inputs[kOffset].grad()) == 0));
    CHECK(inputs[kAim].grad().defined());
}

TEST_CASE("Orientations of motor positions have the gradients of central differences") {
    const std::vector<at::Tensor> inputs = typical_inputs();
    for (size_t input = 0; input < kNumInputs; ++input) {
        if (input == kIncident || input == kAim) continue;
        INFO(kNames[input]);
        check_gradient(
            [](const auto& x) {
                const KinematicsParameters p = parameters_of(x);
                return with_axis_errors(p, align_to_motor_positions(p, x[kMotor]), x[kErrors])
                    .orientation;
            },
            inputs,
            input,
            1e-6,
            1e-6);
    }
}

TEST_CASE("Gradients are complete where the first guess is already the answer") {
    // A mirror that faces the sun and its aim point due south at joint angles zero, and is
    // displaced from its pivot.
    KinematicsParameters p = rigid_bodies(ideal_drives(1, -3, 3), 0, 0);
    p.positions = tensor_of({0, 5, 0}, {1, 3});
    p.translations = tensor_of({0, 0, 0, 0, 0, 0, 0, 0.4, 0}, {1, 9});
    const at::Tensor sun = tensor_of({0, 1, 0}, {3}), aim = tensor_of({0, -3, 0}, {1, 3});
    CHECK(largest(align_to_aim_points(p, sun, aim).joint_angles) < 1e-15);
    check_gradient(
        [&](const auto& x) {
            const Alignment alignment = align_to_aim_points(p, sun, x[0]);
            return alignment.orientation;
        },
        {aim},
        0);
}

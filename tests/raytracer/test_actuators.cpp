// SPDX-License-Identifier: MIT
// Linear and ideal drives against ARTIST's numbers, their reach, limits and gradients.
#include "raytracer/kinematics/actuators.h"
#include "tests/raytracer/kinematics_support.h"

#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

// The cases of actuators.json that lie within the reach of the drive; the last one does not.
constexpr int64_t kReachableCases = 5;

struct VectorCase {
    nlohmann::json json = read_vectors("actuators.json")["linear"];
    at::Tensor motor = to_tensor(json["motor_positions"]);
    at::Tensor angles = to_tensor(json["joint_angles"]);
    ActuatorParameters drives =
        repeated(drives_from_rows(json["non_optimisable"], json["optimisable"]), motor.size(0));
};

at::Tensor reachable_rows(const at::Tensor& tensor) {
    return tensor.narrow(0, 0, kReachableCases);
}

}  // namespace

TEST_CASE("ARTIST's effective drive parameters follow from the stated ones") {
    const VectorCase vectors;
    const ActuatorParameters effective = artist_effective_parameters(vectors.drives);
    const nlohmann::json& rows = vectors.json["physics_informed_non_optimisable"];
    const nlohmann::json& free_rows = vectors.json["physics_informed_optimisable"];
    CHECK(largest_difference(effective.increment[0], to_tensor(rows[4])) < 1e-2);
    CHECK(largest_difference(effective.offset[0], to_tensor(rows[5])) < 1e-7);
    CHECK(largest_difference(effective.pivot_radius[0], to_tensor(rows[6])) < 1e-7);
    CHECK(largest_difference(effective.initial_angle[0], to_tensor(free_rows[0])) < 1e-7);
    CHECK(largest_difference(effective.initial_stroke[0], to_tensor(free_rows[1])) < 1e-8);
    // The change is real: about 5 micrometres.
    CHECK(largest_difference(effective.initial_stroke, vectors.drives.initial_stroke) > 4e-6);

    ActuatorParameters ideal = ideal_drives(1, -1, 1);
    CHECK(largest(artist_effective_parameters(ideal).offset) == 0);
}

TEST_CASE("Linear drives with ARTIST's effective parameters equal ARTIST") {
    const VectorCase vectors;
    const ActuatorParameters effective = artist_effective_parameters(vectors.drives);
    const JointAngles joints = joint_angles_from_motor_positions(effective, vectors.motor);
    CHECK(largest_difference(reachable_rows(joints.angles), reachable_rows(vectors.angles)) < 1e-5);

    const MotorPositions motor = motor_positions_from_joint_angles(effective, vectors.angles);
    const at::Tensor expected = to_tensor(vectors.json["motor_positions_from_joint_angles"]);
    CHECK(largest_difference(reachable_rows(motor.positions), reachable_rows(expected)) < 0.2);
}

TEST_CASE("Linear drives with the stated parameters agree within ARTIST's shift") {
    const VectorCase vectors;
    const JointAngles joints = joint_angles_from_motor_positions(vectors.drives, vectors.motor);
    const double difference =
        largest_difference(reachable_rows(joints.angles), reachable_rows(vectors.angles));
    CHECK(difference < 1e-4);
    CHECK(difference > 1e-6);

    const MotorPositions motor = motor_positions_from_joint_angles(vectors.drives, vectors.angles);
    CHECK(largest_difference(reachable_rows(motor.positions), reachable_rows(vectors.motor)) < 3);
}

TEST_CASE("Positions beyond the triangle are marked and held at its end") {
    const VectorCase vectors;
    const JointAngles joints = joint_angles_from_motor_positions(vectors.drives, vectors.motor);
    CHECK(reachable_rows(joints.reachable).all().item<bool>());
    CHECK_FALSE(joints.reachable[kReachableCases].any().item<bool>());

    // Stretched: the triangle's angle is pi; folded: 0.
    const ActuatorParameters& drives = vectors.drives;
    const at::Tensor initial =
        joint_angles_from_motor_positions(drives, at::zeros_like(vectors.motor)).angles;
    CHECK(largest_difference(initial, drives.initial_angle) < 1e-14);
    const double turn_1 = (joints.angles[5][0] - initial[5][0]).item<double>();
    const double turn_2 = (joints.angles[5][1] - initial[5][1]).item<double>();
    CHECK(turn_1 == Approx(std::numbers::pi - 0.230291963).margin(1e-4));
    CHECK(turn_2 == Approx(0.22621429).margin(1e-4));

    // Angles no stroke gives.
    const at::Tensor wanted = drives.initial_angle + tensor_of({-0.5, -3.5}, {2});
    const MotorPositions motor = motor_positions_from_joint_angles(drives, wanted);
    CHECK_FALSE(motor.reachable.any().item<bool>());
    CHECK(motor.positions[0][0].item<double>() ==
          Approx((0.338095009 - 0.335307986 - 0.0774127916) * 154166.672).epsilon(1e-6));
    CHECK(motor.positions[0][1].item<double>() ==
          Approx((0.34077099 + 0.319099993 - 0.0775222853) * 154166.672).epsilon(1e-6));
}

TEST_CASE("Drive conversions invert each other") {
    const ActuatorParameters drives = linear_drives(200);
    const at::Tensor motor = uniform({200, 2}, -5000, 75000, 3);
    const JointAngles joints = joint_angles_from_motor_positions(drives, motor);
    REQUIRE(joints.reachable.all().item<bool>());
    const MotorPositions back = motor_positions_from_joint_angles(drives, joints.angles);
    CHECK(back.reachable.all().item<bool>());
    CHECK(largest_difference(back.positions, motor) < 1e-8);

    // A whole turn more is the same joint position.
    const MotorPositions turned =
        motor_positions_from_joint_angles(drives, joints.angles + 2 * std::numbers::pi);
    CHECK(turned.reachable.all().item<bool>());
    CHECK(largest_difference(turned.positions, motor) < 1e-6);
}

TEST_CASE("The published single case of a linear drive") {
    const nlohmann::json json = read_vectors("actuators.json")["test_suite_case"];
    ActuatorParameters drives = linear_drives(1);
    const auto row = [&](const char* key) { return to_tensor(json[key]).unsqueeze(0); };
    drives.increment = row("increment");
    drives.offset = row("offset");
    drives.pivot_radius = row("pivot_radius");
    drives.initial_angle = row("initial_angle");
    drives.initial_stroke = row("initial_stroke_length");
    drives.clockwise = row("clockwise") == 1;
    const JointAngles joints =
        joint_angles_from_motor_positions(artist_effective_parameters(drives), row("motor"));
    CHECK(largest_difference(joints.angles, row("expected_angles")) < 1e-5);
}

TEST_CASE("Ideal drives are the identity and take the turn within their limits") {
    const at::Tensor angles = tensor_of({-1.0, 2.0, 0.5, -4.0}, {2, 2});
    const ActuatorParameters wide = ideal_drives(2, -5, 5);
    CHECK(largest_difference(joint_angles_from_motor_positions(wide, angles).angles, angles) == 0);
    CHECK(largest_difference(motor_positions_from_joint_angles(wide, angles).positions, angles) ==
          0);

    // Limits [0, 2 pi]: -1 becomes 2 pi - 1. Limits [0, 1]: nothing helps -1, it stays as it is.
    const double turn = 2 * std::numbers::pi;
    const MotorPositions positive =
        motor_positions_from_joint_angles(ideal_drives(2, 0, turn), angles);
    CHECK(largest_difference(positive.positions, tensor_of({turn - 1, 2, 0.5, turn - 4}, {2, 2})) <
          1e-15);
    const MotorPositions narrow = motor_positions_from_joint_angles(ideal_drives(2, 0, 1), angles);
    CHECK(largest_difference(narrow.positions, angles) == 0);

    // Limits meant for motor steps are not applied to angles.
    const ActuatorParameters steps = ideal_drives(2, 0, 60000);
    CHECK_FALSE(limits_are_meaningful(steps).any().item<bool>());
    CHECK(limits_are_meaningful(wide).all().item<bool>());
    CHECK(largest_difference(motor_positions_from_joint_angles(steps, angles).positions, angles) ==
          0);
    CHECK(within_motor_limits(steps, angles).all().item<bool>());
}

TEST_CASE("Motor limits") {
    const ActuatorParameters drives = linear_drives(3);
    const at::Tensor motor = tensor_of({0, 0, 68745, 75308, -1, 75309}, {3, 2});
    const at::Tensor inside = within_motor_limits(drives, motor);
    CHECK(inside.narrow(0, 0, 2).all().item<bool>());
    CHECK_FALSE(inside[2].any().item<bool>());
}

TEST_CASE("Drives have the gradients of central differences") {
    const ActuatorParameters drives = linear_drives(2);
    const auto with = [&](const std::vector<at::Tensor>& x) {
        ActuatorParameters changed = drives;
        changed.increment = x[1];
        changed.offset = x[2];
        changed.pivot_radius = x[3];
        changed.initial_stroke = x[4];
        changed.initial_angle = x[5];
        return changed;
    };
    std::vector<at::Tensor> inputs{uniform({2, 2}, 5000, 60000, 3),
                                   drives.increment,
                                   drives.offset,
                                   drives.pivot_radius,
                                   drives.initial_stroke,
                                   drives.initial_angle};
    for (size_t i = 0; i < inputs.size(); ++i) {
        check_gradient(
            [&](const auto& x) { return joint_angles_from_motor_positions(with(x), x[0]).angles; },
            inputs,
            i,
            1e-6,
            1e-6);
    }
    inputs[0] = joint_angles_from_motor_positions(drives, inputs[0]).angles;
    for (size_t i = 0; i < inputs.size(); ++i) {
        check_gradient(
            [&](const auto& x) {
                return motor_positions_from_joint_angles(with(x), x[0]).positions;
            },
            inputs,
            i,
            1e-6,
            1e-6);
    }
}

TEST_CASE("Beyond the reach of a drive gradients are zero, not undefined") {
    const ActuatorParameters drives = linear_drives(1);
    at::Tensor motor = tensor_of({100000, -20000}, {1, 2}).set_requires_grad(true);
    joint_angles_from_motor_positions(drives, motor).angles.sum().backward();
    CHECK(largest(motor.grad()) == 0);

    at::Tensor angles =
        (drives.initial_angle + tensor_of({-0.5, -3.5}, {2})).set_requires_grad(true);
    motor_positions_from_joint_angles(drives, angles).positions.sum().backward();
    CHECK(largest(angles.grad()) == 0);

    // Ideal drives pass gradients although the lengths of a triangle are all zero.
    at::Tensor ideal = tensor_of({0.3, -2.0}, {1, 2}).set_requires_grad(true);
    joint_angles_from_motor_positions(ideal_drives(1, -3, 3), ideal).angles.sum().backward();
    CHECK(largest_difference(ideal.grad(), at::ones_like(ideal)) == 0);
}

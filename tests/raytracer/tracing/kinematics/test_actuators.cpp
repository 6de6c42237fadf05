// SPDX-License-Identifier: MIT
// Linear and ideal drives against ARTIST's numbers, their reach, limits and derivatives.
#include "raytracer/tracing/kinematics/drives.h"
#include "tests/raytracer/tracing/kinematics/kinematics_support.h"

#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

// The cases of actuators.json that lie within the reach of the drive; the last one does not.
constexpr size_t kReachableCases = 5;

struct VectorCase {
    nlohmann::json json = read_vectors("actuators.json")["linear"];
    Drives drives = drives_from_rows(json["non_optimisable"], json["optimisable"]);

    Pair row(const char* name, size_t i) const { return json_numbers<2>(json[name][i]); }
};

Pair angles_of(const Drives& drives, const Pair& motors) {
    return {joint_angle_from_motor_position(drives[0], motors[0]).angle,
            joint_angle_from_motor_position(drives[1], motors[1]).angle};
}

Pair motors_of(const Drives& drives, const Pair& angles) {
    return {motor_position_from_joint_angle(drives[0], angles[0]).position,
            motor_position_from_joint_angle(drives[1], angles[1]).position};
}

/// A linear drive from the numbers that have derivatives.
template <typename T>
BasicDrive<T> drive_with(const DriveRecord& drive, const T* numbers) {
    return {drive.is_linear,
            drive.clockwise,
            numbers[0],
            numbers[1],
            numbers[2],
            numbers[3],
            numbers[4],
            drive.min_position,
            drive.max_position};
}

std::array<double, 6> numbers_of(double first, const DriveRecord& drive) {
    return {first,
            drive.increment,
            drive.offset,
            drive.pivot_radius,
            drive.initial_stroke,
            drive.initial_angle};
}

}  // namespace

TEST_CASE("ARTIST's effective drive parameters follow from the stated ones") {
    const VectorCase vectors;
    const Drives effective = artist_effective(vectors.drives);
    const Drives published = drives_from_rows(vectors.json["physics_informed_non_optimisable"],
                                              vectors.json["physics_informed_optimisable"]);
    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord &found = effective[axis], &expected = published[axis];
        CHECK(std::abs(found.increment - expected.increment) < 1e-2);
        CHECK(std::abs(found.offset - expected.offset) < 1e-7);
        CHECK(std::abs(found.pivot_radius - expected.pivot_radius) < 1e-7);
        CHECK(std::abs(found.initial_angle - expected.initial_angle) < 1e-7);
        CHECK(std::abs(found.initial_stroke - expected.initial_stroke) < 1e-8);
        // The change is real: about 5 micrometres.
        CHECK(std::abs(found.initial_stroke - vectors.drives[axis].initial_stroke) > 4e-6);
    }
    CHECK(artist_effective(ideal_drives(-1, 1))[0].offset == 0);
}

TEST_CASE("Linear drives with ARTIST's effective parameters equal ARTIST") {
    const VectorCase vectors;
    const Drives effective = artist_effective(vectors.drives);
    for (size_t i = 0; i < kReachableCases; ++i) {
        const Pair motors = vectors.row("motor_positions", i);
        const Pair angles = vectors.row("joint_angles", i);
        CHECK(largest_difference(angles_of(effective, motors), angles) < 1e-5);
        const Pair expected = vectors.row("motor_positions_from_joint_angles", i);
        CHECK(largest_difference(motors_of(effective, angles), expected) < 0.2);
    }
}

TEST_CASE("Linear drives with the stated parameters agree within ARTIST's shift") {
    const VectorCase vectors;
    double difference = 0.0;
    for (size_t i = 0; i < kReachableCases; ++i) {
        const Pair motors = vectors.row("motor_positions", i);
        const Pair angles = vectors.row("joint_angles", i);
        difference =
            std::max(difference, largest_difference(angles_of(vectors.drives, motors), angles));
        CHECK(largest_difference(motors_of(vectors.drives, angles), motors) < 3);
    }
    CHECK(difference < 1e-4);
    CHECK(difference > 1e-6);
}

TEST_CASE("Positions beyond the triangle are marked and held at its end") {
    const VectorCase vectors;
    const Drives& drives = vectors.drives;
    for (size_t i = 0; i <= kReachableCases; ++i) {
        for (size_t axis = 0; axis < 2; ++axis) {
            const double motor = vectors.row("motor_positions", i)[axis];
            CHECK(joint_angle_from_motor_position(drives[axis], motor).reachable ==
                  (i < kReachableCases));
        }
    }

    // Stretched: the triangle's angle is pi; folded: 0.
    const Pair initial = angles_of(drives, {0, 0});
    CHECK(largest_difference(initial, {drives[0].initial_angle, drives[1].initial_angle}) < 1e-14);
    const Pair held = angles_of(drives, vectors.row("motor_positions", kReachableCases));
    CHECK(held[0] - initial[0] == Approx(std::numbers::pi - 0.230291963).margin(1e-4));
    CHECK(held[1] - initial[1] == Approx(0.22621429).margin(1e-4));

    // Angles no stroke gives.
    const auto folded = motor_position_from_joint_angle(drives[0], drives[0].initial_angle - 0.5);
    const auto stretched =
        motor_position_from_joint_angle(drives[1], drives[1].initial_angle - 3.5);
    CHECK_FALSE(folded.reachable);
    CHECK_FALSE(stretched.reachable);
    CHECK(folded.position ==
          Approx((0.338095009 - 0.335307986 - 0.0774127916) * 154166.672).epsilon(1e-6));
    CHECK(stretched.position ==
          Approx((0.34077099 + 0.319099993 - 0.0775222853) * 154166.672).epsilon(1e-6));
}

TEST_CASE("Drive conversions invert each other") {
    const Drives drives = linear_drives();
    for (const Pair& motors : uniform_rows<2>(200, -5000, 75000, 3)) {
        for (size_t axis = 0; axis < 2; ++axis) {
            const auto joint = joint_angle_from_motor_position(drives[axis], motors[axis]);
            REQUIRE(joint.reachable);
            const auto back = motor_position_from_joint_angle(drives[axis], joint.angle);
            CHECK(back.reachable);
            CHECK(std::abs(back.position - motors[axis]) < 1e-8);

            // A whole turn more is the same joint position.
            const auto turned =
                motor_position_from_joint_angle(drives[axis], joint.angle + 2 * std::numbers::pi);
            CHECK(turned.reachable);
            CHECK(std::abs(turned.position - motors[axis]) < 1e-6);
        }
    }
}

TEST_CASE("The published single case of a linear drive") {
    const nlohmann::json json = read_vectors("actuators.json")["test_suite_case"];
    Drives drives = linear_drives();
    for (size_t axis = 0; axis < 2; ++axis) {
        DriveRecord& drive = drives[axis];
        drive.increment = json["increment"][axis];
        drive.offset = json["offset"][axis];
        drive.pivot_radius = json["pivot_radius"][axis];
        drive.initial_angle = json["initial_angle"][axis];
        drive.initial_stroke = json["initial_stroke_length"][axis];
        drive.clockwise = json["clockwise"][axis] == 1;
    }
    const Pair angles = angles_of(artist_effective(drives), json_numbers<2>(json["motor"]));
    CHECK(largest_difference(angles, json_numbers<2>(json["expected_angles"])) < 1e-5);
}

TEST_CASE("Ideal drives are the identity and take the turn within their limits") {
    const double turn = 2 * std::numbers::pi;
    const auto motor = [](double lowest, double highest, double angle) {
        return motor_position_from_joint_angle(ideal_drives(lowest, highest)[0], angle).position;
    };
    for (const double angle : {-1.0, 2.0, 0.5, -4.0}) {
        CHECK(joint_angle_from_motor_position(ideal_drives(-5, 5)[0], angle).angle == angle);
        CHECK(motor(-5, 5, angle) == angle);
        // Limits [0, 2 pi]: -1 becomes 2 pi - 1. Limits [0, 1]: nothing helps -1, it stays.
        CHECK(std::abs(motor(0, turn, angle) - (angle < 0 ? turn + angle : angle)) < 1e-15);
        CHECK(motor(0, 1, angle) == angle);
        // Limits meant for motor steps are not applied to angles.
        CHECK(motor(0, 60000, angle) == angle);
        CHECK(within_motor_limits(ideal_drives(0, 60000)[0], angle));
    }
    CHECK_FALSE(limits_are_meaningful(ideal_drives(0, 60000)[0]));
    CHECK(limits_are_meaningful(ideal_drives(-5, 5)[0]));
}

TEST_CASE("Motor limits") {
    const Drives drives = linear_drives();
    for (const Pair& inside : {Pair{0, 0}, Pair{68745, 75308}}) {
        CHECK(within_motor_limits(drives[0], inside[0]));
        CHECK(within_motor_limits(drives[1], inside[1]));
    }
    CHECK_FALSE(within_motor_limits(drives[0], -1));
    CHECK_FALSE(within_motor_limits(drives[1], 75309));
}

TEST_CASE("Drives have the derivatives of central differences") {
    for (const Pair& motors : uniform_rows<2>(2, 5000, 60000, 3)) {
        for (size_t axis = 0; axis < 2; ++axis) {
            const DriveRecord drive = linear_drives()[axis];
            check_derivatives(
                [&](const auto& x) {
                    return std::array{
                        joint_angle_from_motor_position(drive_with(drive, &x[1]), x[0]).angle};
                },
                numbers_of(motors[axis], drive),
                1e-6,
                1e-6);
            const double angle = joint_angle_from_motor_position(drive, motors[axis]).angle;
            check_derivatives(
                [&](const auto& x) {
                    return std::array{
                        motor_position_from_joint_angle(drive_with(drive, &x[1]), x[0]).position};
                },
                numbers_of(angle, drive),
                1e-6,
                1e-6);
        }
    }
}

TEST_CASE("Beyond the reach of a drive nothing depends on where it was sent") {
    const DriveRecord drive = linear_drives()[0];
    for (const double motor : {100000.0, -20000.0}) {
        const auto x = variables(numbers_of(motor, drive));
        const auto held = joint_angle_from_motor_position(drive_with(drive, &x[1]), x[0]);
        CHECK_FALSE(held.reachable);
        CHECK(held.angle.slope[0] == 0);
        CHECK(held.angle.slope[5] == 1);  // the initial angle still turns all
    }
    const Pair turns{-0.5, -3.5};
    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord one = linear_drives()[axis];
        const auto x = variables(numbers_of(one.initial_angle + turns[axis], one));
        const auto end = motor_position_from_joint_angle(drive_with(one, &x[1]), x[0]);
        CHECK_FALSE(end.reachable);
        CHECK(end.position.slope[0] == 0);
        CHECK(std::isfinite(end.position.slope[2]));
    }

    // Ideal drives pass derivatives although the lengths of a triangle are all zero.
    const DriveRecord ideal = ideal_drives(-3, 3)[0];
    const auto x = variables(numbers_of(0.3, ideal));
    CHECK(joint_angle_from_motor_position(drive_with(ideal, &x[1]), x[0]).angle.slope ==
          std::array{1.0, 0.0, 0.0, 0.0, 0.0, 0.0});
}

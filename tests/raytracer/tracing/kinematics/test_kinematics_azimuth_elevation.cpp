// SPDX-License-Identifier: MIT
// Azimuth-elevation kinematics: the definition of its axes, its inverse and its agreement with the
// rigid body.
#include "raytracer/tracing/kinematics/joints.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/kinematics/kinematics_support.h"

#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

std::vector<KinematicsRecord> towers(size_t n, const Drives& drives, double translation) {
    std::vector<KinematicsRecord> records = rigid_bodies(n, drives, translation, 0);
    for (KinematicsRecord& record : records) record.type = KinematicsType::azimuth_elevation;
    return records;
}

std::array<double, 16> azimuth_orientation(const KinematicsRecord& record, const Pair& angles) {
    return azimuth_elevation_orientation(record, angles).matrix();
}

}  // namespace

TEST_CASE("Azimuth and elevation are those of the normal, the e axis stays horizontal") {
    const auto records = towers(50, ideal_drives(-7, 7), 0);
    const auto fractions = uniform_rows<2>(50, 0, 1, 5);
    for (size_t i = 0; i < 50; ++i) {
        const double a = 2 * std::numbers::pi * fractions[i][0], h = 1.5 * fractions[i][1];
        const auto matrix = azimuth_orientation(records[i], {a, h});
        const Vec3 e{-std::cos(a), std::sin(a), 0};
        const Vec3 normal{std::cos(h) * std::sin(a), std::cos(h) * std::cos(a), std::sin(h)};
        CHECK(largest_difference(column(matrix, 0), e) < 1e-15);
        CHECK(largest_difference(column(matrix, 2), normal) < 1e-15);
        CHECK(largest_difference(column(matrix, 1), cross(normal, e)) < 1e-15);
        CHECK(column(matrix, 3) == records[i].position);
    }
}

TEST_CASE("Facing south both kinematics agree") {
    const KinematicsRecord tower = towers(1, ideal_drives(-7, 7), 0)[0];
    const RigidBody<double> body(tower);
    CHECK(largest_difference(azimuth_orientation(tower, {std::numbers::pi, 0}),
                             body.orientation({0, 0}).matrix()) < 1e-15);
    // Tilting axis 2 up by h is turning the rigid body's axis 1 by -h.
    CHECK(largest_difference(azimuth_orientation(tower, {std::numbers::pi, 0.4}),
                             body.orientation({-0.4, 0}).matrix()) < 1e-15);
}

TEST_CASE("The concentrator translation moves the mirror in its own frame") {
    KinematicsRecord record = towers(1, ideal_drives(-7, 7), 0)[0];
    record.translations = {0, 0, 0, 0, 0, 0, 0.1, 0.2, 0.3};
    const auto matrix = azimuth_orientation(record, {2.0, 0.7});
    Vec3 moved = add_scaled(record.position, 0.1, column(matrix, 0));
    moved = add_scaled(add_scaled(moved, 0.2, column(matrix, 1)), 0.3, column(matrix, 2));
    CHECK(largest_difference(column(matrix, 3), moved) < 1e-14);
}

TEST_CASE("The azimuth of a normal is in [0, 2 pi), that of a vertical one pi") {
    const Vec3 normals[] = {{0, 1, 0}, {1, 0, 0}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 1}};
    const Pair expected[] = {{0, 0},
                             {std::numbers::pi / 2, 0},
                             {std::numbers::pi, 0},
                             {1.5 * std::numbers::pi, 0},
                             {std::numbers::pi, std::numbers::pi / 2}};
    for (size_t i = 0; i < 5; ++i) {
        CHECK(largest_difference(azimuth_elevation_joint_angles(normals[i]), expected[i]) < 1e-15);
        for (const auto& angle : azimuth_elevation_joint_angles(variables(normals[i]))) {
            for (const double slope : angle.slope) CHECK(std::isfinite(slope));
        }
    }
}

TEST_CASE("Azimuth-elevation mirrors are aimed and stay upright") {
    const auto records = towers(100, ideal_drives(-std::numbers::pi, std::numbers::pi), 0.3);
    const Vec3 incident{0.3, 0.6, -0.7};
    const std::vector<Vec3> aims(100, Vec3{0, 0, 55});
    const Alignment alignment = align_to_aim_points(records, {&incident, 1}, aims);
    CHECK(all_converged(alignment));
    CHECK(alignment.issues.empty());
    std::vector<Pair> motors;
    for (const AlignedMirror& mirror : alignment.mirrors) {
        // The e axis stays horizontal and the n axis never points down.
        CHECK(column(mirror.orientation, 0)[2] == 0);
        CHECK(column(mirror.orientation, 1)[2] > 0);
        // Motor positions of ideal drives are the two angles, within [-pi, pi] as the limits ask.
        CHECK(std::abs(mirror.motor_positions[0]) <= std::numbers::pi);
        CHECK(std::abs(mirror.motor_positions[1]) <= std::numbers::pi);
        motors.push_back(mirror.motor_positions);
    }
    const Alignment again = align_to_motor_positions(records, motors);
    for (size_t i = 0; i < records.size(); ++i) {
        CHECK(largest_difference(again.mirrors[i].orientation, alignment.mirrors[i].orientation) <
              1e-13);
    }
}

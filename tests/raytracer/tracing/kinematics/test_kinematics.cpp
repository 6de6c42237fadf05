// SPDX-License-Identifier: MIT
// Rigid bodies: orientation against ARTIST's numbers, inverse, records from scenarios, mixed
// batches.
#include "raytracer/tracing/kinematics/joints.h"
#include "scenario/files/error.h"
#include "tests/raytracer/tracing/kinematics/kinematics_support.h"

#include <memory>
#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

// kinematics.json's heliostat with AA39's drives.
KinematicsRecord vector_record(const nlohmann::json& json) {
    const nlohmann::json drives = read_vectors("actuators.json")["linear"];
    KinematicsRecord record;
    record.position = json_numbers<3>(json["position"]);
    record.translations = json_numbers<9>(json["translation_deviations"]);
    record.rotations = json_numbers<4>(json["rotation_deviations"]);
    record.drives = drives_from_rows(drives["non_optimisable"], drives["optimisable"]);
    return record;
}

std::array<double, 16> orientation(const KinematicsRecord& record, const Pair& angles) {
    return Joints<double>(record).orientation(angles).matrix();
}

NormalSolution<double> solve(const KinematicsRecord& record,
                             const Vec3& normal,
                             Branch branch = Branch::natural) {
    return Joints<double>(record).joint_angles(normal, branch);
}

Heliostat heliostat_with(KinematicsType type, ActuatorType drive) {
    Kinematics kinematics;
    kinematics.type = type;
    kinematics.deviations.concentrator_translation = {0.1, 0.2, 0.3};
    Actuator actuator;
    actuator.type = drive;
    actuator.name = "actuator_1";
    actuator.max_motor_position = 70000;
    actuator.increment = 154166.67;
    actuator.offset = 0.335308;
    actuator.pivot_radius = 0.338095;
    actuator.initial_stroke_length = 0.0774;
    actuator.initial_angle = 0.5;
    Heliostat heliostat;
    heliostat.name = "H1";
    heliostat.position = {1, 2, 3};
    heliostat.kinematics = std::make_shared<Kinematics>(kinematics);
    heliostat.actuators = std::make_shared<ActuatorPair>(ActuatorPair{actuator, actuator});
    return heliostat;
}

}  // namespace

TEST_CASE("Orientations of joint angles and motor positions equal ARTIST's") {
    const nlohmann::json vectors = read_vectors("kinematics.json");
    for (const char* name : {"linear_AA39_nominal", "linear_AA39_with_deviations"}) {
        const KinematicsRecord stated = vector_record(vectors[name]);
        KinematicsRecord effective = stated;
        effective.drives = artist_effective(stated.drives);
        for (const nlohmann::json& entry : vectors[name]["forward"]) {
            INFO(name << " motor " << entry["motor"]);
            const std::array<double, 16> expected = json_matrix(entry["orientation"]);
            const Pair angles = json_numbers<2>(entry["joint_angles"]);
            CHECK(largest_difference(orientation(stated, angles), expected) < 1e-5);

            const Pair motors = json_numbers<2>(entry["motor"]);
            const AlignedMirror ours = align_one(stated, motors).mirrors[0];
            CHECK(largest_difference(ours.orientation, expected) < 1e-4);
            const AlignedMirror same = align_one(effective, motors).mirrors[0];
            CHECK(largest_difference(same.orientation, expected) < 1e-5);
            CHECK(largest_difference(same.joint_angles, angles) < 1e-5);
        }
    }
}

TEST_CASE("Without deviations, joint angles zero face south") {
    for (const KinematicsRecord& record : rigid_bodies(2, ideal_drives(-3, 3), 0, 0)) {
        const auto matrix = orientation(record, {0, 0});
        CHECK(column(matrix, 0) == Vec3{1, 0, 0});
        CHECK(column(matrix, 1) == Vec3{0, 0, 1});
        CHECK(column(matrix, 2) == Vec3{0, -1, 0});
        CHECK(column(matrix, 3) == record.position);
    }
}

TEST_CASE("Joint angles of a normal point the mirror along it, deviations or not") {
    constexpr size_t kCount = 300;
    const std::vector<Vec3> normals = southern_normals(kCount);
    for (const double tilt : {0.0, 0.03}) {
        const auto records = rigid_bodies(kCount, ideal_drives(-3, 3), 0.3, tilt);
        for (const Branch branch : {Branch::natural, Branch::rolled}) {
            double largest_angle = 0.0;
            for (size_t i = 0; i < kCount; ++i) {
                const auto solution = solve(records[i], normals[i], branch);
                REQUIRE(solution.reachable);
                const auto reached = column(orientation(records[i], solution.joint_angles), 2);
                CHECK(largest_difference(reached, normals[i]) < 1e-13);
                largest_angle = std::max(largest_angle, std::abs(solution.joint_angles[1]));
            }
            CHECK((largest_angle <= std::numbers::pi / 2) == (branch == Branch::natural));
        }
    }
}

TEST_CASE("The rolled branch turns the mirror by pi about its normal") {
    const auto records = rigid_bodies(20, ideal_drives(-3, 3), 0, 0);
    const std::vector<Vec3> normals = southern_normals(20);
    for (size_t i = 0; i < 20; ++i) {
        const auto natural = orientation(records[i], solve(records[i], normals[i]).joint_angles);
        const auto rolled =
            orientation(records[i], solve(records[i], normals[i], Branch::rolled).joint_angles);
        CHECK(largest_difference(column(rolled, 0), negative(column(natural, 0))) < 1e-14);
        CHECK(largest_difference(column(rolled, 1), negative(column(natural, 1))) < 1e-14);
    }
}

TEST_CASE("Normals beyond a tilted second joint are marked") {
    KinematicsRecord record = rigid_bodies(1, ideal_drives(-3, 3), 0, 0)[0];
    const Vec3 normals[] = {
        {1, 0, 0}, {std::cos(0.05), 0, std::sin(0.05)}, {std::cos(0.2), 0, std::sin(0.2)}};
    for (size_t i = 0; i < 3; ++i) {
        record.rotations = {0, 0, 0, 0.1};
        const auto tilted = solve(record, normals[i]);
        CHECK(tilted.reachable == (i == 2));
        CHECK(std::isfinite(tilted.joint_angles[0]));
        CHECK(std::isfinite(tilted.joint_angles[1]));

        // Without a tilt due east is reached exactly.
        record.rotations = {};
        const auto level = solve(record, normals[i]);
        CHECK(level.reachable);
        CHECK(largest_difference(column(orientation(record, level.joint_angles), 2), normals[i]) <
              1e-14);
    }
}

TEST_CASE("Mixed kinematics give every heliostat its own type, in order") {
    auto records = rigid_bodies(4, ideal_drives(-7, 7), 0.2, 0);
    records[0].type = records[2].type = KinematicsType::azimuth_elevation;
    const auto angles = uniform_rows<2>(4, 0.2, 1.2, 6);
    const Alignment alignment = align_to_motor_positions(records, angles);
    const std::vector<Vec3> normals = southern_normals(4);
    for (size_t i = 0; i < 4; ++i) {
        const auto expected = i % 2 == 0
                                  ? azimuth_elevation_orientation(records[i], angles[i]).matrix()
                                  : RigidBody<double>(records[i]).orientation(angles[i]).matrix();
        CHECK(alignment.mirrors[i].orientation == expected);
        const auto solution = solve(records[i], normals[i]);
        CHECK(solution.reachable);
        const auto reached = column(orientation(records[i], solution.joint_angles), 2);
        CHECK(largest_difference(reached, normals[i]) < 1e-14);
    }
    CHECK_THROWS_AS(align_to_motor_positions(records, std::span(angles).first(3)),
                    std::invalid_argument);
}

TEST_CASE("Records come from the scenario, in the order asked for") {
    Scenario scenario;
    scenario.heliostats.push_back(heliostat_with(KinematicsType::rigid_body, ActuatorType::linear));
    scenario.heliostats.push_back(
        heliostat_with(KinematicsType::azimuth_elevation, ActuatorType::linear));
    scenario.heliostats.push_back(heliostat_with(KinematicsType::rigid_body, ActuatorType::ideal));
    const auto records = kinematics_records(scenario, std::array<size_t, 3>{2, 0, 1});
    REQUIRE(records.size() == 3);
    for (size_t i = 0; i < 3; ++i) {
        const KinematicsRecord& record = records[i];
        CHECK(record.type ==
              (i == 2 ? KinematicsType::azimuth_elevation : KinematicsType::rigid_body));
        CHECK(record.position == Vec3{1, 2, 3});
        CHECK(record.translations == std::array<double, 9>{0, 0, 0, 0, 0, 0, 0.1, 0.2, 0.3});
        for (size_t axis = 0; axis < 2; ++axis) {
            const DriveRecord& drive = record.drives[axis];
            CHECK(drive.is_linear == (i > 0));
            CHECK(drive.max_position == 70000);
            CHECK(drive.increment == 154166.67);
            CHECK(drive.initial_stroke == 0.0774);
            // Only axis 1 of a linear rigid body counts from a flat mirror.
            const double reference = i == 1 && axis == 0 ? std::numbers::pi / 2 : 0.0;
            CHECK(drive.initial_angle == 0.5 - reference);
        }
    }
}

TEST_CASE("Parameters that no formula can use are all reported") {
    Heliostat triangle = heliostat_with(KinematicsType::rigid_body, ActuatorType::linear);
    ActuatorPair drives = *triangle.actuators;
    drives[0].increment = 0;
    drives[0].initial_stroke_length = 0.7;
    drives[1].offset = 0;
    triangle.actuators = std::make_shared<ActuatorPair>(drives);
    Heliostat tilted = heliostat_with(KinematicsType::azimuth_elevation, ActuatorType::ideal);
    Kinematics kinematics = *tilted.kinematics;
    kinematics.deviations.first_joint_tilt_n = 0.01;
    tilted.kinematics = std::make_shared<Kinematics>(kinematics);
    Scenario scenario;
    scenario.heliostats = {triangle, tilted};

    try {
        kinematics_records(scenario, std::array<size_t, 2>{0, 1});
        FAIL("no problem was found");
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 4);
        CHECK(error.problems()[0].where == "heliostats/H1/actuator/actuator_1");
        CHECK_THAT(error.what(), ContainsSubstring("increment 0 "));
        CHECK_THAT(error.what(), ContainsSubstring("initial stroke length 0.7 m"));
        CHECK_THAT(error.what(), ContainsSubstring("offset 0 m"));
        CHECK_THAT(error.what(), ContainsSubstring("joint translations or tilts"));
    }
    CHECK_NOTHROW(kinematics_records(scenario, {}));
}

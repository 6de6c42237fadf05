// SPDX-License-Identifier: MIT
// Rigid bodies: orientation against ARTIST's numbers, inverse, parameters from scenarios, mixed
// batches.
#include "raytracer/kinematics/actuators.h"
#include "raytracer/kinematics/azimuth_elevation.h"
#include "raytracer/kinematics/joints.h"
#include "scenario/error.h"
#include "tests/raytracer/kinematics_support.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/matmul.h>

#include <memory>
#include <numbers>

using namespace helioray;
using namespace helioray::test;

namespace {

// Parameters of kinematics.json's heliostat, n times; drives are AA39's.
KinematicsParameters vector_parameters(const nlohmann::json& json, int64_t n) {
    const nlohmann::json drives = read_vectors("actuators.json")["linear"];
    const auto rows = [n](const nlohmann::json& values, int64_t columns) {
        return to_tensor(values).narrow(0, 0, columns).unsqueeze(0).repeat({n, 1});
    };
    KinematicsParameters parameters;
    parameters.types = at::full({n}, 0, at::kLong);
    parameters.positions = rows(json["position"], 3);
    parameters.translations = rows(json["translation_deviations"], 9);
    parameters.rotations = rows(json["rotation_deviations"], 4);
    parameters.actuators =
        repeated(drives_from_rows(drives["non_optimisable"], drives["optimisable"]), n);
    return parameters;
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
        for (const nlohmann::json& entry : vectors[name]["forward"]) {
            INFO(name << " motor " << entry["motor"]);
            KinematicsParameters parameters = vector_parameters(vectors[name], 1);
            const at::Tensor expected = to_tensor(entry["orientation"]).unsqueeze(0);
            const at::Tensor angles = to_tensor(entry["joint_angles"]).unsqueeze(0);
            CHECK(largest_difference(mirror_orientation(parameters, angles), expected) < 1e-5);

            const at::Tensor motor = to_tensor(entry["motor"]).unsqueeze(0);
            const Alignment stated = align_to_motor_positions(parameters, motor);
            CHECK(largest_difference(stated.orientation, expected) < 1e-4);
            parameters.actuators = artist_effective_parameters(parameters.actuators);
            const Alignment effective = align_to_motor_positions(parameters, motor);
            CHECK(largest_difference(effective.orientation, expected) < 1e-5);
            CHECK(largest_difference(effective.joint_angles, angles) < 1e-5);
        }
    }
}

TEST_CASE("Without deviations, joint angles zero face south") {
    const KinematicsParameters parameters = rigid_bodies(ideal_drives(2, -3, 3), 0, 0);
    const at::Tensor orientation = mirror_orientation(parameters, tensor_of({0, 0, 0, 0}, {2, 2}));
    CHECK(largest_difference(column(orientation, 0)[0], tensor_of({1, 0, 0}, {3})) == 0);
    CHECK(largest_difference(column(orientation, 1)[0], tensor_of({0, 0, 1}, {3})) == 0);
    CHECK(largest_difference(column(orientation, 2)[0], tensor_of({0, -1, 0}, {3})) == 0);
    CHECK(largest_difference(column(orientation, 3), parameters.positions) == 0);
}

TEST_CASE("Joint angles of a normal point the mirror along it, deviations or not") {
    constexpr int64_t kCount = 300;
    for (const double tilt : {0.0, 0.03}) {
        const KinematicsParameters parameters =
            rigid_bodies(ideal_drives(kCount, -3, 3), 0.3, tilt);
        const at::Tensor normals = southern_normals(kCount);
        for (const Branch branch : {Branch::natural, Branch::rolled}) {
            const NormalSolution solution = joint_angles_for_normals(parameters, normals, branch);
            REQUIRE(solution.reachable.all().item<bool>());
            const at::Tensor reached =
                column(mirror_orientation(parameters, solution.joint_angles), 2);
            CHECK(largest_difference(reached, normals) < 1e-13);
            const double largest_angle = largest(solution.joint_angles.select(1, 1));
            CHECK((largest_angle <= std::numbers::pi / 2) == (branch == Branch::natural));
        }
    }
}

TEST_CASE("The rolled branch turns the mirror by pi about its normal") {
    const KinematicsParameters parameters = rigid_bodies(ideal_drives(20, -3, 3), 0, 0);
    const at::Tensor normals = southern_normals(20);
    const at::Tensor natural =
        mirror_orientation(parameters, joint_angles_for_normals(parameters, normals).joint_angles);
    const at::Tensor rolled = mirror_orientation(
        parameters, joint_angles_for_normals(parameters, normals, Branch::rolled).joint_angles);
    CHECK(largest_difference(column(rolled, 0), -column(natural, 0)) < 1e-14);
    CHECK(largest_difference(column(rolled, 1), -column(natural, 1)) < 1e-14);
}

TEST_CASE("Normals beyond a tilted second joint are marked") {
    KinematicsParameters parameters = rigid_bodies(ideal_drives(3, -3, 3), 0, 0);
    parameters.rotations = tensor_of({0, 0, 0, 0.1}, {4}).repeat({3, 1});
    const at::Tensor normals = tensor_of(
        {1, 0, 0, std::cos(0.05), 0, std::sin(0.05), std::cos(0.2), 0, std::sin(0.2)}, {3, 3});
    const NormalSolution solution = joint_angles_for_normals(parameters, normals);
    CHECK_FALSE(solution.reachable[0].item<bool>());
    CHECK_FALSE(solution.reachable[1].item<bool>());
    CHECK(solution.reachable[2].item<bool>());
    CHECK(solution.joint_angles.isfinite().all().item<bool>());

    // Without a tilt due east is reached exactly.
    parameters.rotations = at::zeros_like(parameters.rotations);
    const NormalSolution level = joint_angles_for_normals(parameters, normals);
    CHECK(level.reachable.all().item<bool>());
    CHECK(largest_difference(column(mirror_orientation(parameters, level.joint_angles), 2),
                             normals) < 1e-14);
}

TEST_CASE("Mixed kinematics give every heliostat its own type, in order") {
    KinematicsParameters mixed = rigid_bodies(ideal_drives(4, -7, 7), 0.2, 0);
    mixed.types = at::tensor({1, 0, 1, 0}, at::kLong);
    const at::Tensor angles = uniform({4, 2}, 0.2, 1.2, 6);
    const at::Tensor orientation = mirror_orientation(mixed, angles);
    CHECK(largest_difference(orientation.slice(0, 1, 4, 2),
                             rigid_body_orientation(mixed, angles).slice(0, 1, 4, 2)) == 0);
    CHECK(largest_difference(orientation.slice(0, 0, 4, 2),
                             azimuth_elevation_orientation(mixed, angles).slice(0, 0, 4, 2)) == 0);

    const at::Tensor normals = southern_normals(4);
    const NormalSolution solution = joint_angles_for_normals(mixed, normals);
    CHECK(solution.reachable.all().item<bool>());
    const at::Tensor reached = column(mirror_orientation(mixed, solution.joint_angles), 2);
    CHECK(largest_difference(reached, normals) < 1e-14);

    CHECK_THROWS_AS(mirror_orientation(mixed, angles.narrow(0, 0, 3)), c10::Error);
}

TEST_CASE("Parameters come from the scenario, in the order asked for") {
    Scenario scenario;
    scenario.heliostats.push_back(heliostat_with(KinematicsType::rigid_body, ActuatorType::linear));
    scenario.heliostats.push_back(
        heliostat_with(KinematicsType::azimuth_elevation, ActuatorType::linear));
    scenario.heliostats.push_back(heliostat_with(KinematicsType::rigid_body, ActuatorType::ideal));
    const KinematicsParameters parameters = kinematics_parameters(scenario, {2, 0, 1});
    CHECK(parameters.size() == 3);
    CHECK(largest_difference(parameters.types, at::tensor({0, 0, 1}, at::kLong)) == 0);
    CHECK(largest_difference(parameters.positions[1], tensor_of({1, 2, 3}, {3})) == 0);
    CHECK(largest_difference(parameters.translations[1],
                             tensor_of({0, 0, 0, 0, 0, 0, 0.1, 0.2, 0.3}, {9})) == 0);
    CHECK(largest_difference(parameters.actuators.is_linear.to(at::kLong),
                             at::tensor({0, 0, 1, 1, 1, 1}, at::kLong).view({3, 2})) == 0);
    // Only axis 1 of a linear rigid body counts from a flat mirror.
    const double flat = 0.5 - std::numbers::pi / 2;
    CHECK(largest_difference(parameters.actuators.initial_angle,
                             tensor_of({0.5, 0.5, flat, 0.5, 0.5, 0.5}, {3, 2})) < 1e-15);
    CHECK(largest_difference(parameters.actuators.max_position,
                             at::full({3, 2}, 70000.0, at::kDouble)) == 0);

    const KinematicsParameters picked = select(parameters, at::tensor({2}, at::kLong));
    CHECK(picked.types[0].item<int64_t>() == 1);
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
        kinematics_parameters(scenario, {0, 1});
        FAIL("no problem was found");
    } catch (const InputError& error) {
        REQUIRE(error.problems().size() == 4);
        CHECK(error.problems()[0].where == "heliostats/H1/actuator/actuator_1");
        CHECK_THAT(error.what(), ContainsSubstring("increment 0 "));
        CHECK_THAT(error.what(), ContainsSubstring("initial stroke length 0.7 m"));
        CHECK_THAT(error.what(), ContainsSubstring("offset 0 m"));
        CHECK_THAT(error.what(), ContainsSubstring("joint translations or tilts"));
    }
    CHECK_NOTHROW(kinematics_parameters(scenario, {}));
}

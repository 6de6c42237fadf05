// SPDX-License-Identifier: MIT
// Alignment: reflection to the aim point, ARTIST's numbers, limits, the rolled branch and undefined
// cases.
#include "raytracer/kinematics/actuators.h"
#include "raytracer/kinematics/alignment.h"
#include "scenario/error.h"
#include "tests/raytracer/kinematics_support.h"

#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/matmul.h>

#include <numbers>

using namespace helioray;
using namespace helioray::test;
using Kind = AlignmentIssue::Kind;

namespace {

constexpr double kPi = std::numbers::pi;

// Distance by which light reflected at the mirrors' origins passes their aim points. Metres,
// largest.
double largest_miss(const Alignment& alignment, const at::Tensor& incident, const at::Tensor& aim) {
    const at::Tensor normal = column(alignment.orientation, 2);
    const at::Tensor d = (incident / incident.square().sum(-1, true).sqrt()).expand_as(normal);
    const at::Tensor reflected = d - 2 * (d * normal).sum(1, true) * normal;
    const at::Tensor way = aim - column(alignment.orientation, 3);
    CHECK((reflected * way).sum(1).min().item<double>() > 0);
    return at::linalg_cross(reflected, way).square().sum(1).sqrt().max().item<double>();
}

at::Tensor repeat_rows(std::vector<double> row, int64_t n) {
    const auto columns = static_cast<int64_t>(row.size());
    return tensor_of(std::move(row), {1, columns}).repeat({n, 1});
}

// AA39 as the vectors have it, with its limits.
KinematicsParameters aa39() {
    const nlohmann::json vectors = read_vectors("kinematics.json")["linear_AA39_nominal"];
    const nlohmann::json drives = read_vectors("actuators.json")["linear"];
    KinematicsParameters parameters =
        rigid_bodies(drives_from_rows(drives["non_optimisable"], drives["optimisable"]), 0, 0);
    parameters.positions = to_tensor(vectors["position"]).narrow(0, 0, 3).unsqueeze(0);
    parameters.translations = to_tensor(vectors["translation_deviations"]).unsqueeze(0);
    return parameters;
}

// ARTIST's AA28: ideal drives with limits in motor steps.
KinematicsParameters aa28() {
    KinematicsParameters parameters = rigid_bodies(ideal_drives(1, 0, 0), 0, 0);
    parameters.actuators.max_position = tensor_of({68618, 76074}, {1, 2});
    parameters.positions = tensor_of({-35.10509, 24.987022, 1.6200485}, {1, 3});
    parameters.translations = tensor_of({0, 0, 0, 0, 0, 0, 0, 0.175, 0}, {1, 9});
    return parameters;
}

// Aim point of the receiver of ARTIST's sample scenarios.
at::Tensor receiver_aim() {
    return tensor_of({-0.0031457543, -3.7550399 + 4.14 * 0.9063078, 56.743324 - 4.14 * 0.42261827},
                     {1, 3});
}

size_t count(const Alignment& alignment, Kind kind) {
    size_t n = 0;
    for (const AlignmentIssue& issue : alignment.issues) n += issue.kind == kind;
    return n;
}

}  // namespace

TEST_CASE("Aimed mirrors reflect the sun from their origin to the aim point") {
    constexpr int64_t kCount = 200;
    for (const bool linear : {true, false}) {
        const KinematicsParameters parameters = rigid_bodies(
            linear ? linear_drives(kCount) : ideal_drives(kCount, -kPi, kPi), 0.4, 0.03);
        const at::Tensor aim = uniform({kCount, 3}, -5, 5, 3) + tensor_of({0, 0, 50}, {3});
        const at::Tensor incident = tensor_of({0.3, 1.5, -1.2}, {3});
        const Alignment alignment = align_to_aim_points(parameters, incident, aim);
        CHECK(alignment.converged.all().item<bool>());
        CHECK(largest_miss(alignment, incident, aim) < 1e-9);

        // Orientation and motor positions agree.
        const Alignment again = align_to_motor_positions(parameters, alignment.motor_positions);
        CHECK(largest_difference(again.orientation, alignment.orientation) < 1e-10);
        CHECK(largest_difference(again.joint_angles, alignment.joint_angles) < 1e-10);

        // Orientations are rotations.
        const at::Tensor rotation = alignment.orientation.narrow(1, 0, 3).narrow(2, 0, 3);
        CHECK(largest_difference(at::matmul(rotation, rotation.transpose(1, 2)),
                                 at::eye(3, at::kDouble).expand({kCount, 3, 3})) < 1e-14);
    }
}

TEST_CASE("Every heliostat may have its own sun, and none depends on the others") {
    const KinematicsParameters parameters = rigid_bodies(linear_drives(30), 0.4, 0.03);
    const at::Tensor aim = uniform({30, 3}, -5, 5, 3) + tensor_of({0, 0, 50}, {3});
    const at::Tensor incident = uniform({30, 3}, -0.4, 0.4, 4) + tensor_of({0, 0.7, -0.7}, {3});
    const Alignment together = align_to_aim_points(parameters, incident, aim);
    CHECK(largest_miss(together, incident, aim) < 1e-9);

    const at::Tensor some = at::tensor({17, 3}, at::kLong);
    const Alignment alone = align_to_aim_points(
        select(parameters, some), incident.index_select(0, some), aim.index_select(0, some));
    CHECK(largest_difference(alone.motor_positions,
                             together.motor_positions.index_select(0, some)) == 0);
    CHECK(largest_difference(alone.orientation, together.orientation.index_select(0, some)) == 0);
}

TEST_CASE("Alignments with ARTIST's effective parameters equal ARTIST's") {
    const nlohmann::json vectors = read_vectors("kinematics.json");
    for (const char* name : {"linear_AA39_nominal", "linear_AA39_with_deviations"}) {
        KinematicsParameters stated = aa39();
        stated.translations = to_tensor(vectors[name]["translation_deviations"]).unsqueeze(0);
        stated.rotations = to_tensor(vectors[name]["rotation_deviations"]).unsqueeze(0);
        KinematicsParameters effective = stated;
        effective.actuators = artist_effective_parameters(stated.actuators);
        for (const nlohmann::json& entry : vectors[name]["inverse"]) {
            INFO(name << " incident " << entry["incident"]);
            const at::Tensor incident = to_tensor(entry["incident"]).narrow(0, 0, 3);
            const at::Tensor aim = to_tensor(entry["aim_point"]).narrow(0, 0, 3).unsqueeze(0);
            const at::Tensor orientation = to_tensor(entry["orientation"]).unsqueeze(0);
            const at::Tensor motor = to_tensor(entry["motor_positions"]).unsqueeze(0);

            const Alignment same = align_to_aim_points(effective, incident, aim);
            CHECK(largest_difference(same.orientation, orientation) < 1e-5);
            CHECK(largest((same.motor_positions - motor) / motor) < 1e-5);
            // The drive's parameters change the motor positions a little, the orientation not at
            // all.
            const Alignment ours = align_to_aim_points(stated, incident, aim);
            CHECK(largest_difference(ours.orientation, same.orientation) < 1e-13);
            CHECK(largest_difference(ours.motor_positions, motor) < 3);
        }
    }
}

TEST_CASE("Positions outside the limits are named and used all the same") {
    const nlohmann::json group = read_vectors(
        "integration_alignment.json")["test_scenario_paint_single_heliostat"]["groups"][0];
    KinematicsParameters parameters = aa39();
    parameters.actuators = artist_effective_parameters(parameters.actuators);
    for (size_t i = 0; i < 4; ++i) {
        const at::Tensor incident = to_tensor(group["incident"][i]).narrow(0, 0, 3);
        const Alignment alignment = align_to_aim_points(parameters, incident, receiver_aim());
        const at::Tensor expected = to_tensor(group["motor_positions"][i]).unsqueeze(0);
        CHECK(largest_miss(alignment, incident, receiver_aim()) < 1e-9);
        if (i != 2) {
            CHECK(largest((alignment.motor_positions - expected) / expected) < 2e-5);
            CHECK(alignment.issues.empty());
            CHECK(alignment.within_limits.all().item<bool>());
            continue;
        }
        // ARTIST turns to its second branch here, which the drives cannot reach, and misses the
        // target altogether; the natural branch is 164 steps beyond one limit.
        CHECK(group["on_target"][i] == 0.0);
        const Alignment artist = align_to_motor_positions(parameters, expected);
        CHECK(largest_difference(artist.orientation, alignment.orientation) > 0.1);
        CHECK(column(alignment.orientation, 1)[0][2].item<double>() > 0);

        REQUIRE(alignment.issues.size() == 1);
        CHECK(alignment.within_limits[0][0].item<bool>());
        CHECK_FALSE(alignment.within_limits[0][1].item<bool>());
        const AlignmentIssue& issue = alignment.issues[0];
        CHECK(issue.kind == Kind::outside_limits);
        CHECK(issue.heliostat == 0);
        CHECK(issue.axis == 2);
        CHECK(issue.motor_position == alignment.motor_positions[0][1].item<double>());
        CHECK(issue.max_position == 75308);
        CHECK(issue.message == "motor position 75472 of axis 2 lies outside [0, 75308]");
    }
}

TEST_CASE("Ideal drives with limits in motor steps do not roll the mirror") {
    const nlohmann::json group = read_vectors(
        "integration_alignment.json")["test_scenario_paint_mix_ideal_prototype_deflectometry"]
                                     ["groups"][0];
    const at::Tensor rolled = to_tensor(group["motor_positions"][0]).unsqueeze(0);
    const KinematicsParameters parameters = aa28();
    const at::Tensor incident = tensor_of({0, 1, 0}, {3});
    const Alignment natural = align_to_aim_points(parameters, incident, receiver_aim());
    CHECK(largest_miss(natural, incident, receiver_aim()) < 1e-9);

    // ARTIST's positions point the same way, upside down.
    const Alignment artist = align_to_motor_positions(parameters, rolled);
    for (const int64_t axis : {0, 1}) {
        CHECK(largest_difference(column(artist.orientation, axis),
                                 -column(natural.orientation, axis)) < 1e-5);
    }
    CHECK(largest_difference(column(artist.orientation, 2), column(natural.orientation, 2)) < 1e-5);
    CHECK(column(natural.orientation, 1)[0][2].item<double>() > 0);
    CHECK(natural.motor_positions[0][0].item<double>() < 0);

    // Not silent: the limits were not applied.
    REQUIRE(natural.issues.size() == 2);
    CHECK(count(natural, Kind::limits_not_meaningful) == 2);
    CHECK(natural.within_limits.all().item<bool>());
    CHECK(natural.issues[0].message ==
          "limits [0, 68618] of the ideal drive of axis 1 are not angles and were not applied");
}

TEST_CASE("The published alignments of an ideal heliostat, mirror upright") {
    const nlohmann::json vectors = read_vectors("kinematics.json");
    for (const char* name : {"ideal_limits_0_60000", "ideal_limits_minus_pi_pi"}) {
        const bool angles = std::string(name) == "ideal_limits_minus_pi_pi";
        KinematicsParameters parameters =
            rigid_bodies(angles ? ideal_drives(1, -kPi, kPi) : ideal_drives(1, 0, 60000), 0, 0);
        parameters.positions = tensor_of({0, 5, 0}, {1, 3});
        for (size_t i = 0; i < vectors[name]["inverse"].size(); ++i) {
            const nlohmann::json& entry = vectors[name]["inverse"][i];
            const nlohmann::json& upright = vectors["ideal_limits_minus_pi_pi"]["inverse"][i];
            const Alignment alignment =
                align_to_aim_points(parameters,
                                    to_tensor(entry["incident"]).narrow(0, 0, 3),
                                    to_tensor(entry["aim_point"]).narrow(0, 0, 3).unsqueeze(0));
            CHECK(largest_difference(alignment.orientation,
                                     to_tensor(upright["orientation"]).unsqueeze(0)) < 1e-5);
            CHECK(largest_difference(alignment.motor_positions,
                                     to_tensor(upright["motor_positions"]).unsqueeze(0)) < 1e-5);
            CHECK(alignment.issues.size() == (angles ? 0 : 2));
        }
    }
}

TEST_CASE("Limits in radians that admit only the rolled mirror are obeyed") {
    KinematicsParameters parameters = aa28();
    parameters.translations =
        tensor_of({0.01, -0.02, 0.03, 0.02, 0.01, 0.3, 0.05, 0.175, 0.1}, {1, 9});
    parameters.actuators.min_position = tensor_of({2, 2}, {1, 2});
    parameters.actuators.max_position = tensor_of({3, 3}, {1, 2});
    const at::Tensor incident = tensor_of({0, 1, 0}, {3});
    const Alignment alignment = align_to_aim_points(parameters, incident, receiver_aim());
    CHECK(alignment.issues.empty());
    CHECK(alignment.within_limits.all().item<bool>());
    CHECK(column(alignment.orientation, 1)[0][2].item<double>() < 0);
    CHECK(largest_miss(alignment, incident, receiver_aim()) < 1e-9);

    // Limits that admit neither keep the natural one and say so.
    parameters.actuators.min_position = tensor_of({1, 1}, {1, 2});
    parameters.actuators.max_position = tensor_of({1.1, 1.1}, {1, 2});
    const Alignment neither = align_to_aim_points(parameters, incident, receiver_aim());
    CHECK(column(neither.orientation, 1)[0][2].item<double>() > 0);
    CHECK(count(neither, Kind::outside_limits) == 2);
}

TEST_CASE("Joint angles beyond the drive's triangle hold the mirror at its end") {
    // The sun in the north, the tower too: the mirror would have to turn its back.
    const KinematicsParameters parameters = aa39();
    const at::Tensor aim = tensor_of({0, 200, 5}, {1, 3});
    const Alignment alignment = align_to_aim_points(parameters, tensor_of({0, -1, -0.1}, {3}), aim);
    CHECK(count(alignment, Kind::unreachable_angle) >= 1);
    CHECK(count(alignment, Kind::not_converged) == 0);
    CHECK_FALSE(alignment.converged[0].item<bool>());
    CHECK_FALSE(alignment.within_limits.all().item<bool>());
    CHECK_THAT(alignment.issues[0].message,
               ContainsSubstring("no motor position of axis 1 gives the joint angle"));
    const Alignment again = align_to_motor_positions(parameters, alignment.motor_positions);
    CHECK(largest_difference(again.orientation, alignment.orientation) < 1e-6);
    CHECK(alignment.orientation.isfinite().all().item<bool>());
}

TEST_CASE("Motor positions beyond the drive's reach are named") {
    const Alignment alignment =
        align_to_motor_positions(aa39(), tensor_of({100000, 30000}, {1, 2}));
    REQUIRE(alignment.issues.size() == 1);
    CHECK(alignment.issues[0].kind == Kind::unreachable_stroke);
    CHECK(alignment.issues[0].message ==
          "motor position 100000 of axis 1 is beyond the reach of its drive");
    const Alignment outside = align_to_motor_positions(aa39(), tensor_of({70000, 30000}, {1, 2}));
    REQUIRE(outside.issues.size() == 1);
    CHECK(outside.issues[0].kind == Kind::outside_limits);
    CHECK(outside.converged.all().item<bool>());
}

TEST_CASE("Cases without a mirror normal are reported for their heliostat only") {
    const KinematicsParameters parameters = rigid_bodies(ideal_drives(3, -kPi, kPi), 0, 0);
    const at::Tensor incident = tensor_of({0, 0.8, -0.6}, {3});
    at::Tensor aim = repeat_rows({0, 0, 50}, 3);
    aim[0] = parameters.positions[0];                  // at the mirror itself
    aim[2] = parameters.positions[2] + 30 * incident;  // straight on
    const Alignment alignment = align_to_aim_points(parameters, incident, aim);
    REQUIRE(alignment.issues.size() == 2);
    CHECK(alignment.issues[0].kind == Kind::undefined_normal);
    CHECK(alignment.issues[0].heliostat == 0);
    CHECK(alignment.issues[0].axis == 0);
    CHECK(alignment.issues[1].kind == Kind::undefined_normal);
    CHECK(alignment.issues[1].heliostat == 2);
    CHECK(alignment.converged[1].item<bool>());
    CHECK_FALSE(alignment.converged[0].item<bool>());
    CHECK(alignment.orientation.isfinite().all().item<bool>());
}

TEST_CASE("An aim point within reach of the moving mirror may have no consistent alignment") {
    KinematicsParameters parameters = rigid_bodies(ideal_drives(1, -7, 7), 0, 0);
    parameters.translations = repeat_rows({0, 0, 0, 0, 0, 0, 0, -3, 0}, 1);
    const at::Tensor aim = parameters.positions + tensor_of({0.5, -1.0, 1.0}, {3});
    const Alignment alignment = align_to_aim_points(parameters, tensor_of({0, 1, -1}, {3}), aim);
    CHECK_FALSE(alignment.converged[0].item<bool>());
    CHECK(count(alignment, Kind::not_converged) == 1);
}

TEST_CASE("Inputs without meaning are refused") {
    const KinematicsParameters parameters = rigid_bodies(ideal_drives(2, -7, 7), 0, 0);
    const at::Tensor aim = repeat_rows({0, 0, 50}, 2);
    const at::Tensor sun = tensor_of({0, 1, 0}, {3});
    CHECK_THROWS_AS(align_to_aim_points(parameters, tensor_of({0, 0, 0}, {3}), aim), InputError);
    CHECK_THROWS_AS(align_to_aim_points(parameters, tensor_of({0, NAN, 0}, {3}), aim), InputError);
    CHECK_THROWS_AS(align_to_aim_points(parameters, sun, aim / 0.0), InputError);
    CHECK_THROWS_AS(align_to_aim_points(parameters, sun, aim.narrow(0, 0, 1)), c10::Error);
    CHECK_THROWS_AS(align_to_motor_positions(parameters, tensor_of({NAN, 0, 0, 0}, {2, 2})),
                    InputError);
}

TEST_CASE("Axis errors turn the mirror and leave the motors where they are") {
    const KinematicsParameters parameters = rigid_bodies(linear_drives(3), 0.2, 0.01);
    const Alignment alignment =
        align_to_aim_points(parameters, tensor_of({0, 1, -0.5}, {3}), repeat_rows({0, 0, 50}, 3));
    const at::Tensor errors = tensor_of({0, 0, 0.002, 0, 0, -0.001}, {3, 2});
    const Alignment disturbed = with_axis_errors(parameters, alignment, errors);
    CHECK(largest_difference(disturbed.motor_positions, alignment.motor_positions) == 0);
    CHECK(largest_difference(disturbed.joint_angles, alignment.joint_angles + errors) == 0);
    const at::Tensor cosine =
        (column(disturbed.orientation, 2) * column(alignment.orientation, 2)).sum(1);
    const at::Tensor turned = cosine.clamp(-1, 1).acos();
    CHECK(turned[0].item<double>() < 1e-7);
    CHECK(turned[1].item<double>() <= 0.002 * (1 + 1e-6));
    CHECK(turned[1].item<double>() > 0.001);
    // The normal lies in the plane that axis 2 turns, up to its tilts.
    CHECK(turned[2].item<double>() == Approx(0.001).epsilon(1e-2));
}

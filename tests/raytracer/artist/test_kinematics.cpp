// SPDX-License-Identifier: MIT
// Actuators, kinematics and alignment against ARTIST's numbers.
#include "raytracer/artist/kinematics.h"
#include "tests/raytracer/artist/artist_support.h"

#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

using namespace helioray;
using namespace helioray::test;

namespace {

// One row of linear actuators from the tensors ARTIST holds.
artist::Parameters linear_parameters(const Json& v) {
    const at::Tensor fixed = to_tensor(v["non_optimisable"]), free = to_tensor(v["optimisable"]);
    artist::Parameters p;
    p.linear = true;
    p.position = at::zeros({1, 4});
    p.translation = at::zeros({1, 9});
    p.rotation = at::zeros({1, 4});
    p.clockwise = fixed.narrow(0, 1, 1).gt(0.5);
    p.minimum = fixed.narrow(0, 2, 1);
    p.maximum = fixed.narrow(0, 3, 1);
    p.increment = fixed.narrow(0, 4, 1);
    p.offset = fixed.narrow(0, 5, 1);
    p.pivot_radius = fixed.narrow(0, 6, 1);
    p.initial_angle = free.narrow(0, 0, 1);
    p.initial_stroke = free.narrow(0, 1, 1);
    return p;
}

artist::Parameters ideal_parameters(double low, double high) {
    artist::Parameters p;
    p.position = at::zeros({1, 4});
    p.translation = at::zeros({1, 9});
    p.rotation = at::zeros({1, 4});
    p.clockwise = at::zeros({1, 2}, at::kBool);
    p.minimum = at::full({1, 2}, low, at::kFloat);
    p.maximum = at::full({1, 2}, high, at::kFloat);
    return p;
}

at::Tensor as_row(const Json& json) {
    return to_tensor(json).unsqueeze(0);
}

void check_alignments(artist::Parameters p, const Json& entry, double motor_tolerance) {
    p.position = as_row(entry["position"]);
    for (const Json& v : entry["inverse"]) {
        const artist::Alignment aligned =
            artist::align_to_aim_points(p, as_row(v["incident"]), as_row(v["aim_point"]));
        CHECK(max_difference(aligned.orientation.select(0, 0), v["orientation"]) < 3e-6);
        CHECK(max_difference(aligned.motor_positions.select(0, 0), v["motor_positions"]) <
              motor_tolerance);
        CHECK(static_cast<int64_t>(aligned.motor_positions_per_pass.size()) ==
              v["number_of_forward_evaluations"].get<int64_t>());
        CHECK(aligned.inverse_evaluations == v["number_of_inverse_evaluations"].get<int64_t>());
        const Json& passes = v["motor_positions_per_forward"];
        REQUIRE(aligned.motor_positions_per_pass.size() == passes.size());
        for (size_t k = 0; k < passes.size(); ++k) {
            CHECK(max_difference(aligned.motor_positions_per_pass[k].select(0, 0), passes[k]) <
                  motor_tolerance);
        }
    }
}

}  // namespace

TEST_CASE("artist kinematics: linear actuators") {
    const Json v = load_vectors("actuators.json")["linear"];
    const artist::Parameters p = linear_parameters(v);
    for (size_t k = 0; k < v["motor_positions"].size(); ++k) {
        const at::Tensor motor = as_row(v["motor_positions"][k]);
        const at::Tensor angles = artist::joint_angles(p, motor);
        CHECK(max_difference(angles, as_row(v["joint_angles"][k])) < 2e-5);
        const at::Tensor back = artist::motor_positions(p, as_row(v["joint_angles"][k])).squeeze(0);
        CHECK(max_difference(back, v["motor_positions_from_joint_angles"][k]) < 0.2);
    }
}

TEST_CASE("artist kinematics: linear actuators, numbers of ARTIST's own suite") {
    const Json v = load_vectors("actuators.json")["test_suite_case"];
    artist::Parameters p;
    p.linear = true;
    p.clockwise = as_row(v["clockwise"]).gt(0.5);
    p.increment = as_row(v["increment"]);
    p.offset = as_row(v["offset"]);
    p.pivot_radius = as_row(v["pivot_radius"]);
    p.initial_angle = as_row(v["initial_angle"]);
    p.initial_stroke = as_row(v["initial_stroke_length"]);
    const at::Tensor angles = artist::joint_angles(p, as_row(v["motor"]));
    CHECK(max_difference(angles, as_row(v["expected_angles"])) < 5e-6);
}

TEST_CASE("artist kinematics: ideal actuators pass angles through") {
    const Json v = load_vectors("actuators.json")["ideal"];
    const artist::Parameters p = ideal_parameters(0, 60000);
    CHECK(max_difference(artist::joint_angles(p, as_row(v["motor"])), as_row(v["angles"])) == 0.0);
    CHECK(max_difference(artist::motor_positions(p, as_row(v["angles"])), as_row(v["motor"])) ==
          0.0);
}

TEST_CASE("artist kinematics: forward and alignment of linear heliostats") {
    const Json v = load_vectors("kinematics.json");
    for (const char* name : {"linear_AA39_nominal", "linear_AA39_with_deviations"}) {
        const Json& entry = v[name];
        artist::Parameters p = linear_parameters(load_vectors("actuators.json")["linear"]);
        p.position = as_row(entry["position"]);
        p.translation = as_row(entry["translation_deviations"]);
        p.rotation = as_row(entry["rotation_deviations"]);
        for (const Json& f : entry["forward"]) {
            const at::Tensor motor = as_row(f["motor"]);
            CHECK(max_difference(artist::joint_angles(p, motor), as_row(f["joint_angles"])) < 1e-6);
            const at::Tensor bare = artist::forward(p, motor);
            CHECK(max_difference(bare, as_row(f["orientation_without_offset"])) < 3e-6);
            const at::Tensor turned = artist::surface_orientation(bare);
            CHECK(max_difference(turned, as_row(f["orientation"])) < 3e-6);
        }
        check_alignments(p, entry, 0.05);
    }
}

TEST_CASE("artist kinematics: limits choose the branch of ideal heliostats") {
    const Json v = load_vectors("kinematics.json");
    check_alignments(ideal_parameters(0, 60000), v["ideal_limits_0_60000"], 1e-6);
    check_alignments(
        ideal_parameters(-3.14159265, 3.14159265), v["ideal_limits_minus_pi_pi"], 1e-6);
}

TEST_CASE("artist kinematics: unreachable motor positions are flagged, not refused") {
    const artist::Parameters p = ideal_parameters(0, 60000);
    const at::Tensor aim = at::tensor({0.0F, -50.0F, 0.0F, 1.0F}).unsqueeze(0);
    const at::Tensor west = at::tensor({1.0F, 0.0F, 0.0F, 0.0F}).unsqueeze(0);
    const at::Tensor south = at::tensor({0.0F, 1.0F, 0.0F, 0.0F}).unsqueeze(0);
    CHECK(artist::align_to_aim_points(p, west, aim).out_of_range.item<bool>());
    CHECK_FALSE(artist::align_to_aim_points(p, south, aim).out_of_range.item<bool>());
}

TEST_CASE("artist kinematics: parameters as ARTIST holds them after loading") {
    const auto scenario = sample_scenario("test_scenario_paint_four_heliostats.h5");
    if (!scenario) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Json v = load_vectors("scenario_surfaces.json");
    const artist::Parameters p = artist::load_parameters(
        *scenario, {*scenario->find_heliostat("AA31"), *scenario->find_heliostat("AA39")});
    const at::Tensor free = to_tensor(v["actuator_optimisable_after_load"]);
    const at::Tensor fixed = to_tensor(v["actuator_non_optimisable"]);
    CHECK(max_difference(p.initial_angle, free.select(1, 0)) < 1e-7);
    CHECK(max_difference(p.initial_stroke, free.select(1, 1)) < 1e-8);
    CHECK(max_difference(p.clockwise, fixed.select(1, 1)) == 0.0);
    CHECK(max_difference(p.minimum, fixed.select(1, 2)) == 0.0);
    CHECK(max_difference(p.maximum, fixed.select(1, 3)) == 0.0);
    CHECK(max_difference(p.increment, fixed.select(1, 4)) < 0.01);
    CHECK(max_difference(p.offset, fixed.select(1, 5)) < 1e-7);
    CHECK(max_difference(p.pivot_radius, fixed.select(1, 6)) < 1e-7);
}

// SPDX-License-Identifier: MIT
// Kinematics and surfaces of ARTIST's sample scenarios, read from their files.
#include "scenario/scenario_reader.h"
#include "tests/raytracer/kinematics_support.h"
#include "tests/raytracer/surface_support.h"

#include <algorithm>

using namespace helioray;
using namespace helioray::test;
using Kind = AlignmentIssue::Kind;

namespace {

std::vector<size_t> indices_of(const Scenario& scenario, const nlohmann::json& names) {
    std::vector<size_t> indices;
    for (const nlohmann::json& name : names) {
        indices.push_back(scenario.find_heliostat(name.get<std::string>()).value());
    }
    return indices;
}

at::Tensor default_aim_points(const Scenario& scenario, const std::string& target, int64_t n) {
    const Vec3 aim = default_aim_point(scenario.targets[scenario.find_target(target).value()]);
    return tensor_of({aim[0], aim[1], aim[2]}, {1, 3}).repeat({n, 1});
}

// Compares rows of "index": [2, 4] entries with samples of two mirrors.
void check_samples(const nlohmann::json& entries,
                   const std::vector<std::vector<Vec3>>& samples,
                   double tolerance) {
    for (const auto& [index, rows] : entries.items()) {
        INFO("point " << index);
        REQUIRE(rows.size() == samples.size());
        for (size_t i = 0; i < samples.size(); ++i) {
            REQUIRE(samples[i].size() == 10000);
            CHECK(largest_difference(samples[i][std::stoul(index)], vec3_of(rows[i])) < tolerance);
        }
    }
}

void check_surfaces(const Scenario& scenario, const nlohmann::json& vectors) {
    std::vector<std::vector<Vec3>> points, normals;
    for (const size_t index : indices_of(scenario, vectors["group"])) {
        const std::vector<FacetPoint> samples =
            sample_surface(*scenario.heliostats[index].surface, 50, 50, kArtistGridMargin);
        points.push_back(each(samples, &FacetPoint::point));
        normals.push_back(each(samples, &FacetPoint::normal));
    }
    check_samples(vectors["unaligned_points"], points, 1e-5);
    check_samples(vectors["unaligned_normals"], normals, 1e-5);
}

}  // namespace

TEST_CASE("AA28 of the file stands upright, without deviations and with them") {
    if (artist_data_dir().empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario =
        read_scenario(artist_data_dir() + "/test_scenario_paint_four_heliostats.h5");
    const nlohmann::json group = read_vectors(
        "integration_alignment.json")["test_scenario_paint_mix_ideal_prototype_deflectometry"]
                                     ["groups"][0];
    KinematicsParameters parameters =
        kinematics_parameters(scenario, indices_of(scenario, group["names"]));
    const at::Tensor aim = default_aim_points(scenario, "receiver", 2);
    const at::Tensor incident = json_tensor(group["incident"]).narrow(1, 0, 3);

    const Alignment natural = align_to_aim_points(parameters, incident, aim);
    const Alignment artist =
        align_to_motor_positions(parameters, json_tensor(group["motor_positions"]));
    CHECK(natural.converged.all().item<bool>());
    CHECK(column(natural.orientation, 1).select(1, 2).min().item<double>() > 0);
    CHECK(largest_difference(column(natural.orientation, 0), -column(artist.orientation, 0)) <
          1e-5);
    CHECK(largest_difference(column(natural.orientation, 2), column(artist.orientation, 2)) < 1e-5);
    CHECK(std::all_of(natural.issues.begin(), natural.issues.end(), [](const auto& issue) {
        return issue.kind == Kind::limits_not_meaningful;
    }));
    CHECK(natural.issues.size() == 4);

    parameters.rotations = uniform({2, 4}, -0.02, 0.02, 3);
    const Alignment tilted = align_to_aim_points(parameters, incident, aim);
    CHECK(tilted.converged.all().item<bool>());
    CHECK(column(tilted.orientation, 1).select(1, 2).min().item<double>() > 0);
}

TEST_CASE("Linear heliostats of the file take ARTIST's motor positions") {
    if (artist_data_dir().empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario =
        read_scenario(artist_data_dir() + "/test_scenario_paint_four_heliostats.h5");
    const nlohmann::json group = read_vectors(
        "integration_alignment.json")["test_scenario_paint_mix_ideal_prototype_deflectometry"]
                                     ["groups"][1];
    KinematicsParameters parameters =
        kinematics_parameters(scenario, indices_of(scenario, group["names"]));
    const at::Tensor aim = default_aim_points(scenario, "receiver", 2);
    const at::Tensor incident = json_tensor(group["incident"]).narrow(1, 0, 3);
    const at::Tensor expected = json_tensor(group["motor_positions"]);

    const Alignment stated = align_to_aim_points(parameters, incident, aim);
    CHECK(largest_difference(stated.motor_positions, expected) < 3);
    CHECK(stated.issues.empty());
    parameters.actuators = artist_effective_parameters(parameters.actuators);
    const Alignment effective = align_to_aim_points(parameters, incident, aim);
    CHECK(largest((effective.motor_positions - expected) / expected) < 1e-5);
    CHECK(largest_difference(stated.orientation, effective.orientation) < 1e-13);
}

TEST_CASE("Drive parameters of the file are those ARTIST has after loading") {
    if (artist_data_dir().empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario =
        read_scenario(artist_data_dir() + "/test_scenario_paint_four_heliostats.h5");
    const nlohmann::json vectors = read_vectors("scenario_surfaces.json");
    const ActuatorParameters drives =
        kinematics_parameters(scenario, indices_of(scenario, vectors["group"])).actuators;
    const at::Tensor free = json_tensor(vectors["actuator_optimisable_after_load"]);
    const at::Tensor fixed = json_tensor(vectors["actuator_non_optimisable"]);
    CHECK(largest_difference(drives.initial_angle, free.select(1, 0)) < 1e-6);
    CHECK(largest_difference(drives.initial_stroke, free.select(1, 1)) < 1e-7);
    CHECK(largest_difference(drives.clockwise.to(at::kDouble), fixed.select(1, 1)) == 0);
    CHECK(largest_difference(drives.min_position, fixed.select(1, 2)) == 0);
    CHECK(largest_difference(drives.max_position, fixed.select(1, 3)) == 0);
    CHECK(largest_difference(drives.increment, fixed.select(1, 4)) < 0.01);
    CHECK(largest_difference(drives.offset, fixed.select(1, 5)) < 1e-7);
    CHECK(largest_difference(drives.pivot_radius, fixed.select(1, 6)) < 1e-7);
}

TEST_CASE("Surfaces of the files, fitted and ideal, equal ARTIST's") {
    if (artist_data_dir().empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const nlohmann::json vectors = read_vectors("scenario_surfaces.json");
    check_surfaces(read_scenario(artist_data_dir() + "/test_scenario_paint_four_heliostats.h5"),
                   vectors);
    check_surfaces(
        read_scenario(artist_data_dir() + "/test_scenario_paint_four_heliostats_ideal.h5"),
        vectors["ideal_scenario"]);
}

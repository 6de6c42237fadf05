// SPDX-License-Identifier: MIT
// Kinematics and surfaces of ARTIST's sample scenarios, read from their files.
#include "scenario/reader/scenario_reader.h"
#include "tests/raytracer/tracing/kinematics/kinematics_support.h"
#include "tests/raytracer/tracing/surface/surface_support.h"

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

Vec3 aim_of(const Scenario& scenario, const std::string& target) {
    return default_aim_point(scenario.targets[scenario.find_target(target).value()]);
}

/// The heliostats of a group of vectors with the sun and motor positions of each.
struct Group {
    std::vector<KinematicsRecord> records;
    std::vector<Vec3> incident;
    std::vector<Pair> motors;

    Group(const Scenario& scenario, const nlohmann::json& json)
        : records(kinematics_records(scenario, indices_of(scenario, json["names"]))) {
        for (size_t i = 0; i < records.size(); ++i) {
            incident.push_back(json_numbers<3>(json["incident"][i]));
            motors.push_back(json_numbers<2>(json["motor_positions"][i]));
        }
    }
};

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
    Group group(
        scenario,
        read_vectors(
            "integration_alignment.json")["test_scenario_paint_mix_ideal_prototype_deflectometry"]
                                         ["groups"][0]);
    const std::vector<Vec3> aims(2, aim_of(scenario, "receiver"));

    const Alignment natural = align_to_aim_points(group.records, group.incident, aims);
    const Alignment artist = align_to_motor_positions(group.records, group.motors);
    CHECK(all_converged(natural));
    for (size_t i = 0; i < 2; ++i) {
        const auto &ours = natural.mirrors[i].orientation, &other = artist.mirrors[i].orientation;
        CHECK(column(ours, 1)[2] > 0);
        CHECK(largest_difference(column(ours, 0), negative(column(other, 0))) < 1e-5);
        CHECK(largest_difference(column(ours, 2), column(other, 2)) < 1e-5);
    }
    CHECK(std::all_of(natural.issues.begin(), natural.issues.end(), [](const auto& issue) {
        return issue.kind == Kind::limits_not_meaningful;
    }));
    CHECK(natural.issues.size() == 4);

    const auto rotations = uniform_rows<4>(2, -0.02, 0.02, 3);
    for (size_t i = 0; i < 2; ++i) group.records[i].rotations = rotations[i];
    const Alignment tilted = align_to_aim_points(group.records, group.incident, aims);
    CHECK(all_converged(tilted));
    for (const AlignedMirror& mirror : tilted.mirrors) {
        CHECK(column(mirror.orientation, 1)[2] > 0);
    }
}

TEST_CASE("Linear heliostats of the file take ARTIST's motor positions") {
    if (artist_data_dir().empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario =
        read_scenario(artist_data_dir() + "/test_scenario_paint_four_heliostats.h5");
    Group group(
        scenario,
        read_vectors(
            "integration_alignment.json")["test_scenario_paint_mix_ideal_prototype_deflectometry"]
                                         ["groups"][1]);
    const std::vector<Vec3> aims(2, aim_of(scenario, "receiver"));

    const Alignment stated = align_to_aim_points(group.records, group.incident, aims);
    CHECK(stated.issues.empty());
    for (KinematicsRecord& record : group.records) record.drives = artist_effective(record.drives);
    const Alignment effective = align_to_aim_points(group.records, group.incident, aims);
    for (size_t i = 0; i < 2; ++i) {
        const AlignedMirror &ours = stated.mirrors[i], &same = effective.mirrors[i];
        CHECK(largest_difference(ours.motor_positions, group.motors[i]) < 3);
        for (size_t axis = 0; axis < 2; ++axis) {
            CHECK(std::abs(same.motor_positions[axis] / group.motors[i][axis] - 1) < 1e-5);
        }
        CHECK(largest_difference(ours.orientation, same.orientation) < 1e-13);
    }
}

TEST_CASE("Drive parameters of the file are those ARTIST has after loading") {
    if (artist_data_dir().empty()) HELIORAY_SKIP("HELIORAY_TEST_DATA is not set");
    const Scenario scenario =
        read_scenario(artist_data_dir() + "/test_scenario_paint_four_heliostats.h5");
    const nlohmann::json vectors = read_vectors("scenario_surfaces.json");
    const auto records = kinematics_records(scenario, indices_of(scenario, vectors["group"]));
    REQUIRE(records.size() == vectors["actuator_optimisable_after_load"].size());
    for (size_t i = 0; i < records.size(); ++i) {
        const Drives published = drives_from_rows(vectors["actuator_non_optimisable"][i],
                                                  vectors["actuator_optimisable_after_load"][i]);
        for (size_t axis = 0; axis < 2; ++axis) {
            const DriveRecord &ours = records[i].drives[axis], &theirs = published[axis];
            CHECK(std::abs(ours.initial_angle - theirs.initial_angle) < 1e-6);
            CHECK(std::abs(ours.initial_stroke - theirs.initial_stroke) < 1e-7);
            CHECK(ours.clockwise == theirs.clockwise);
            CHECK(ours.min_position == theirs.min_position);
            CHECK(ours.max_position == theirs.max_position);
            CHECK(std::abs(ours.increment - theirs.increment) < 0.01);
            CHECK(std::abs(ours.offset - theirs.offset) < 1e-7);
            CHECK(std::abs(ours.pivot_radius - theirs.pivot_radius) < 1e-7);
        }
    }
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

// SPDX-License-Identifier: MIT
// Alignment: reflection to the aim point, ARTIST's numbers, limits, the rolled branch and undefined
// cases.
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/kinematics/kinematics_support.h"
#include "tests/support/golden_messages.h"

#include <limits>
#include <numbers>
#include <stdexcept>

using namespace helioray;
using namespace helioray::test;
using Kind = AlignmentIssue::Kind;

namespace {

// Distance by which light reflected at the mirror's origin passes its aim point. Metres.
double miss(const AlignedMirror& mirror, const Vec3& incident, const Vec3& aim) {
    const Vec3 normal = column(mirror.orientation, 2), d = normalized(incident);
    const Vec3 reflected = add_scaled(d, -2 * dot(d, normal), normal);
    const Vec3 way = subtract(aim, column(mirror.orientation, 3));
    CHECK(dot(reflected, way) > 0);
    return norm(cross(reflected, way));
}

bool is_within(const AlignedMirror& mirror) {
    return mirror.within_limits[0] && mirror.within_limits[1];
}

// AA39 as the vectors have it, with its limits.
KinematicsRecord aa39() {
    const nlohmann::json vectors = read_vectors("kinematics.json")["linear_AA39_nominal"];
    const nlohmann::json drives = read_vectors("actuators.json")["linear"];
    KinematicsRecord record;
    record.position = json_numbers<3>(vectors["position"]);
    record.translations = json_numbers<9>(vectors["translation_deviations"]);
    record.drives = drives_from_rows(drives["non_optimisable"], drives["optimisable"]);
    return record;
}

// ARTIST's AA28: ideal drives with limits in motor steps.
KinematicsRecord aa28() {
    KinematicsRecord record;
    record.drives = ideal_drives(0, 0);
    record.drives[0].max_position = 68618;
    record.drives[1].max_position = 76074;
    record.position = {-35.10509, 24.987022, 1.6200485};
    record.translations = {0, 0, 0, 0, 0, 0, 0, 0.175, 0};
    return record;
}

// Aim point of the receiver of ARTIST's sample scenarios.
constexpr Vec3 kReceiverAim{
    -0.0031457543, -3.7550399 + 4.14 * 0.9063078, 56.743324 - 4.14 * 0.42261827};

size_t count(const Alignment& alignment, Kind kind) {
    size_t n = 0;
    for (const AlignmentIssue& issue : alignment.issues) n += issue.kind == kind;
    return n;
}

void check_equal(const AlignedMirror& a, const AlignedMirror& b) {
    CHECK(a.orientation == b.orientation);
    CHECK(a.joint_angles == b.joint_angles);
    CHECK(a.motor_positions == b.motor_positions);
    CHECK(a.within_limits == b.within_limits);
    CHECK(a.converged == b.converged);
}

// Suns around the south, one for each heliostat.
std::vector<Vec3> scattered_suns(size_t n) {
    std::vector<Vec3> suns = uniform_rows<3>(n, -0.4, 0.4, 4);
    for (Vec3& sun : suns) sun = add(sun, {0, 0.7, -0.7});
    return suns;
}

}  // namespace

TEST_CASE("Aimed mirrors reflect the sun from their origin to the aim point") {
    constexpr size_t kCount = 200;
    for (const Drives& drives :
         {linear_drives(), ideal_drives(-std::numbers::pi, std::numbers::pi)}) {
        const auto records = rigid_bodies(kCount, drives, 0.4, 0.03);
        const std::vector<Vec3> aims = scattered_aims(kCount);
        const Vec3 incident{0.3, 1.5, -1.2};
        const Alignment alignment = align_to_aim_points(records, {&incident, 1}, aims);
        CHECK(all_converged(alignment));
        for (size_t i = 0; i < kCount; ++i) {
            const AlignedMirror& mirror = alignment.mirrors[i];
            CHECK(miss(mirror, incident, aims[i]) < 1e-9);

            // Orientation and motor positions agree.
            const AlignedMirror again = align_one(records[i], mirror.motor_positions).mirrors[0];
            CHECK(largest_difference(again.orientation, mirror.orientation) < 1e-10);
            CHECK(largest_difference(again.joint_angles, mirror.joint_angles) < 1e-10);

            // Orientations are rotations.
            for (size_t a = 0; a < 3; ++a) {
                for (size_t b = 0; b < 3; ++b) {
                    const double product =
                        dot(column(mirror.orientation, a), column(mirror.orientation, b));
                    CHECK(std::abs(product - (a == b ? 1.0 : 0.0)) < 1e-14);
                }
            }
        }
    }
}

TEST_CASE("Every heliostat may have its own sun") {
    const auto records = rigid_bodies(30, linear_drives(), 0.4, 0.03);
    const std::vector<Vec3> aims = scattered_aims(30), suns = scattered_suns(30);
    const Alignment together = align_to_aim_points(records, suns, aims);
    for (size_t i = 0; i < 30; ++i) CHECK(miss(together.mirrors[i], suns[i], aims[i]) < 1e-9);
}

TEST_CASE("No bit depends on the other heliostats, their order or the number of threads") {
    constexpr size_t kCount = 2100;
    auto records = rigid_bodies(kCount, linear_drives(), 0.2, 0);
    for (size_t i = 0; i < kCount; ++i) {
        for (DriveRecord& drive : records[i].drives) {
            drive.is_linear = i % 3 != 0;
            drive.max_position = 40000;
        }
        if (i % 3 == 0) records[i].type = KinematicsType::azimuth_elevation;
    }
    const std::vector<Vec3> aims = scattered_aims(kCount), suns = scattered_suns(kCount);
    const Alignment together = align_to_aim_points(records, suns, aims);
    for (size_t i = 0; i < kCount; ++i) {
        CHECK(miss(together.mirrors[i], suns[i], aims[i]) < 1e-9);
    }

    for (const std::vector<size_t>& rows : std::vector<std::vector<size_t>>{
             {3, 2099, 17}, {1000, 999, 998, 997, 996, 1, 0}, {2098}}) {
        std::vector<KinematicsRecord> few;
        std::vector<Vec3> few_suns, few_aims;
        for (const size_t row : rows) {
            few.push_back(records[row]);
            few_suns.push_back(suns[row]);
            few_aims.push_back(aims[row]);
        }
        const Alignment alone = align_to_aim_points(few, few_suns, few_aims);
        for (size_t i = 0; i < rows.size(); ++i) {
            check_equal(alone.mirrors[i], together.mirrors[rows[i]]);
        }
    }
    for (const int threads : {0, 2, 3, 16}) {
        const Alignment other = align_to_aim_points(records, suns, aims, threads);
        for (size_t i = 0; i < kCount; ++i) check_equal(other.mirrors[i], together.mirrors[i]);
        REQUIRE(other.issues.size() == together.issues.size());
        for (size_t i = 0; i < other.issues.size(); ++i) {
            CHECK(other.issues[i].heliostat == together.issues[i].heliostat);
            CHECK(other.issues[i].message == together.issues[i].message);
        }
    }

    // Issues keep their heliostat's number: exactly the drives beyond their limits are named.
    std::vector<size_t> named, outside;
    for (const AlignmentIssue& issue : together.issues) {
        if (issue.kind == Kind::limits_not_meaningful) continue;
        named.push_back(2 * issue.heliostat + static_cast<size_t>(issue.axis) - 1);
    }
    for (size_t i = 0; i < 2 * kCount; ++i) {
        if (!together.mirrors[i / 2].within_limits[i % 2]) outside.push_back(i);
    }
    REQUIRE(!named.empty());
    CHECK(named == outside);
}

TEST_CASE("An empty batch is aligned") {
    const Vec3 incident{0, 1, 0};
    const Alignment aimed = align_to_aim_points({}, {&incident, 1}, {}, 4);
    CHECK(aimed.mirrors.empty());
    CHECK(aimed.issues.empty());
    CHECK(align_to_motor_positions({}, {}).issues.empty());
}

TEST_CASE("Alignments with ARTIST's effective parameters equal ARTIST's") {
    const nlohmann::json vectors = read_vectors("kinematics.json");
    for (const char* name : {"linear_AA39_nominal", "linear_AA39_with_deviations"}) {
        KinematicsRecord stated = aa39();
        stated.translations = json_numbers<9>(vectors[name]["translation_deviations"]);
        stated.rotations = json_numbers<4>(vectors[name]["rotation_deviations"]);
        KinematicsRecord effective = stated;
        effective.drives = artist_effective(stated.drives);
        for (const nlohmann::json& entry : vectors[name]["inverse"]) {
            INFO(name << " incident " << entry["incident"]);
            const Vec3 incident = json_numbers<3>(entry["incident"]);
            const Vec3 aim = json_numbers<3>(entry["aim_point"]);
            const Pair motors = json_numbers<2>(entry["motor_positions"]);

            const AlignedMirror same = align_one(effective, incident, aim).mirrors[0];
            CHECK(largest_difference(same.orientation, json_matrix(entry["orientation"])) < 1e-5);
            for (size_t axis = 0; axis < 2; ++axis) {
                CHECK(std::abs(same.motor_positions[axis] / motors[axis] - 1) < 1e-5);
            }
            // The drive's parameters change the motor positions a little, the orientation not at
            // all.
            const AlignedMirror ours = align_one(stated, incident, aim).mirrors[0];
            CHECK(largest_difference(ours.orientation, same.orientation) < 1e-13);
            CHECK(largest_difference(ours.motor_positions, motors) < 3);
        }
    }
}

TEST_CASE("Positions outside the limits are named and used all the same") {
    const nlohmann::json group = read_vectors(
        "integration_alignment.json")["test_scenario_paint_single_heliostat"]["groups"][0];
    KinematicsRecord record = aa39();
    record.drives = artist_effective(record.drives);
    for (size_t i = 0; i < 4; ++i) {
        const Vec3 incident = json_numbers<3>(group["incident"][i]);
        const Alignment alignment = align_one(record, incident, kReceiverAim);
        const AlignedMirror& mirror = alignment.mirrors[0];
        const Pair expected = json_numbers<2>(group["motor_positions"][i]);
        CHECK(miss(mirror, incident, kReceiverAim) < 1e-9);
        if (i != 2) {
            for (size_t axis = 0; axis < 2; ++axis) {
                CHECK(std::abs(mirror.motor_positions[axis] / expected[axis] - 1) < 2e-5);
            }
            CHECK(alignment.issues.empty());
            CHECK(is_within(mirror));
            continue;
        }
        // ARTIST turns to its second branch here, which the drives cannot reach, and misses the
        // target altogether; the natural branch is 164 steps beyond one limit.
        CHECK(group["on_target"][i] == 0.0);
        const AlignedMirror artist = align_one(record, expected).mirrors[0];
        CHECK(largest_difference(artist.orientation, mirror.orientation) > 0.1);
        CHECK(column(mirror.orientation, 1)[2] > 0);

        REQUIRE(alignment.issues.size() == 1);
        CHECK(mirror.within_limits[0]);
        CHECK_FALSE(mirror.within_limits[1]);
        const AlignmentIssue& issue = alignment.issues[0];
        CHECK(issue.kind == Kind::outside_limits);
        CHECK(issue.heliostat == 0);
        CHECK(issue.axis == 2);
        CHECK(issue.motor_position == mirror.motor_positions[1]);
        CHECK(issue.max_position == 75308);
        CHECK(issue.message == "motor position 75472 of axis 2 lies outside [0, 75308]");
    }
}

TEST_CASE("Ideal drives with limits in motor steps do not roll the mirror") {
    const nlohmann::json group = read_vectors(
        "integration_alignment.json")["test_scenario_paint_mix_ideal_prototype_deflectometry"]
                                     ["groups"][0];
    const Pair rolled = json_numbers<2>(group["motor_positions"][0]);
    const KinematicsRecord record = aa28();
    const Vec3 incident{0, 1, 0};
    const Alignment alignment = align_one(record, incident, kReceiverAim);
    const AlignedMirror& natural = alignment.mirrors[0];
    CHECK(miss(natural, incident, kReceiverAim) < 1e-9);

    // ARTIST's positions point the same way, upside down.
    const AlignedMirror artist = align_one(record, rolled).mirrors[0];
    for (const size_t axis : {0, 1}) {
        CHECK(largest_difference(column(artist.orientation, axis),
                                 negative(column(natural.orientation, axis))) < 1e-5);
    }
    CHECK(largest_difference(column(artist.orientation, 2), column(natural.orientation, 2)) < 1e-5);
    CHECK(column(natural.orientation, 1)[2] > 0);
    CHECK(natural.motor_positions[0] < 0);

    // Not silent: the limits were not applied.
    REQUIRE(alignment.issues.size() == 2);
    CHECK(count(alignment, Kind::limits_not_meaningful) == 2);
    CHECK(is_within(natural));
    test::check_message("alignment",
                        "limits that are not angles",
                        alignment.issues[0].message,
                        {"[0, 68618]", "axis 1", "not applied"});
}

TEST_CASE("The published alignments of an ideal heliostat, mirror upright") {
    const nlohmann::json vectors = read_vectors("kinematics.json");
    for (const char* name : {"ideal_limits_0_60000", "ideal_limits_minus_pi_pi"}) {
        const bool angles = std::string(name) == "ideal_limits_minus_pi_pi";
        KinematicsRecord record;
        record.drives =
            angles ? ideal_drives(-std::numbers::pi, std::numbers::pi) : ideal_drives(0, 60000);
        record.position = {0, 5, 0};
        for (size_t i = 0; i < vectors[name]["inverse"].size(); ++i) {
            const nlohmann::json& entry = vectors[name]["inverse"][i];
            const nlohmann::json& upright = vectors["ideal_limits_minus_pi_pi"]["inverse"][i];
            const Alignment alignment = align_one(
                record, json_numbers<3>(entry["incident"]), json_numbers<3>(entry["aim_point"]));
            const AlignedMirror& mirror = alignment.mirrors[0];
            CHECK(largest_difference(mirror.orientation, json_matrix(upright["orientation"])) <
                  1e-5);
            CHECK(largest_difference(mirror.motor_positions,
                                     json_numbers<2>(upright["motor_positions"])) < 1e-5);
            CHECK(alignment.issues.size() == (angles ? 0 : 2));
        }
    }
}

TEST_CASE("Limits in radians that admit only the rolled mirror are obeyed") {
    KinematicsRecord record = aa28();
    record.translations = {0.01, -0.02, 0.03, 0.02, 0.01, 0.3, 0.05, 0.175, 0.1};
    record.drives = ideal_drives(2, 3);
    const Vec3 incident{0, 1, 0};
    const Alignment alignment = align_one(record, incident, kReceiverAim);
    CHECK(alignment.issues.empty());
    CHECK(is_within(alignment.mirrors[0]));
    CHECK(column(alignment.mirrors[0].orientation, 1)[2] < 0);
    CHECK(miss(alignment.mirrors[0], incident, kReceiverAim) < 1e-9);

    // Limits that admit neither keep the natural one and say so.
    record.drives = ideal_drives(1, 1.1);
    const Alignment neither = align_one(record, incident, kReceiverAim);
    CHECK(column(neither.mirrors[0].orientation, 1)[2] > 0);
    CHECK(count(neither, Kind::outside_limits) == 2);
}

TEST_CASE("Joint angles beyond the drive's triangle hold the mirror at its end") {
    // The sun in the north, the tower too: the mirror would have to turn its back.
    const KinematicsRecord record = aa39();
    const Alignment alignment = align_one(record, Vec3{0, -1, -0.1}, {0, 200, 5});
    const AlignedMirror& mirror = alignment.mirrors[0];
    CHECK(count(alignment, Kind::unreachable_angle) >= 1);
    CHECK(count(alignment, Kind::not_converged) == 0);
    CHECK_FALSE(mirror.converged);
    CHECK_FALSE(is_within(mirror));
    CHECK_THAT(alignment.issues[0].message,
               ContainsSubstring("no motor position of axis 1 gives the joint angle"));
    const AlignedMirror again = align_one(record, mirror.motor_positions).mirrors[0];
    CHECK(largest_difference(again.orientation, mirror.orientation) < 1e-6);
    for (const double number : mirror.orientation) CHECK(std::isfinite(number));
}

TEST_CASE("Motor positions beyond the drive's reach are named") {
    const Alignment alignment = align_one(aa39(), Pair{100000, 30000});
    REQUIRE(alignment.issues.size() == 1);
    CHECK(alignment.issues[0].kind == Kind::unreachable_stroke);
    test::check_message("alignment",
                        "a motor position beyond the drive",
                        alignment.issues[0].message,
                        {"motor position 100000", "axis 1", "reach"});
    const Alignment outside = align_one(aa39(), Pair{70000, 30000});
    REQUIRE(outside.issues.size() == 1);
    CHECK(outside.issues[0].kind == Kind::outside_limits);
    CHECK(outside.mirrors[0].converged);
}

TEST_CASE("Cases without a mirror normal are reported for their heliostat only") {
    const auto records = rigid_bodies(3, ideal_drives(-std::numbers::pi, std::numbers::pi), 0, 0);
    const Vec3 incident{0, 0.8, -0.6};
    const std::vector<Vec3> aims{
        records[0].position,  // at the mirror itself
        {0, 0, 50},
        add_scaled(records[2].position, 30, incident),  // straight on
    };
    const Alignment alignment = align_to_aim_points(records, {&incident, 1}, aims);
    REQUIRE(alignment.issues.size() == 2);
    CHECK(alignment.issues[0].kind == Kind::undefined_normal);
    CHECK(alignment.issues[0].heliostat == 0);
    CHECK(alignment.issues[0].axis == 0);
    CHECK(alignment.issues[1].kind == Kind::undefined_normal);
    CHECK(alignment.issues[1].heliostat == 2);
    CHECK(alignment.mirrors[1].converged);
    CHECK_FALSE(alignment.mirrors[0].converged);
    for (const AlignedMirror& mirror : alignment.mirrors) {
        for (const double number : mirror.orientation) CHECK(std::isfinite(number));
    }
}

TEST_CASE("An aim point within reach of the moving mirror may have no consistent alignment") {
    KinematicsRecord record = rigid_bodies(1, ideal_drives(-7, 7), 0, 0)[0];
    record.translations = {0, 0, 0, 0, 0, 0, 0, -3, 0};
    const Alignment alignment =
        align_one(record, Vec3{0, 1, -1}, add(record.position, {0.5, -1.0, 1.0}));
    CHECK_FALSE(alignment.mirrors[0].converged);
    CHECK(count(alignment, Kind::not_converged) == 1);
}

TEST_CASE("Inputs without meaning are refused") {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const auto records = rigid_bodies(2, ideal_drives(-7, 7), 0, 0);
    const std::vector<Vec3> aims(2, Vec3{0, 0, 50}), nowhere(2, Vec3{0, INFINITY, 0});
    const Vec3 sun{0, 1, 0}, none{0, 0, 0}, bad{0, kNan, 0};
    CHECK_THROWS_AS(align_to_aim_points(records, {&none, 1}, aims), InputError);
    CHECK_THROWS_AS(align_to_aim_points(records, {&bad, 1}, aims), InputError);
    CHECK_THROWS_AS(align_to_aim_points(records, {&sun, 1}, nowhere), InputError);
    CHECK_THROWS_AS(align_to_aim_points(records, {&sun, 1}, std::span(aims).first(1)),
                    std::invalid_argument);
    CHECK_THROWS_AS(align_to_aim_points(records, std::vector<Vec3>(3, sun), aims),
                    std::invalid_argument);
    const std::vector<Pair> motors{{kNan, 0}, {0, 0}};
    CHECK_THROWS_AS(align_to_motor_positions(records, motors), InputError);
    const Alignment alignment = align_to_aim_points(records, {&sun, 1}, aims);
    CHECK_THROWS_AS(with_axis_errors(records, alignment, motors), InputError);
}

TEST_CASE("Axis errors turn the mirror and leave the motors where they are") {
    const auto records = rigid_bodies(3, linear_drives(), 0.2, 0.01);
    const Vec3 incident{0, 1, -0.5};
    const std::vector<Vec3> aims(3, Vec3{0, 0, 50});
    const Alignment alignment = align_to_aim_points(records, {&incident, 1}, aims);
    const std::vector<Pair> errors{{0, 0}, {0.002, 0}, {0, -0.001}};
    const Alignment disturbed = with_axis_errors(records, alignment, errors);
    std::vector<double> turned;
    for (size_t i = 0; i < 3; ++i) {
        const AlignedMirror &now = disturbed.mirrors[i], &before = alignment.mirrors[i];
        CHECK(now.motor_positions == before.motor_positions);
        CHECK(now.within_limits == before.within_limits);
        for (size_t axis = 0; axis < 2; ++axis) {
            CHECK(now.joint_angles[axis] == before.joint_angles[axis] + errors[i][axis]);
        }
        const double cosine = dot(column(now.orientation, 2), column(before.orientation, 2));
        turned.push_back(std::acos(std::clamp(cosine, -1.0, 1.0)));
    }
    CHECK(turned[0] < 1e-7);
    CHECK(turned[1] <= 0.002 * (1 + 1e-6));
    CHECK(turned[1] > 0.001);
    // The normal lies in the plane that axis 2 turns, up to its tilts.
    CHECK(turned[2] == Approx(0.001).epsilon(1e-2));
}

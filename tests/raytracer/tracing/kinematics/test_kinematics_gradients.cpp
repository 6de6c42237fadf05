// SPDX-License-Identifier: MIT
// Jacobians of alignments: the derivative of every result by every input against central
// differences.
#include "raytracer/tracing/kinematics/pose.h"
#include "tests/raytracer/tracing/kinematics/kinematics_support.h"

#include <numbers>
#include <string>

using namespace helioray;
using namespace helioray::test;

namespace {

// Orientation, joint angles and motor positions, one after the other.
using Results = std::array<double, 16>;

Results results_of(const AlignedMirror& mirror) {
    Results results;
    std::copy_n(mirror.orientation.begin(), 12, results.begin());
    for (size_t axis = 0; axis < 2; ++axis) {
        results[12 + axis] = mirror.joint_angles[axis];
        results[14 + axis] = mirror.motor_positions[axis];
    }
    return results;
}

template <size_t N>
std::array<std::array<double, N>, 16> rows_of(const PoseJacobian<N>& jacobian) {
    std::array<std::array<double, N>, 16> rows;
    std::copy_n(jacobian.orientation.begin(), 12, rows.begin());
    for (size_t axis = 0; axis < 2; ++axis) {
        rows[12 + axis] = jacobian.joint_angles[axis];
        rows[14 + axis] = jacobian.motor_positions[axis];
    }
    return rows;
}

template <size_t Size, size_t N>
std::array<double, Size> part(const std::array<double, N>& x, size_t first) {
    std::array<double, Size> result;
    std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(first), Size, result.begin());
    return result;
}

template <size_t N, size_t Size>
void put(std::array<double, N>& x, size_t first, const std::array<double, Size>& numbers) {
    std::copy(numbers.begin(), numbers.end(), x.begin() + static_cast<std::ptrdiff_t>(first));
}

// The numbers of a record, in their columns, and back.
template <size_t N>
void put_record(std::array<double, N>& x, const KinematicsRecord& record) {
    put(x, RecordColumns::position, record.position);
    put(x, RecordColumns::translations, record.translations);
    put(x, RecordColumns::rotations, record.rotations);
    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord& d = record.drives[axis];
        put(x,
            RecordColumns::drives + 5 * axis,
            std::array{d.increment, d.offset, d.pivot_radius, d.initial_stroke, d.initial_angle});
    }
}

template <size_t N>
KinematicsRecord record_with(const KinematicsRecord& record, const std::array<double, N>& x) {
    return converted_record<double>(record, [&](size_t column, double) { return x[column]; });
}

template <size_t N, typename Function>
void check_jacobian(const PoseJacobian<N>& jacobian,
                    const Function& f,
                    const std::array<double, N>& x) {
    const auto found = rows_of(jacobian);
    // Each result has its own scale: directions, metres, radians, steps.
    const size_t groups[16] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 2, 2, 3, 3};
    for (size_t which = 0; which < N; ++which) {
        const Results expected = central_difference(f, x, which, 1e-6);
        double scale[4] = {};
        for (size_t i = 0; i < 16; ++i) {
            scale[groups[i]] = std::max(scale[groups[i]], std::abs(expected[i]));
        }
        for (size_t i = 0; i < 16; ++i) {
            INFO("result " << i << " by column " << which << ": " << found[i][which]
                           << ", difference " << expected[i]);
            const double rounding = i < 14 ? 2e-8 : 1e-2;  // of differences of metres and steps
            CHECK(std::abs(found[i][which] - expected[i]) <= 1e-6 * scale[groups[i]] + rounding);
        }
    }
}

void check_aim_jacobian(const KinematicsRecord& record,
                        const Vec3& incident,
                        const Vec3& aim,
                        const Pair& errors = {}) {
    using Columns = AimColumns;
    std::array<double, Columns::count> x;
    put_record(x, record);
    put(x, Columns::axis_errors, errors);
    put(x, Columns::incident_direction, incident);
    put(x, Columns::aim_point, aim);
    const auto results = [&](const std::array<double, Columns::count>& v) {
        const KinematicsRecord moved = record_with(record, v);
        const auto error = part<2>(v, Columns::axis_errors);
        return results_of(with_axis_errors({&moved, 1},
                                           align_one(moved,
                                                     part<3>(v, Columns::incident_direction),
                                                     part<3>(v, Columns::aim_point)),
                                           {&error, 1})
                              .mirrors[0]);
    };
    REQUIRE(align_one(record, incident, aim).mirrors[0].converged);
    check_jacobian(aim_jacobian(record, incident, aim, errors), results, x);
}

void check_motor_jacobian(const KinematicsRecord& record,
                          const Pair& motors,
                          const Pair& errors = {}) {
    using Columns = MotorColumns;
    std::array<double, Columns::count> x;
    put_record(x, record);
    put(x, Columns::axis_errors, errors);
    put(x, Columns::motor_positions, motors);
    const auto results = [&](const std::array<double, Columns::count>& v) {
        const KinematicsRecord moved = record_with(record, v);
        const auto error = part<2>(v, Columns::axis_errors);
        return results_of(with_axis_errors({&moved, 1},
                                           align_one(moved, part<2>(v, Columns::motor_positions)),
                                           {&error, 1})
                              .mirrors[0]);
    };
    check_jacobian(motor_jacobian(record, motors, errors), results, x);
}

std::vector<KinematicsRecord> towers(size_t n, const Drives& drives) {
    auto records = rigid_bodies(n, drives, 0.3, 0);
    for (KinematicsRecord& record : records) {
        record.type = KinematicsType::azimuth_elevation;
        // They have the concentrator's translation alone.
        std::fill_n(record.translations.begin(), 6, 0.0);
    }
    return records;
}

const Vec3 kAims[] = {{1, -2, 30}, {-1, 0, 25}};
const Vec3 kIncident{0.2, 0.7, -0.6};

}  // namespace

TEST_CASE("Jacobians of aimed rigid bodies are those of central differences") {
    for (const Drives& drives :
         {linear_drives(), ideal_drives(-std::numbers::pi, std::numbers::pi)}) {
        const auto records = rigid_bodies(2, drives, 0.3, 0.02);
        for (size_t i = 0; i < 2; ++i) {
            check_aim_jacobian(records[i], kIncident, kAims[i]);
            check_aim_jacobian(records[i], kIncident, kAims[i], {2e-3, -1e-3});
        }
    }
}

TEST_CASE("Jacobians of rolled mirrors are those of central differences") {
    KinematicsRecord record = rigid_bodies(1, ideal_drives(1.5, 4), 0.3, 0.02)[0];
    record.position = {-35, 25, 1.6};
    const Alignment alignment = align_one(record, Vec3{0, 1, 0}, {0, 0, 55});
    REQUIRE(column(alignment.mirrors[0].orientation, 1)[2] < 0);
    check_aim_jacobian(record, {0, 1, 0}, {0, 0, 55});
}

TEST_CASE("Jacobians of aimed azimuth-elevation mirrors are those of central differences") {
    const auto records = towers(2, ideal_drives(-7, 7));
    for (size_t i = 0; i < 2; ++i) {
        check_aim_jacobian(records[i], {0.3, 0.6, -0.7}, kAims[i]);
        check_aim_jacobian(
            towers(2, ideal_drives(0, 2 * std::numbers::pi))[i], {0.3, 0.6, -0.7}, kAims[i]);
    }
}

TEST_CASE("Jacobians are exact for aim points near the mirror") {
    // Where the origin moves by a third of what the aim point does, passes of an iteration would
    // still carry an error.
    KinematicsRecord record =
        rigid_bodies(1, ideal_drives(-std::numbers::pi, std::numbers::pi), 0.3, 0.02)[0];
    record.translations[7] = 0.8;
    const Vec3& p = record.position;
    check_aim_jacobian(record, {0.2, 0.7, -0.6}, {p[0] + 0.4, p[1] - 2.4, p[2] + 0.5});
}

TEST_CASE("The drive does not change where an aimed mirror points") {
    const KinematicsRecord record = rigid_bodies(1, linear_drives(), 0.3, 0.02)[0];
    const auto jacobian = aim_jacobian(record, kIncident, kAims[0]);
    for (size_t column = AimColumns::drives; column < AimColumns::axis_errors; ++column) {
        for (const auto& row : jacobian.orientation) CHECK(row[column] == 0);
        for (const auto& row : jacobian.joint_angles) CHECK(row[column] == 0);
        CHECK(jacobian.motor_positions[column < AimColumns::drives + 5 ? 0 : 1][column] != 0);
    }
}

TEST_CASE("Jacobians of given motor positions are those of central differences") {
    const auto motors = uniform_rows<2>(2, 10000, 60000, 3);
    const auto errors = uniform_rows<2>(2, -0.002, 0.002, 4);
    const auto linear = rigid_bodies(2, linear_drives(), 0.3, 0.02);
    for (size_t i = 0; i < 2; ++i) {
        check_motor_jacobian(linear[i], motors[i], errors[i]);
        check_motor_jacobian(rigid_bodies(2, ideal_drives(-7, 7), 0.3, 0.02)[i], {0.3, -0.8});
        check_motor_jacobian(towers(2, ideal_drives(-7, 7))[i], {2.5, 0.6}, errors[i]);
        check_motor_jacobian(towers(2, linear_drives())[i], motors[i]);
    }
}

TEST_CASE("Jacobians are complete where the first guess is already the answer") {
    // A mirror that faces the sun and its aim point due south at joint angles zero, and is
    // displaced from its pivot.
    KinematicsRecord record = rigid_bodies(1, ideal_drives(-3, 3), 0, 0)[0];
    record.position = {0, 5, 0};
    record.translations = {0, 0, 0, 0, 0, 0, 0, 0.4, 0};
    const Vec3 sun{0, 1, 0}, aim{0, -3, 0};
    const Pair angles = align_one(record, sun, aim).mirrors[0].joint_angles;
    CHECK(largest_difference(angles, {0, 0}) < 1e-15);
    check_aim_jacobian(record, sun, aim);
}

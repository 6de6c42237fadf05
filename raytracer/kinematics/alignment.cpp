// SPDX-License-Identifier: MIT
// Alignment of batches: every heliostat by itself, shared between threads.
#include "raytracer/kinematics/alignment.h"

#include "raytracer/kinematics/alignment_issues.h"
#include "raytracer/kinematics/pose.h"
#include "raytracer/parallel_for.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace helioray {

namespace {

constexpr double kPointingTolerance = 1e-9;  // of the components of the unit normal
// A third of a millisecond of work, several times what starting a thread costs.
constexpr size_t kHeliostatsPerShare = 256;

template <size_t N>
void check_finite(const char* name, std::span<const std::array<double, N>> inputs) {
    for (const std::array<double, N>& input : inputs) {
        if (std::all_of(input.begin(), input.end(), [](double x) { return std::isfinite(x); })) {
            continue;
        }
        throw InputError(
            {name, "holds a value that is not finite", "mirrors cannot be aligned", ""});
    }
}

void check_count(const char* name, size_t found, size_t wanted) {
    if (found == wanted) return;
    throw std::invalid_argument(
        fmt::format("{} must be given for {} heliostats, found {}", name, wanted, found));
}

// Calls work(i) for every heliostat.
template <typename Work>
void for_each_heliostat(size_t count, int num_threads, const Work& work) {
    const int most = num_threads > 0
                         ? num_threads
                         : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    parallel_shares(count, kHeliostatsPerShare, most, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) work(i);
    });
}

// Aligns all with align(i, mirror, marks) and collects what there is to say, in order.
template <typename Align>
Alignment align_all(std::span<const KinematicsRecord> records,
                    int num_threads,
                    const Align& align) {
    Alignment result;
    result.mirrors.resize(records.size());
    std::vector<AlignmentMarks> marks(records.size());
    for_each_heliostat(
        records.size(), num_threads, [&](size_t i) { align(i, result.mirrors[i], marks[i]); });
    for (size_t i = 0; i < records.size(); ++i) {
        append_issues(i, records[i], result.mirrors[i], marks[i], result.issues);
    }
    return result;
}

void set_pose(AlignedMirror& mirror, const Pose<double>& pose) {
    mirror.orientation = pose.mirror.matrix();
    mirror.joint_angles = pose.joint_angles;
    mirror.motor_positions = pose.motor_positions;
}

void aim(const KinematicsRecord& record,
         const Vec3& incident_direction,
         const Vec3& aim_point,
         AlignedMirror& mirror,
         AlignmentMarks& marks) {
    const LightPath<double> path{to_sun(incident_direction).vector, aim_point};
    const Pointing pointing = point_mirror(record, path);
    const Joints<double> joints(record);
    const Pose<double> pose =
        turned_pose(joints, pointing.held_angles, pointing.motor_positions, {});
    set_pose(mirror, pose);
    mirror.within_limits = pointing.within_limits;

    // The verdict: does the mirror reflect the light to its aim point?
    const UnitVector<double> normal = bisector(path, pose.mirror.origin);
    mirror.converged = normal.valid;
    for (size_t i = 0; i < 3; ++i) {
        const double error = std::abs(normal.vector[i] - pose.mirror.u[i]);
        mirror.converged = mirror.converged && error <= kPointingTolerance;
    }

    marks.reachable_angle = pointing.reachable_angle;
    marks.reachable_normal = pointing.reachable_normal;
    marks.defined_normal = normal.valid;
    marks.requested_angles = pointing.joint_angles;
}

void turn(const KinematicsRecord& record,
          const std::array<double, 2>& motor_positions,
          AlignedMirror& mirror,
          AlignmentMarks& marks) {
    set_pose(mirror, motor_pose<double>({record, motor_positions, {}}));
    mirror.converged = true;
    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord& drive = record.drives[axis];
        marks.reachable_stroke[axis] =
            joint_angle_from_motor_position(drive, motor_positions[axis]).reachable;
        mirror.within_limits[axis] =
            marks.reachable_stroke[axis] && within_motor_limits(drive, motor_positions[axis]);
    }
}

}  // namespace

Alignment align_to_aim_points(std::span<const KinematicsRecord> records,
                              std::span<const Vec3> incident_directions,
                              std::span<const Vec3> aim_points,
                              int num_threads) {
    const bool shared = incident_directions.size() == 1;
    if (!shared) check_count("incident directions", incident_directions.size(), records.size());
    check_count("aim points", aim_points.size(), records.size());
    check_finite("incident direction", incident_directions);
    check_finite("aim points", aim_points);
    for (const Vec3& direction : incident_directions) {
        if (to_sun(direction).valid) continue;
        throw InputError({"incident direction",
                          "a direction has no length",
                          "it says where sunlight goes",
                          "give a vector such as [0, 0.7, -0.7]"});
    }
    return align_all(
        records, num_threads, [&](size_t i, AlignedMirror& mirror, AlignmentMarks& marks) {
            aim(records[i], incident_directions[shared ? 0 : i], aim_points[i], mirror, marks);
        });
}

Alignment align_to_motor_positions(std::span<const KinematicsRecord> records,
                                   std::span<const std::array<double, 2>> motor_positions,
                                   int num_threads) {
    check_count("motor positions", motor_positions.size(), records.size());
    check_finite("motor positions", motor_positions);
    return align_all(
        records, num_threads, [&](size_t i, AlignedMirror& mirror, AlignmentMarks& marks) {
            turn(records[i], motor_positions[i], mirror, marks);
        });
}

Alignment with_axis_errors(std::span<const KinematicsRecord> records,
                           Alignment alignment,
                           std::span<const std::array<double, 2>> errors,
                           int num_threads) {
    check_count("mirrors", alignment.mirrors.size(), records.size());
    check_count("axis errors", errors.size(), records.size());
    check_finite("axis errors", errors);
    for_each_heliostat(records.size(), num_threads, [&](size_t i) {
        AlignedMirror& mirror = alignment.mirrors[i];
        const Joints<double> joints(records[i]);
        set_pose(mirror,
                 turned_pose(joints, mirror.joint_angles, mirror.motor_positions, errors[i]));
    });
    return alignment;
}

}  // namespace helioray

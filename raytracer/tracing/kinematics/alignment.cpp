// SPDX-License-Identifier: MIT
// Aligns batches of heliostats; each heliostat is computed separately, in several threads.
#include "raytracer/tracing/kinematics/alignment.h"

#include "kernels/host/parallel_for.h"
#include "kernels/host/processor_cores.h"
#include "raytracer/tracing/kinematics/drives.h"
#include "raytracer/tracing/kinematics/pose.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace helioray {

namespace {

using Kind = AlignmentIssue::Kind;

/// Findings about one heliostat from which its issues follow; the defaults report no issue. Arrays
/// hold axis 1 and axis 2.
struct AlignmentMarks {
    std::array<bool, 2> reachable_angle{true, true};  ///< aiming: a stroke gives the joint angle
    /// Motor positions given: the drive's triangle closes.
    std::array<bool, 2> reachable_stroke{true, true};
    bool reachable_normal = true;  ///< joint angles exist that point the mirror along the normal
    bool defined_normal = true;    ///< a normal exists that sends the light to the aim point
    /// Joint angles before they were moved into reach, radians.
    std::array<double, 2> requested_angles{};
};

// Formats steps as whole numbers and angles with decimals.
std::string position_text(double position, bool linear) {
    return linear ? fmt::format("{:.0f}", position) : fmt::format("{:.6g}", position);
}

std::string limits_text(const DriveRecord& drive) {
    return fmt::format("[{}, {}]",
                       position_text(drive.min_position, drive.is_linear),
                       position_text(drive.max_position, drive.is_linear));
}

// Collects the issues of one heliostat.
class Reporter {
  public:
    Reporter(size_t heliostat, std::vector<AlignmentIssue>& issues)
        : heliostat_(heliostat), issues_(issues) {}

    AlignmentIssue& report(Kind kind, std::string message) {
        AlignmentIssue& issue = issues_.emplace_back();
        issue.heliostat = heliostat_;
        issue.kind = kind;
        issue.message = std::move(message);
        return issue;
    }

  private:
    size_t heliostat_;
    std::vector<AlignmentIssue>& issues_;
};

// Reports only the first cause that concerns the whole mirror.
void report_mirror(const AlignmentMarks& marks, bool converged, Reporter& reporter) {
    const bool drives_reach = marks.reachable_angle[0] && marks.reachable_angle[1];
    if (!marks.defined_normal) {
        reporter.report(Kind::undefined_normal,
                        "no mirror normal exists: the aim point lies at the mirror, or the light "
                        "would have to go straight on");
    } else if (!marks.reachable_normal) {
        reporter.report(Kind::unreachable_normal,
                        "the tilted axes cannot point the mirror normal far enough to the side");
    } else if (!converged && drives_reach) {
        reporter.report(
            Kind::not_converged,
            "no consistent alignment was found: the aim point is too close to the mirror");
    }
}

void report_axis(const DriveRecord& drive,
                 double position,
                 size_t axis,
                 const AlignmentMarks& marks,
                 Reporter& reporter) {
    const size_t number = axis + 1;
    const auto report = [&](Kind kind, std::string message) {
        AlignmentIssue& issue = reporter.report(kind, std::move(message));
        issue.axis = static_cast<int>(number);
        issue.motor_position = position;
        issue.min_position = drive.min_position;
        issue.max_position = drive.max_position;
    };
    const auto requested = [&] { return position_text(position, drive.is_linear); };
    if (!marks.reachable_angle[axis]) {
        report(Kind::unreachable_angle,
               fmt::format("no motor position of axis {} gives the joint angle {:.6g} rad; its "
                           "drive ends at {}",
                           number,
                           marks.requested_angles[axis],
                           requested()));
    } else if (!marks.reachable_stroke[axis]) {
        report(Kind::unreachable_stroke,
               fmt::format("motor position {} of axis {} is beyond the reach of its drive",
                           requested(),
                           number));
    } else if (!within_motor_limits(drive, position)) {
        report(Kind::outside_limits,
               fmt::format("motor position {} of axis {} lies outside {}",
                           requested(),
                           number,
                           limits_text(drive)));
    } else if (!limits_are_meaningful(drive)) {
        report(Kind::limits_not_meaningful,
               fmt::format(
                   "limits {} of the ideal drive of axis {} are not angles and were not applied",
                   limits_text(drive),
                   number));
    }
}

/// Appends the issues of one heliostat. Issues of the whole mirror precede those of its axes.
void append_issues(size_t heliostat,
                   const KinematicsRecord& record,
                   const AlignedMirror& mirror,
                   const AlignmentMarks& marks,
                   std::vector<AlignmentIssue>& issues) {
    Reporter reporter(heliostat, issues);
    report_mirror(marks, mirror.converged, reporter);
    for (size_t axis = 0; axis < 2; ++axis) {
        report_axis(record.drives[axis], mirror.motor_positions[axis], axis, marks, reporter);
    }
}

constexpr double kPointingTolerance = 1e-9;  // largest difference of a component of the unit normal
// This many heliostats take a third of a millisecond, several times the cost of starting a thread.
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
    const int most = num_threads > 0 ? num_threads : kernels::usable_cores();
    parallel_shares(count, kHeliostatsPerShare, most, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) work(i);
    });
}

// Aligns all heliostats with align(i, mirror, marks) and collects the issues in order.
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

    // Check whether the mirror reflects the light to its aim point.
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

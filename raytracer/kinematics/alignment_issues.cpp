// SPDX-License-Identifier: MIT
// Puts into words what an alignment could not do.
#include "raytracer/kinematics/alignment_issues.h"

#include "raytracer/kinematics/drives.h"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace helioray {

namespace {

using Kind = AlignmentIssue::Kind;

// Steps are whole numbers to a reader, angles are not.
std::string position_text(double position, bool linear) {
    return linear ? fmt::format("{:.0f}", position) : fmt::format("{:.6g}", position);
}

std::string limits_text(const DriveRecord& drive) {
    return fmt::format("[{}, {}]",
                       position_text(drive.min_position, drive.is_linear),
                       position_text(drive.max_position, drive.is_linear));
}

// Complaints about one heliostat.
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

// The whole mirror: the first cause is enough.
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

}  // namespace

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

}  // namespace helioray

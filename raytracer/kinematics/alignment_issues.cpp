// SPDX-License-Identifier: MIT
// Puts into words what an alignment could not do.
#include "raytracer/kinematics/alignment_issues.h"

#include <fmt/format.h>

#include <utility>

namespace helioray {

namespace {

// Marks on the host; an undefined tensor reads as true everywhere.
class HostMarks {
  public:
    explicit HostMarks(const at::Tensor& marks)
        : marks_(marks.defined() ? marks.detach().cpu().contiguous() : at::Tensor()) {}

    bool operator[](int64_t i) const { return !marks_.defined() || marks_.data_ptr<bool>()[i]; }

  private:
    at::Tensor marks_;
};

// Numbers on the host.
class HostNumbers {
  public:
    explicit HostNumbers(const at::Tensor& numbers)
        : numbers_(numbers.detach().cpu().contiguous()) {}

    double operator[](int64_t i) const { return numbers_.data_ptr<double>()[i]; }

  private:
    at::Tensor numbers_;
};

// Steps are whole numbers to a reader, angles are not.
std::string position_text(double position, bool linear) {
    return linear ? fmt::format("{:.0f}", position) : fmt::format("{:.6g}", position);
}

}  // namespace

std::vector<AlignmentIssue> alignment_issues(const ActuatorParameters& actuators,
                                             const at::Tensor& motor_positions,
                                             const at::Tensor& requested_angles,
                                             const AlignmentMarks& marks) {
    using Kind = AlignmentIssue::Kind;
    const HostMarks linear(actuators.is_linear), meaningful(limits_are_meaningful(actuators)),
        within(within_motor_limits(actuators, motor_positions)), angle_ok(marks.reachable_angle),
        stroke_ok(marks.reachable_stroke), normal_ok(marks.reachable_normal),
        defined(marks.defined_normal), converged(marks.converged);
    const HostNumbers position(motor_positions), angle(requested_angles),
        lowest(actuators.min_position), highest(actuators.max_position);

    std::vector<AlignmentIssue> issues;
    for (int64_t row = 0; row < motor_positions.size(0); ++row) {
        const auto report = [&](Kind kind, std::string message) {
            AlignmentIssue issue;
            issue.heliostat = static_cast<size_t>(row);
            issue.kind = kind;
            issue.message = std::move(message);
            issues.push_back(std::move(issue));
        };

        // The whole mirror: the first cause is enough.
        const bool drives_reach = angle_ok[2 * row] && angle_ok[2 * row + 1];
        if (!defined[row]) {
            report(Kind::undefined_normal,
                   "no mirror normal exists: the aim point lies at the mirror, or the light would "
                   "have "
                   "to go straight on");
        } else if (!normal_ok[row]) {
            report(Kind::unreachable_normal,
                   "the tilted axes cannot point the mirror normal far enough to the side");
        } else if (!converged[row] && drives_reach) {
            report(Kind::not_converged,
                   "no consistent alignment was found: the aim point is too close to the mirror");
        }

        for (int axis = 1; axis <= 2; ++axis) {
            const int64_t i = 2 * row + axis - 1;
            const std::string requested = position_text(position[i], linear[i]);
            const std::string limits = fmt::format("[{}, {}]",
                                                   position_text(lowest[i], linear[i]),
                                                   position_text(highest[i], linear[i]));
            const size_t before = issues.size();
            if (!angle_ok[i]) {
                report(Kind::unreachable_angle,
                       fmt::format("no motor position of axis {} gives the joint angle {:.6g} rad; "
                                   "its drive ends at {}",
                                   axis,
                                   angle[i],
                                   requested));
            } else if (!stroke_ok[i]) {
                report(Kind::unreachable_stroke,
                       fmt::format("motor position {} of axis {} is beyond the reach of its drive",
                                   requested,
                                   axis));
            } else if (!within[i]) {
                report(
                    Kind::outside_limits,
                    fmt::format(
                        "motor position {} of axis {} lies outside {}", requested, axis, limits));
            } else if (!meaningful[i]) {
                report(
                    Kind::limits_not_meaningful,
                    fmt::format("limits {} of the ideal drive of axis {} are not angles and were "
                                "not applied",
                                limits,
                                axis));
            }
            if (issues.size() == before) continue;
            issues.back().axis = axis;
            issues.back().motor_position = position[i];
            issues.back().min_position = lowest[i];
            issues.back().max_position = highest[i];
        }
    }
    return issues;
}

}  // namespace helioray

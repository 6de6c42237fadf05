// SPDX-License-Identifier: MIT
// Aligns the heliostats of a run with their targets. Tracking errors are normally distributed
// numbers of the counter-based generator, by the Box-Muller transform.
#include "raytracer/tracing/physical/align_field.h"

#include "kernels/random/sequence.h"
#include "raytracer/tracing/kinematics/alignment.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>

namespace helioray::physical {

namespace {

/// Converts 52 random bits to a number in the open interval (0, 1).
double unit_interval(uint32_t high, uint32_t low) {
    const uint64_t bits = (static_cast<uint64_t>(high) << 20) | (low >> 12);
    return (static_cast<double>(bits) + 0.5) * 0x1p-52;
}

}  // namespace

std::vector<std::array<double, 2>> axis_errors(const TrackingError& error,
                                               const std::vector<size_t>& heliostats) {
    std::vector<std::array<double, 2>> errors;
    for (const size_t heliostat : heliostats) {
        const auto words = kernels::stream<float>(
            error.seed, static_cast<uint32_t>(heliostat), kernels::StreamTag::tracking, 0, 0);
        const OwnTrackingError own =
            error.own.empty() ? OwnTrackingError{error.sigma, {}} : error.own[heliostat];
        const double radius =
            own.sigma * std::sqrt(-2.0 * std::log(unit_interval(words.word[0], words.word[1])));
        const double angle = 2.0 * std::numbers::pi * unit_interval(words.word[2], words.word[3]);
        errors.push_back(
            {own.bias[0] + radius * std::cos(angle), own.bias[1] + radius * std::sin(angle)});
    }
    return errors;
}

namespace {

using Kind = AlignmentIssue::Kind;

/// Returns true for issues after which the mirror does not point where requested.
bool is_fatal(Kind kind) {
    return kind == Kind::undefined_normal || kind == Kind::not_converged ||
           kind == Kind::unreachable_normal || kind == Kind::unreachable_angle;
}

/// Returns the indices of the aims with (or without) motor positions.
std::vector<size_t> select_aims(const std::vector<Aim>& aims, bool with_motor_positions) {
    std::vector<size_t> selected;
    for (size_t i = 0; i < aims.size(); ++i) {
        if (aims[i].motor_positions.has_value() == with_motor_positions) selected.push_back(i);
    }
    return selected;
}

Alignment align(const std::vector<Aim>& aims,
                const std::vector<size_t>& selected,
                bool with_motor_positions,
                const Scenario& scenario,
                const Vec3& sun_direction,
                const TrackingError& tracking_error,
                int num_threads) {
    std::vector<size_t> heliostats;
    std::vector<Vec3> points;
    std::vector<std::array<double, 2>> motors;
    for (const size_t i : selected) {
        heliostats.push_back(aims[i].heliostat);
        if (with_motor_positions) {
            motors.push_back(*aims[i].motor_positions);
        } else {
            points.push_back(aims[i].point);
        }
    }
    const std::vector<KinematicsRecord> records = kinematics_records(scenario, heliostats);
    const Vec3 incident = scaled(-1.0, sun_direction);
    Alignment alignment = with_motor_positions
                              ? align_to_motor_positions(records, motors, num_threads)
                              : align_to_aim_points(records, {&incident, 1}, points, num_threads);
    // The drives report their commanded positions, so no second alignment is needed.
    if (!(tracking_error.sigma > 0.0) && tracking_error.own.empty()) return alignment;
    return with_axis_errors(
        records, std::move(alignment), axis_errors(tracking_error, heliostats), num_threads);
}

}  // namespace

std::vector<std::string> first_lines(const std::vector<AlignmentNote>& notes,
                                     const Scenario& scenario) {
    constexpr size_t kMaxListed = 5;
    std::vector<std::string> lines;
    for (const AlignmentNote& note : notes) {
        if (lines.size() == kMaxListed) break;
        lines.push_back(scenario.heliostats[note.heliostat].name + ": " + note.text);
    }
    if (notes.size() > kMaxListed)
        lines.push_back(fmt::format("... and {} more", notes.size() - kMaxListed));
    return lines;
}

std::vector<size_t> unreachable_heliostats(const std::vector<Aim>& aims,
                                           const Scenario& scenario,
                                           const Vec3& sun_direction,
                                           int num_threads) {
    const std::vector<size_t> selected = select_aims(aims, false);
    if (selected.empty()) return {};
    std::vector<size_t> unreachable;
    for (const AlignmentIssue& issue :
         align(aims, selected, false, scenario, sun_direction, {}, num_threads).issues) {
        const size_t heliostat = aims[selected[issue.heliostat]].heliostat;
        const bool is_known = !unreachable.empty() && unreachable.back() == heliostat;
        if (is_fatal(issue.kind) && !is_known) unreachable.push_back(heliostat);
    }
    return unreachable;
}

AlignedField align_field(const std::vector<Aim>& aims,
                         const Scenario& scenario,
                         const Vec3& sun_direction,
                         const TrackingError& tracking_error,
                         int num_threads) {
    AlignedField aligned;
    std::vector<AlignmentNote> fatal;
    for (const bool with_motor_positions : {false, true}) {
        const std::vector<size_t> selected = select_aims(aims, with_motor_positions);
        if (selected.empty()) continue;
        const Alignment alignment = align(aims,
                                          selected,
                                          with_motor_positions,
                                          scenario,
                                          sun_direction,
                                          tracking_error,
                                          num_threads);
        for (const AlignmentIssue& issue : alignment.issues) {
            const size_t heliostat = aims[selected[issue.heliostat]].heliostat;
            if (is_fatal(issue.kind)) {
                fatal.push_back({heliostat, issue.message});
            } else if (issue.kind != Kind::limits_not_meaningful) {
                aligned.notes.push_back({heliostat, issue.message});
            }
        }
        for (size_t row = 0; row < selected.size(); ++row) {
            const Aim& aim = aims[selected[row]];
            const AlignedMirror& mirror = alignment.mirrors[row];
            AimedHeliostat heliostat;
            heliostat.heliostat = aim.heliostat;
            heliostat.target = aim.target;
            heliostat.orientation = mirror.orientation;
            heliostat.motor_positions = mirror.motor_positions;
            heliostat.aim_point = aim.point;
            aligned.heliostats.push_back(heliostat);
        }
    }
    if (!fatal.empty()) {
        std::vector<Problem> problems;
        for (const std::string& line : first_lines(fatal, scenario)) {
            problems.push_back({"alignment",
                                line,
                                "the heliostat cannot light its target",
                                "change its aim or leave it out of aim.active"});
        }
        throw InputError(problems);
    }
    return aligned;
}

}  // namespace helioray::physical

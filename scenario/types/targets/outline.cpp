// SPDX-License-Identifier: MIT
// Checks and measures outlines.
#include "scenario/types/targets/outline.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

/// Returns the angle by which the outline turns left at its corner i, from -pi to pi, or nothing if
/// two consecutive corners are equal.
std::optional<double> turn_at(const Outline& corners, size_t i) {
    const size_t count = corners.size();
    const auto& before = corners[(i + count - 1) % count];
    const auto& here = corners[i];
    const auto& after = corners[(i + 1) % count];
    const std::array<double, 2> in{here[0] - before[0], here[1] - before[1]};
    const std::array<double, 2> out{after[0] - here[0], after[1] - here[1]};
    if ((in[0] == 0.0 && in[1] == 0.0) || (out[0] == 0.0 && out[1] == 0.0)) return std::nullopt;
    return std::atan2(in[0] * out[1] - in[1] * out[0], in[0] * out[0] + in[1] * out[1]);
}

}  // namespace

std::optional<OutlineFault> make_convex(Outline& corners) {
    // Largest turn that counts as straight, to allow for rounding.
    constexpr double kStraight = 1e-9;
    std::vector<double> turns;
    for (size_t i = 0; i < corners.size(); ++i) {
        const auto turn = turn_at(corners, i);
        if (!turn) {
            if (corners.front() == corners.back())
                return OutlineFault{corners.size() - 1,
                                    "repeats the first corner",
                                    "the outline closes by itself",
                                    "remove it"};
            return OutlineFault{i + 1, "repeats the corner before", "", "remove it"};
        }
        turns.push_back(*turn);
    }
    double total = 0.0;
    for (const double turn : turns) total += turn;
    const double sense = total < 0.0 ? -1.0 : 1.0;
    for (size_t i = 0; i < turns.size(); ++i) {
        const bool turns_back = std::abs(turns[i]) > std::numbers::pi - kStraight;
        if (sense * turns[i] >= -kStraight && !turns_back) continue;
        return OutlineFault{i,
                            turns_back ? "the outline turns back at this corner"
                                       : "the outline is not convex at this corner",
                            "only convex outlines are supported",
                            "give the corners in order around a convex polygon"};
    }
    // A star also turns in one direction only, but completes more than one round.
    if (std::abs(sense * total - 2.0 * std::numbers::pi) > 1.0)
        return OutlineFault{std::nullopt,
                            "the outline crosses itself",
                            "only convex outlines are supported",
                            "give the corners in order around a convex polygon"};
    if (sense < 0.0) std::reverse(corners.begin(), corners.end());
    return std::nullopt;
}

double outline_area(const Outline& corners) {
    double doubled = 0.0;
    for (size_t i = 0; i < corners.size(); ++i) {
        const auto& here = corners[i];
        const auto& next = corners[(i + 1) % corners.size()];
        doubled += here[0] * next[1] - next[0] * here[1];
    }
    return 0.5 * doubled;
}

}  // namespace helioray

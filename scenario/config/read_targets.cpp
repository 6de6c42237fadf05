// SPDX-License-Identifier: MIT
// Section targets: apertures and outlines.
#include "scenario/config/read_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray {

namespace {

using Corner = std::array<double, 2>;

constexpr size_t kFewestCorners = 3;
constexpr size_t kMostCorners = 64;

ApertureConfig read_aperture(const Section& section) {
    ApertureConfig aperture;
    const std::string owner = "an aperture";
    aperture.center = read_point(section, "center", owner);
    aperture.normal = read_direction(section, "normal", owner);
    const bool is_round = section.has("radius_m");
    const bool is_rectangle = section.has("width_m") || section.has("height_m");
    if (is_round && is_rectangle) {
        section.fail("radius_m",
                     "stands beside width_m or height_m",
                     "a window is round or rectangular",
                     "keep radius_m, or width_m with height_m");
    } else if (is_rectangle) {
        aperture.width = read_length(section, "width_m", "a rectangular aperture");
        aperture.height = read_length(section, "height_m", "a rectangular aperture");
    } else if (is_round) {
        aperture.radius = read_length(section, "radius_m", "a round aperture");
    } else {
        section.problems().push_back({section.place(""),
                                      "the aperture has no size",
                                      "",
                                      "give radius_m, or width_m with height_m"});
    }
    return aperture;
}

/// Angle by which the outline turns left at its corner i, from -pi to pi; nothing where two corners
/// in a row are equal.
std::optional<double> turn_at(const std::vector<Corner>& corners, size_t i) {
    const size_t count = corners.size();
    const Corner& before = corners[(i + count - 1) % count];
    const Corner& here = corners[i];
    const Corner& after = corners[(i + 1) % count];
    const Corner in{here[0] - before[0], here[1] - before[1]};
    const Corner out{after[0] - here[0], after[1] - here[1]};
    if ((in[0] == 0.0 && in[1] == 0.0) || (out[0] == 0.0 && out[1] == 0.0)) return std::nullopt;
    return std::atan2(in[0] * out[1] - in[1] * out[0], in[0] * out[0] + in[1] * out[1]);
}

/// Corners counter-clockwise, or a problem: all turns must have one sense and make one round.
std::vector<Corner> convex(const Section& section,
                           const std::string& key,
                           std::vector<Corner> corners) {
    // What rounding leaves of a straight angle.
    constexpr double kStraight = 1e-9;
    std::vector<double> turns;
    for (size_t i = 0; i < corners.size(); ++i) {
        const auto turn = turn_at(corners, i);
        if (!turn) {
            if (corners.front() == corners.back()) {
                section.fail_item(key,
                                  corners.size() - 1,
                                  "repeats the first corner",
                                  "the outline closes by itself",
                                  "remove it");
            } else {
                section.fail_item(key, i + 1, "repeats the corner before", "", "remove it");
            }
            return {};
        }
        turns.push_back(*turn);
    }
    double total = 0.0;
    for (const double turn : turns) total += turn;
    const double sense = total < 0.0 ? -1.0 : 1.0;
    for (size_t i = 0; i < turns.size(); ++i) {
        const bool turns_back = std::abs(turns[i]) > std::numbers::pi - kStraight;
        if (sense * turns[i] >= -kStraight && !turns_back) continue;
        section.fail_item(key,
                          i,
                          turns_back ? "the outline turns back at this corner"
                                     : "the outline is not convex at this corner",
                          "only convex outlines are supported",
                          "give the corners in order around a convex polygon");
        return {};
    }
    // A star turns one way only, too, but goes round more than once.
    if (std::abs(sense * total - 2.0 * std::numbers::pi) > 1.0) {
        section.fail(key,
                     "the outline crosses itself",
                     "only convex outlines are supported",
                     "give the corners in order around a convex polygon");
        return {};
    }
    if (sense < 0.0) std::reverse(corners.begin(), corners.end());
    return corners;
}

std::vector<Corner> read_outline(const Section& section) {
    const std::string key = "outline_m";
    const auto corners = section.pairs(key);
    if (!corners) return {};
    if (corners->size() < kFewestCorners || corners->size() > kMostCorners) {
        section.fail(key,
                     fmt::format("has {} corners", corners->size()),
                     corners->size() < kFewestCorners ? "fewer than 3 enclose nothing" : "",
                     fmt::format("give {} to {} corners", kFewestCorners, kMostCorners));
        return {};
    }
    for (size_t i = 0; i < corners->size(); ++i) {
        const Corner& corner = (*corners)[i];
        if (std::max(std::abs(corner[0]), std::abs(corner[1])) <= kLongestLength) continue;
        section.fail_item(key,
                          i,
                          "is outside of its range",
                          "it is a distance in metres from the target's centre",
                          fmt::format("give values from -{0} to {0}", kLongestLength));
        return {};
    }
    return convex(section, key, *corners);
}

}  // namespace

void read_targets(const Section& root, std::map<std::string, TargetConfig>& targets) {
    const Section section = root.section("targets");
    for (const std::string& name : section.keys()) {
        const Section target = section.section(name);
        TargetConfig& config = targets[name];
        if (target.has("aperture")) {
            const size_t before = target.problems().size();
            const Section aperture = target.section("aperture");
            if (target.problems().size() == before) config.aperture = read_aperture(aperture);
        }
        config.outline = read_outline(target);
    }
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Reads sections targets (apertures, outlines) and obstacles (cylinders, cones, boxes).
#include "scenario/config/bound_key.h"
#include "scenario/config/section.h"
#include "scenario/types/targets/outline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace helioray {

Vec3 read_point(const Section& section, const std::string& key, const std::string& owner) {
    if (!section.require(key, owner + " needs it")) return {};
    const auto values = section.numbers(key, 3);
    if (!values) return {};
    return {(*values)[0], (*values)[1], (*values)[2]};
}

Vec3 read_direction(const Section& section, const std::string& key, const std::string& owner) {
    const Vec3 up{0.0, 0.0, 1.0};
    if (!section.require(key, owner + " needs it")) return up;
    const auto values = section.numbers(key, 3);
    if (!values) return up;
    const double length = std::hypot((*values)[0], (*values)[1], (*values)[2]);
    if (!(length > 0.0) || !std::isfinite(length)) {
        section.fail(key,
                     length > 0.0 ? "is too long" : "has length 0",
                     "it has no direction",
                     "give for example " + section.declaration(key).example);
        return up;
    }
    return {(*values)[0] / length, (*values)[1] / length, (*values)[2] / length};
}

double read_length(const Section& section, const std::string& key, const std::string& owner) {
    if (!section.require(key, owner + " needs it")) return 1.0;
    return section.number(key).value_or(1.0);
}

Outline read_outline(const Section& section) {
    const std::string key = "outline_m";
    auto corners = section.pairs(key);
    if (!corners) return {};
    const Range& counts = section.declaration(key).limits;
    if (!counts.contains(static_cast<double>(corners->size()))) {
        section.fail(key,
                     fmt::format("has {} corners", corners->size()),
                     static_cast<double>(corners->size()) < counts.low ? counts.why : "",
                     fmt::format("give {} corners", counts.text()));
        return {};
    }
    for (size_t i = 0; i < corners->size(); ++i) {
        const auto& corner = (*corners)[i];
        if (std::max(std::abs(corner[0]), std::abs(corner[1])) <= kLengths.high) continue;
        section.fail_item(key,
                          i,
                          "is outside of its range",
                          "it is a distance in metres from the target's centre",
                          fmt::format("give values from -{0} to {0}", kLengths.high));
        return {};
    }
    const auto fault = make_convex(*corners);
    if (!fault) return *corners;
    if (fault->corner) {
        section.fail_item(key, *fault->corner, fault->what, fault->why, fault->advice);
    } else {
        section.fail(key, fault->what, fault->why, fault->advice);
    }
    return {};
}

namespace {

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

/// Reads a cylinder or a cone.
template <typename Body>
Body read_round_body(const Section& section, const std::string& owner) {
    Body body;
    body.base = read_point(section, "base", owner);
    if (section.has("axis")) body.axis = read_direction(section, "axis", owner);
    body.radius = read_length(section, "radius_m", owner);
    if constexpr (requires { body.top_radius; })
        body.top_radius = read_length(section, "top_radius_m", owner);
    body.height = read_length(section, "height_m", owner);
    return body;
}

Vec3 read_size(const Section& section) {
    const size_t before = section.problems().size();
    const Vec3 size = read_point(section, "size_m", "a box");
    if (section.problems().size() != before) return size;
    const Range& limits = section.declaration("size_m").limits;
    for (size_t i = 0; i < 3; ++i) {
        if (limits.contains(size[i])) continue;
        section.fail_item("size_m",
                          i,
                          fmt::format("{} is outside of its range", size[i]),
                          limits.why,
                          fmt::format("give a value {}", limits.sentence()));
    }
    return size;
}

BoxObstacle read_box(const Section& section) {
    BoxObstacle box;
    box.center = read_point(section, "center", "a box");
    box.size = read_size(section);
    assign(box.azimuth, section.si_number("azimuth_deg"));
    return box;
}

void read_obstacle_shape(const Section& section, ObstacleConfig& obstacle) {
    const auto kind = section.required_choice("type", kObstacleKinds);
    if (!kind) return;
    if (*kind == ObstacleKind::box) {
        section.refuse_other_keys("type", {"name", "center", "size_m", "azimuth_deg"});
        obstacle.shape = read_box(section);
    } else if (*kind == ObstacleKind::cone) {
        section.refuse_other_keys("type",
                                  {"name", "base", "axis", "radius_m", "top_radius_m", "height_m"});
        obstacle.shape = read_round_body<ConeObstacle>(section, "a cone");
    } else {
        section.refuse_other_keys("type", {"name", "base", "axis", "radius_m", "height_m"});
        obstacle.shape = read_round_body<CylinderObstacle>(section, "a cylinder");
    }
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

void read_obstacles(const Section& root, std::vector<ObstacleConfig>& obstacles) {
    std::set<std::string> names;
    size_t number = 0;
    for (const Section& section : root.sections("obstacles")) {
        ObstacleConfig obstacle;
        obstacle.name = section.text("name").value_or(fmt::format("obstacle_{}", ++number));
        if (!names.insert(obstacle.name).second) {
            section.fail("name",
                         fmt::format("'{}' names two obstacles", obstacle.name),
                         "messages could mean either",
                         "choose another name");
        }
        read_obstacle_shape(section, obstacle);
        obstacles.push_back(std::move(obstacle));
    }
}

}  // namespace helioray

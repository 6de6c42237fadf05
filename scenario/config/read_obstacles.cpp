// SPDX-License-Identifier: MIT
// Section obstacles: a list of cylinders and boxes.
#include "scenario/config/read_sections.h"

#include <fmt/format.h>

#include <numbers>
#include <set>

namespace helioray {

namespace {

CylinderObstacle read_cylinder(const Section& section) {
    CylinderObstacle cylinder;
    cylinder.base = read_point(section, "base", "a cylinder");
    if (section.has("axis")) cylinder.axis = read_direction(section, "axis", "a cylinder");
    cylinder.radius = read_length(section, "radius_m", "a cylinder");
    cylinder.height = read_length(section, "height_m", "a cylinder");
    return cylinder;
}

Vec3 read_size(const Section& section) {
    const size_t before = section.problems().size();
    const Vec3 size = read_point(section, "size_m", "a box");
    if (section.problems().size() != before) return size;
    const Range range{0.0, kLongestLength, true, false, ""};
    for (size_t i = 0; i < 3; ++i) {
        if (range.contains(size[i])) continue;
        section.fail_item("size_m",
                          i,
                          fmt::format("{} is outside of its range", size[i]),
                          "it is a length in metres",
                          fmt::format("give a value {}", range.text()));
    }
    return size;
}

BoxObstacle read_box(const Section& section) {
    BoxObstacle box;
    box.center = read_point(section, "center", "a box");
    box.size = read_size(section);
    const auto azimuth =
        section.number("azimuth_deg", {-360.0, 360.0, false, false, "it is a compass bearing"});
    box.azimuth = azimuth.value_or(0.0) * std::numbers::pi / 180.0;
    return box;
}

void read_obstacle_shape(const Section& section, ObstacleConfig& obstacle) {
    if (!section.has("type")) {
        section.fail("type", "is missing", "", "choose cylinder or box");
        return;
    }
    const auto is_box = section.choice<bool>("type", {{"cylinder", false}, {"box", true}});
    if (!is_box) return;
    if (*is_box) {
        refuse_other_keys(section, "type", "box", {"name", "center", "size_m", "azimuth_deg"});
        obstacle.shape = read_box(section);
    } else {
        refuse_other_keys(
            section, "type", "cylinder", {"name", "base", "axis", "radius_m", "height_m"});
        obstacle.shape = read_cylinder(section);
    }
}

}  // namespace

void read_obstacles(const Section& root, std::vector<ObstacleConfig>& obstacles) {
    std::set<std::string> names;
    size_t number = 0;
    for (const Section& section : root.sections("obstacles")) {
        ObstacleConfig obstacle;
        obstacle.name = section.text("name").value_or(fmt::format("obstacle_{}", ++number));
        if (!names.insert(obstacle.name).second) {
            section.fail("name",
                         fmt::format("'{}' names two obstacles", obstacle.name),
                         "messages would not tell them apart",
                         "choose another name");
        }
        read_obstacle_shape(section, obstacle);
        obstacles.push_back(std::move(obstacle));
    }
}

}  // namespace helioray

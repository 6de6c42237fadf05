// SPDX-License-Identifier: MIT
// Section aim: targets, aim points, motor positions, active heliostats.
#include "scenario/config/section.h"

#include <fmt/format.h>

#include <set>

namespace helioray {

namespace {

std::optional<Vec3> read_aim_point(const Section& section) {
    const auto values = section.numbers("point", 3);
    if (!values) return std::nullopt;
    return Vec3{(*values)[0], (*values)[1], (*values)[2]};
}

void read_active(const Section& aim, AimConfig& config) {
    const YamlNode* node = aim.find("active");
    if (!node) return;
    if (node->kind == YamlNode::Kind::scalar) {
        if (node->text != "all") {
            aim.fail("active",
                     fmt::format("'{}' is neither 'all' nor a list", node->text),
                     "",
                     fmt::format("write all, or a list: [{}]", node->text));
        }
        return;
    }
    const auto names = aim.texts("active");
    if (!names) return;
    if (names->empty()) {
        aim.fail("active",
                 "is an empty list",
                 "nothing would be traced",
                 "name heliostats, or write all");
    }
    std::set<std::string> seen;
    for (size_t i = 0; i < names->size(); ++i) {
        const std::string& name = (*names)[i];
        const std::string place = where(node->items[i].at, fmt::format("aim.active[{}]", i));
        if (name.empty()) {
            aim.problems().push_back({place, "is an empty name", "", "name a heliostat"});
        } else if (!seen.insert(name).second) {
            aim.problems().push_back({place,
                                      fmt::format("'{}' is listed twice", name),
                                      "a heliostat is traced once",
                                      "remove one of the two"});
        }
    }
    config.active = *names;
}

HeliostatAim read_heliostat(const Section& section) {
    HeliostatAim aim;
    aim.target = section.text("target");
    aim.point = read_aim_point(section);
    if (const auto positions = section.numbers("motor_positions", 2)) {
        aim.motor_positions = {(*positions)[0], (*positions)[1]};
    }
    if (section.has("point") && section.has("motor_positions")) {
        section.fail("motor_positions",
                     "stands beside point",
                     "motor positions decide the direction, so the point would be ignored",
                     "keep one of the two");
    }
    return aim;
}

/// Heliostats without a target, as far as this is known without the scenario.
void check_targets(const Section& aim, const Section& heliostats, const AimConfig& config) {
    if (aim.has("target")) return;
    constexpr const char* kWhy = "rays count where they meet their heliostat's target";
    if (!config.active) {
        if (!heliostats.keys().empty()) return;
        aim.problems().push_back({aim.place("target"),
                                  "is missing",
                                  kWhy,
                                  "add aim.target, or a target for every active heliostat"});
        return;
    }
    const YamlNode* active = aim.find("active");
    for (size_t i = 0; i < config.active->size(); ++i) {
        const std::string& name = (*config.active)[i];
        if (heliostats.section(name).has("target")) continue;
        aim.problems().push_back(
            {where(active->items[i].at, fmt::format("aim.active[{}]", i)),
             fmt::format("heliostat '{}' has no target", name),
             kWhy,
             fmt::format("add aim.target, or aim.heliostats.{}.target", name)});
    }
}

}  // namespace

void read_aim(const Section& root, AimConfig& config) {
    const Section aim = root.section("aim");
    config.target = aim.text("target");
    config.point = read_aim_point(aim);
    read_active(aim, config);
    const Section heliostats = aim.section("heliostats");
    check_targets(aim, heliostats, config);
    for (const std::string& name : heliostats.keys()) {
        config.heliostats[name] = read_heliostat(heliostats.section(name));
    }
}

}  // namespace helioray

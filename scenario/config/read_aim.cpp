// SPDX-License-Identifier: MIT
// Section aim: targets, aim points, motor positions, active heliostats, and a file of these.
#include "scenario/config/column_table.h"
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
    assign(aim.active, section.boolean("active"));
    return aim;
}

/// "true" or "false", as other programs write them, too.
std::optional<bool> read_switch(const std::string& text) {
    for (const char* word : {"true", "True", "TRUE", "1"})
        if (text == word) return true;
    for (const char* word : {"false", "False", "FALSE", "0"})
        if (text == word) return false;
    return std::nullopt;
}

/// Rows of name, target, point and switch. Locations lead to the rows.
void read_rows(const std::filesystem::path& file,
               std::vector<Problem>& problems,
               std::map<std::string, HeliostatAim>& heliostats,
               std::map<std::string, ConfigLocation>& locations) {
    constexpr double kFar = kLengths.high;
    const ColumnTable table(file, {"name", "target", "east", "north", "up"}, {"active"}, problems);
    if (!table.has("name") || !table.has("target") || !table.has("east") || !table.has("north") ||
        !table.has("up")) {
        return;
    }
    for (size_t row = 0; row < table.num_rows(); ++row) {
        const std::string& name = table.text(row, "name");
        HeliostatAim aim;
        aim.target = table.text(row, "target");
        const auto east = table.number(row, "east", -kFar, kFar);
        const auto north = table.number(row, "north", -kFar, kFar);
        const auto up = table.number(row, "up", -kFar, kFar);
        if (east && north && up) aim.point = Vec3{*east, *north, *up};
        if (table.has("active")) {
            const std::string& text = table.text(row, "active");
            const auto active = read_switch(text);
            if (!active) {
                problems.push_back({table.place(row, "active"),
                                    fmt::format("'{}' is neither true nor false", text),
                                    "",
                                    "write true or false"});
            }
            aim.active = active.value_or(true);
        }
        for (const char* column : {"name", "target"}) {
            if (!table.text(row, column).empty()) continue;
            problems.push_back({table.place(row, column), "is empty", "", "name it"});
        }
        if (!heliostats.emplace(name, std::move(aim)).second) {
            problems.push_back({table.place(row, "name"),
                                fmt::format("'{}' is given twice", name),
                                "a heliostat has one aim point",
                                "keep one of the two"});
        }
        locations.emplace("aim.heliostats." + name,
                          ConfigLocation{file.string(), table.line(row), 1});
    }
}

/// A heliostat's settings in the configuration go before those of its row. A row's point belongs to
/// the row's target.
HeliostatAim overridden(HeliostatAim row, const HeliostatAim& own, bool has_switch) {
    if (own.motor_positions || (own.target && own.target != row.target)) row.point.reset();
    if (own.target) row.target = own.target;
    if (own.point) row.point = own.point;
    row.motor_positions = own.motor_positions;
    if (has_switch) row.active = own.active;
    return row;
}

void read_file(const Section& aim, const std::filesystem::path& base_dir, RunConfig& config) {
    if (!aim.has("file")) return;
    config.aim.file = existing_file(aim, "file", base_dir);
    if (!config.aim.file) return;
    std::map<std::string, HeliostatAim> rows;
    std::map<std::string, ConfigLocation> locations;
    try {
        read_rows(*config.aim.file, aim.problems(), rows, locations);
    } catch (const InputError& error) {
        aim.problems().insert(
            aim.problems().end(), error.problems().begin(), error.problems().end());
    }
    const Section heliostats = aim.section("heliostats");
    for (auto& [name, own] : config.aim.heliostats) {
        const auto row = rows.find(name);
        if (row == rows.end()) continue;
        own = overridden(row->second, own, heliostats.section(name).has("active"));
        // These have a place in the configuration.
        locations.erase("aim.heliostats." + name);
    }
    config.aim.heliostats.merge(rows);
    config.locations.merge(locations);
}

/// Heliostats without a target, as far as this is known without the scenario.
void check_targets(const Section& aim, const Section& heliostats, const AimConfig& config) {
    // A file that cannot be read has been reported, and might name the targets.
    if (aim.has("target") || (aim.has("file") && config.heliostats.empty())) return;
    constexpr const char* kWhy = "rays count where they meet their heliostat's target";
    if (!config.active) {
        if (!config.heliostats.empty()) return;
        aim.problems().push_back({aim.place("target"),
                                  "is missing",
                                  kWhy,
                                  "add aim.target, or a target for every active heliostat"});
        return;
    }
    const YamlNode* active = aim.find("active");
    for (size_t i = 0; i < config.active->size(); ++i) {
        const std::string& name = (*config.active)[i];
        const auto own = config.heliostats.find(name);
        const bool has_target = own != config.heliostats.end() && own->second.target;
        if (has_target || heliostats.section(name).has("target")) continue;
        aim.problems().push_back(
            {where(active->items[i].at, fmt::format("aim.active[{}]", i)),
             fmt::format("heliostat '{}' has no target", name),
             kWhy,
             fmt::format("add aim.target, or aim.heliostats.{}.target", name)});
    }
}

}  // namespace

void read_aim(const Section& root, const std::filesystem::path& base_dir, RunConfig& config) {
    const Section aim = root.section("aim");
    config.aim.target = aim.text("target");
    config.aim.point = read_aim_point(aim);
    read_active(aim, config.aim);
    const Section heliostats = aim.section("heliostats");
    for (const std::string& name : heliostats.keys()) {
        config.aim.heliostats[name] = read_heliostat(heliostats.section(name));
    }
    read_file(aim, base_dir, config);
    check_targets(aim, heliostats, config.aim);
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Reads section aim: targets, aim points, motor positions, active heliostats, and a file that
// contains these: a table or a result.
#include "scenario/config/bound_key.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/inputs/aim_steps.h"
#include "scenario/inputs/column_table.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace helioray {

namespace {

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
    read_members(section, aim);
    if (section.has("point") && section.has("motor_positions")) {
        section.fail("motor_positions",
                     "stands beside point",
                     "motor positions decide the direction, so the point would be ignored",
                     "keep one of the two");
    }
    return aim;
}

/// The heliostats of one step of a table, by name.
struct AimRows {
    /// Number of the step, or milliseconds of its time; 0 in a table without steps.
    int64_t step = 0;
    std::map<std::string, HeliostatAim> heliostats;
    std::map<std::string, ConfigLocation> locations;  ///< places of the rows
};

/// Aim file: rows of name, target, point and switch.
struct AimTable {
    enum class Steps { none, by_number, by_time };
    Steps kind = Steps::none;
    std::optional<std::string> warning;  ///< Warning about unused columns.
    std::vector<AimRows> steps;  ///< steps in the order of the file; a single one without steps
    /// Heliostats that a result contains; all others were off. Empty if the file does not switch
    /// off other heliostats.
    std::vector<std::string> only;

    const AimRows* find(int64_t step) const {
        for (const AimRows& rows : steps)
            if (rows.step == step) return &rows;
        return nullptr;
    }
};

/// Returns the step of a row. If it cannot be read, returns nothing and adds a problem.
std::optional<int64_t> read_step(const ColumnTable& table, size_t row, AimTable::Steps kind) {
    if (kind == AimTable::Steps::none) return 0;
    if (kind == AimTable::Steps::by_time) {
        const auto time = table.time(row, "time");
        return time ? std::optional(milliseconds_of(*time)) : std::nullopt;
    }
    const auto number = table.number(row, "step", 0.0, 1e9);
    return number ? std::optional(static_cast<int64_t>(*number)) : std::nullopt;
}

HeliostatAim read_row(const ColumnTable& table, size_t row, std::vector<Problem>& problems) {
    constexpr double kFar = kLengths.high;
    HeliostatAim aim;
    aim.target = table.text(row, "target");
    const auto east = table.number(row, "east", -kFar, kFar);
    const auto north = table.number(row, "north", -kFar, kFar);
    const auto up = table.number(row, "up", -kFar, kFar);
    if (east && north && up) aim.point = Vec3{*east, *north, *up};
    if (table.has("active")) {
        aim.active = table.flag(row, "active").value_or(true);
    }
    for (const char* column : {"name", "target"}) {
        if (!table.text(row, column).empty()) continue;
        problems.push_back({table.place(row, column), "is empty", "", "name it"});
    }
    return aim;
}

/// Returns the heliostats that a run moved by motor positions. The aim points in its result are
/// meaningless for them.
std::set<std::string> moved_by_motors(const hdf5::Group& root) {
    std::set<std::string> names;
    if (!root.has_attribute("config")) return names;
    const YamlNode config =
        parse_yaml(root.read_attribute_string("config"), root.where() + "@config");
    const YamlNode* aim = config.find("aim");
    const YamlNode* own = aim ? aim->find("heliostats") : nullptr;
    if (!own) return names;
    for (const YamlEntry& entry : own->entries)
        if (entry.value.find("motor_positions")) names.insert(entry.key);
    return names;
}

/// Returns true if the times of all steps are valid and differ, so that rows can be found by time.
bool are_different_times(const std::vector<std::string>& times) {
    std::set<int64_t> instants;
    return std::ranges::all_of(times, [&](const std::string& time) {
        const IsoTime parsed = parse_iso_time(time);
        return parsed.error.empty() && instants.insert(milliseconds_of(parsed.normalised)).second;
    });
}

/// Reads aim points from a result: those of one run, or one row of all heliostats for each step of
/// a series.
class AimResultReader {
  public:
    AimResultReader(const std::filesystem::path& file, std::vector<Problem>& problems)
        : file_(hdf5::File::open(file)), root_(file_.root()), problems_(problems) {}

    AimTable run() {
        AimTable found;
        const char* path = root_.contains("aiming/heliostats") ? "aiming/heliostats" : "heliostats";
        if (!root_.contains(std::string(path) + "/aim_point")) {
            refuse(root_.where_of("heliostats/aim_point"), "is missing", "no aim points are there");
            return found;
        }
        const hdf5::Group group = root_.group(path);
        names_ = group.read_strings("name");
        targets_ = group.read_strings("target");
        const bool is_series = root_.contains("series");
        std::vector<std::string> times{""};
        if (is_series) times = root_.read_strings("series/time");
        points_ = read(group.dataset("aim_point"), is_series, times.size(), 3);
        // Heliostats that are off have no rays in a step of a series.
        const char* active = is_series ? "rays" : "active";
        active_.assign(times.size() * names_.size(), 1.0);
        if (group.contains(active))
            active_ = read(group.dataset(active), is_series, times.size(), 1);
        if (targets_.size() != names_.size())
            refuse(group.where_of("target"), "has not as many entries as name", "");
        check_values(group);
        if (!problems_.empty()) return found;
        by_motors_ = moved_by_motors(root_);
        found.only = names_;
        const bool is_timed = is_series && are_different_times(times);
        found.kind = !is_series ? AimTable::Steps::none
                     : is_timed ? AimTable::Steps::by_time
                                : AimTable::Steps::by_number;
        for (size_t step = 0; step < times.size(); ++step)
            found.steps.push_back(read_rows(step, is_timed ? times[step] : "", group.where()));
        return found;
    }

  private:
    void refuse(const std::string& place, const std::string& what, const std::string& why) {
        problems_.push_back(
            {place, what, why, "give a result of helioray aim or raytrace, or a table (CSV)"});
    }

    std::vector<double> read(const hdf5::Dataset& dataset,
                             bool is_series,
                             size_t steps,
                             size_t columns) {
        hdf5::Shape shape{names_.size()};
        if (is_series) shape.insert(shape.begin(), steps);
        if (columns > 1) shape.push_back(columns);
        if (dataset.shape() == shape) return dataset.read<double>();
        refuse(dataset.where(),
               fmt::format("has the shape {}, expected {}",
                           hdf5::to_string(dataset.shape()),
                           hdf5::to_string(shape)),
               "");
        return {};
    }

    void check_values(const hdf5::Group& group) {
        std::set<std::string> seen;
        for (size_t i = 0; i < std::min(names_.size(), targets_.size()); ++i) {
            if (names_[i].empty() || targets_[i].empty())
                refuse(
                    group.where_of(names_[i].empty() ? "name" : "target"), "has empty names", "");
            if (!seen.insert(names_[i]).second)
                refuse(group.where_of("name"),
                       fmt::format("'{}' is given twice", names_[i]),
                       "a heliostat has one aim point");
        }
        const bool is_near = std::ranges::all_of(
            points_, [](double metres) { return std::abs(metres) <= kLengths.high; });
        if (!is_near)
            refuse(group.where_of("aim_point"),
                   fmt::format("has numbers beyond {:g} m", kLengths.high),
                   "");
    }

    AimRows read_rows(size_t step, const std::string& time, const std::string& place) const {
        AimRows rows;
        rows.step = static_cast<int64_t>(step);
        if (!time.empty()) rows.step = milliseconds_of(parse_iso_time(time).normalised);
        for (size_t i = 0; i < names_.size(); ++i) {
            const size_t row = step * names_.size() + i;
            HeliostatAim aim;
            aim.active = active_[row] != 0.0;
            const bool is_aimed = !by_motors_.contains(names_[i]);
            if (!is_aimed && aim.active) continue;
            aim.target = targets_[i];
            if (is_aimed)
                aim.point = Vec3{points_[3 * row], points_[3 * row + 1], points_[3 * row + 2]};
            rows.heliostats.emplace(names_[i], std::move(aim));
            rows.locations.emplace("aim.heliostats." + names_[i], ConfigLocation{place, 0, 0});
        }
        return rows;
    }

    hdf5::File file_;
    hdf5::Group root_;
    std::vector<Problem>& problems_;
    std::vector<std::string> names_, targets_;
    std::vector<double> points_, active_;
    std::set<std::string> by_motors_;
};

AimTable read_table(const std::filesystem::path& file, std::vector<Problem>& problems) {
    if (is_hdf5(file)) return AimResultReader(file, problems).run();
    AimTable found;
    const ColumnTable table(
        file, {"name", "target", "east", "north", "up"}, {"active", "time", "step"}, problems);
    found.warning = table.warning();
    for (const char* column : {"name", "target", "east", "north", "up"})
        if (!table.has(column)) return found;
    if (table.has("time") && table.has("step")) {
        problems.push_back({file.string(),
                            "has both columns time and step",
                            "either says to which step a row belongs",
                            "keep one of the two"});
        return found;
    }
    found.kind = table.has("time")   ? AimTable::Steps::by_time
                 : table.has("step") ? AimTable::Steps::by_number
                                     : AimTable::Steps::none;
    std::map<int64_t, size_t> places;
    for (size_t row = 0; row < table.num_rows(); ++row) {
        const auto step = read_step(table, row, found.kind);
        if (!step) continue;
        const auto [place, is_new] = places.emplace(*step, found.steps.size());
        if (is_new) found.steps.push_back({*step, {}, {}});
        AimRows& rows = found.steps[place->second];
        const std::string& name = table.text(row, "name");
        if (!rows.heliostats.emplace(name, read_row(table, row, problems)).second) {
            problems.push_back({table.place(row, "name"),
                                fmt::format("'{}' is given twice", name),
                                "a heliostat has one aim point",
                                "keep one of the two"});
        }
        rows.locations.emplace("aim.heliostats." + name,
                               ConfigLocation{file.string(), table.line(row), 1});
    }
    return found;
}

/// Combines the settings of a heliostat: those of the configuration take precedence over those of
/// its row. A row's point belongs to the row's target.
HeliostatAim overridden(HeliostatAim row, const HeliostatAim& own, bool has_switch) {
    if (own.motor_positions || (own.target && own.target != row.target)) row.point.reset();
    if (own.target) row.target = own.target;
    if (own.point) row.point = own.point;
    row.motor_positions = own.motor_positions;
    if (has_switch) row.active = own.active;
    return row;
}

/// Adds the rows of one step below the settings of the configuration. For `only` see
/// AimTable::only.
void add_rows(const Section& aim,
              AimRows rows,
              const std::vector<std::string>& only,
              AimConfig& config,
              AimRows* left = nullptr) {
    const Section heliostats = aim.section("heliostats");
    if (!only.empty() && !config.active) {
        std::set<std::string> names(only.begin(), only.end());
        for (const std::string& name : heliostats.keys()) names.insert(name);
        config.active.emplace(names.begin(), names.end());
    }
    for (auto& [name, own] : config.heliostats) {
        const auto row = rows.heliostats.find(name);
        if (row == rows.heliostats.end()) continue;
        own = overridden(row->second, own, heliostats.section(name).has("active"));
        // The configuration itself is the place of these settings.
        rows.locations.erase("aim.heliostats." + name);
    }
    config.heliostats.merge(rows.heliostats);
    if (left) *left = std::move(rows);
}

/// Returns the rows for the position of the sun; for a series those of the first step.
AimRows find_rows_of_sun(const Section& aim, const AimTable& table, const SunConfig& sun) {
    if (table.steps.empty()) return {};
    if (table.kind == AimTable::Steps::none || sun.series) return table.steps.front();
    if (const auto* time = std::get_if<SunTime>(&sun.position);
        time && sun.has_position && table.kind == AimTable::Steps::by_time) {
        const IsoTime instant = parse_iso_time(time->iso8601);
        if (!instant.error.empty()) return {};
        if (const AimRows* rows = table.find(milliseconds_of(instant.normalised))) return *rows;
        aim.fail("file",
                 fmt::format("has no row at {}", time->iso8601),
                 "its aim points belong to other times",
                 "choose one of its times for sun.time");
        return {};
    }
    aim.fail("file",
             "has the aim points of several steps",
             "this run has none of them",
             "trace the series they were chosen for, or remove the other steps and the column");
    return {};
}

void read_file(const Section& aim, RunConfig& config) {
    if (!aim.has("file")) return;
    config.aim.file = existing_file(aim, "file");
    if (!config.aim.file) return;
    AimTable table;
    try {
        table = read_table(*config.aim.file, aim.problems());
        aim.warn(table.warning);
    } catch (const InputError& error) {
        aim.problems().insert(
            aim.problems().end(), error.problems().begin(), error.problems().end());
    }
    AimRows rows = find_rows_of_sun(aim, table, config.sun);
    add_rows(aim, std::move(rows), table.only, config.aim, &rows);
    config.locations.merge(rows.locations);
}

/// Reports heliostats without a target, as far as this is known without the scenario.
void check_targets(const Section& aim, const Section& heliostats, const AimConfig& config) {
    // A file that cannot be read has been reported already, and might name the targets.
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
    // Without the key, a result has named the heliostats.
    const YamlNode* active = aim.find("active");
    for (size_t i = 0; active && i < config.active->size(); ++i) {
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

namespace {

/// Reads the settings that the configuration itself contains.
AimConfig read_own(const Section& aim, const Section& heliostats) {
    AimConfig config;
    read_members(aim, config);
    read_active(aim, config);
    for (const std::string& name : heliostats.keys()) {
        config.heliostats[name] = read_heliostat(heliostats.section(name));
    }
    return config;
}

/// Checks that every heliostat keeps its target, because results of a series have one target for
/// each heliostat.
void check_same_targets(const std::vector<AimConfig>& steps,
                        const std::string& file,
                        std::vector<Problem>& problems) {
    for (const AimConfig& step : steps) {
        for (const auto& [name, aim] : step.heliostats) {
            const auto first = steps.front().heliostats.find(name);
            if (first == steps.front().heliostats.end() || first->second.target == aim.target)
                continue;
            problems.push_back({file,
                                fmt::format("heliostat '{}' changes its target", name),
                                "the result of a series has one target for each heliostat",
                                "trace the steps before and after as series of their own"});
            return;
        }
    }
}

}  // namespace

void read_aim(const Section& root, RunConfig& config) {
    const Section aim = root.section("aim");
    const Section heliostats = aim.section("heliostats");
    config.aim = read_own(aim, heliostats);
    read_file(aim, config);
    check_targets(aim, heliostats, config.aim);
}

std::vector<AimConfig> read_step_aims(const RunConfig& config,
                                      const std::vector<std::string>& times) {
    if (!config.aim.file) return {};
    std::vector<Problem> problems;
    AimTable table = read_table(*config.aim.file, problems);
    if (table.kind == AimTable::Steps::none && problems.empty()) return {};
    const YamlNode root = parse_yaml(config.text, "configuration");
    const Section aim = Section(root, problems).section("aim");
    AimConfig own = read_own(aim, aim.section("heliostats"));
    own.file = config.aim.file;
    std::vector<AimConfig> steps;
    for (size_t step = 0; step < times.size(); ++step) {
        auto key = static_cast<int64_t>(step);
        if (table.kind == AimTable::Steps::by_time) {
            const IsoTime time = parse_iso_time(times[step]);
            key = time.error.empty() ? milliseconds_of(time.normalised)
                                     : std::numeric_limits<int64_t>::min();
        }
        const AimRows* rows = table.find(key);
        if (!rows) {
            problems.push_back({config.aim.file->string(),
                                fmt::format("has no rows for step {}{}",
                                            step,
                                            times[step].empty() ? "" : " (" + times[step] + ")"),
                                "every step of the series needs its aim points",
                                "choose them with helioray aim for the same positions of the sun"});
            continue;
        }
        steps.push_back(own);
        add_rows(aim, *rows, table.only, steps.back());
    }
    if (problems.empty()) check_same_targets(steps, config.aim.file->string(), problems);
    if (!problems.empty()) throw InputError(std::move(problems));
    return steps;
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Describes the circumstances of a result.
#include "app/output/summary/run_context.h"

#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/provenance.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/config/key_table.h"
#include "scenario/config/section.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

namespace helioray {

namespace {

/// The sections of a stored configuration that pictures show. Files that it names may be gone, so
/// problems do not matter here.
struct StoredSections {
    SunConfig sun;
    RunConfig aims;
    std::vector<ObstacleConfig> obstacles;
    TerrainConfig terrain;  ///< empty unless it was asked for
    std::string terrain_file;
    bool is_readable = false;
};

/// reads_ground: whether the file of the terrain is read, which may be large.
StoredSections read_stored(const Provenance& provenance, bool reads_ground = false) {
    StoredSections stored;
    try {
        const YamlNode root = parse_yaml(provenance.config, "config");
        if (root.kind != YamlNode::Kind::map) return stored;
        std::vector<Problem> ignored;
        std::vector<std::string> warnings;
        const std::filesystem::path folder = input_folder(provenance);
        const Section top(root, ignored, known_keys(), &warnings, &folder);
        read_sun(top, stored.sun);
        read_aim(top, stored.aims);
        read_obstacles(top, stored.obstacles);
        if (top.has("terrain"))
            stored.terrain_file = top.section("terrain").text("file").value_or("");
        if (reads_ground) read_terrain(top, stored.terrain);
        stored.is_readable = root.find("sun") != nullptr;
    } catch (const InputError&) {
        stored.is_readable = false;
    }
    return stored;
}

/// Returns true if the configuration names heliostats that are off or on.
bool names_active(const AimConfig& aim) {
    return aim.active || aim.file ||
           std::ranges::any_of(aim.heliostats, [](const auto& one) { return !one.second.active; });
}

/// Returns "3" or "3 to 5" in metres.
std::string range_text(double low, double high, int digits) {
    const std::string first = significant(low, digits);
    const std::string last = significant(high, digits);
    return first == last ? first : first + " to " + last;
}

}  // namespace

Surroundings read_surroundings(const RunResult& result) {
    const StoredSections stored = read_stored(result.provenance, true);
    Surroundings found;
    found.obstacles = stored.obstacles;
    found.terrain = stored.terrain_file;
    found.ground = stored.terrain.ground;
    const std::filesystem::path file = result.provenance.scenario_file;
    std::error_code error;
    const auto lost = [&](const char* why) {
        if (names_active(stored.aims.aim))
            found.unknown = fmt::format(
                "heliostats that are off are not shown: {} {}", file.filename().string(), why);
        return found;
    };
    if (!std::filesystem::is_regular_file(file, error)) return lost("is not there any more");
    try {
        if (sha256_of_file(file) != result.provenance.scenario_sha256) return lost("has changed");
        const Scenario scenario = read_scenario(file);
        std::set<std::string> active;
        for (const HeliostatResult& heliostat : result.heliostats) active.insert(heliostat.name);
        for (const Heliostat& heliostat : scenario.heliostats)
            if (!active.contains(heliostat.name))
                found.idle.push_back({heliostat.name, heliostat.position});
        for (const HeliostatResult& heliostat : result.heliostats) {
            const auto index = scenario.find_heliostat(heliostat.name);
            if (!index) {
                found.mirrors.clear();
                break;
            }
            found.mirrors.push_back(scenario.heliostats[*index].surface);
        }
    } catch (const InputError&) {
        return lost("cannot be read");
    }
    return found;
}

std::string idle_text(const Surroundings& surroundings) {
    if (surroundings.idle.empty()) return surroundings.unknown;
    constexpr std::size_t kMostNames = 6;
    std::vector<std::string> names;
    for (const IdleHeliostat& heliostat : surroundings.idle) {
        if (names.size() == kMostNames) break;
        names.push_back(heliostat.name);
    }
    if (surroundings.idle.size() > kMostNames) names.emplace_back("...");
    return fmt::format(
        "{} off: {}", counted(surroundings.idle.size(), "heliostat"), fmt::join(names, ", "));
}

std::string field_extent_text(const RunResult& result) {
    if (result.heliostats.empty()) return {};
    std::vector<double> distances;
    std::vector<double> widths;
    std::vector<double> heights;
    for (const HeliostatResult& heliostat : result.heliostats) {
        const Vec3 away = subtract(heliostat.aim_point, mirror_origin(heliostat));
        distances.push_back(std::hypot(away[0], away[1]));
        if (!heliostat.mirror_outline) continue;
        const auto& corners = *heliostat.mirror_outline;
        widths.push_back(norm(subtract(corners[1], corners[0])));
        heights.push_back(norm(subtract(corners[2], corners[1])));
    }
    std::string text = counted(result.heliostats.size(), "heliostat");
    const auto [near, far] = std::ranges::minmax(distances);
    text += fmt::format(", {} m from the tower", range_text(near, far, 3));
    if (widths.empty()) return text;
    const auto [narrow, wide] = std::ranges::minmax(widths);
    const auto [low, high] = std::ranges::minmax(heights);
    return text + fmt::format(
                      ", mirrors {} x {} m", range_text(narrow, wide, 3), range_text(low, high, 3));
}

std::string light_text(const RunResult& result) {
    if (!result.step.empty()) return result.step;
    const StoredSections stored = read_stored(result.provenance);
    if (!stored.is_readable) return {};
    std::string text;
    if (const auto* time = std::get_if<SunTime>(&stored.sun.position)) text = time->iso8601;
    if (energy_unit(result) != "W") return text;
    text += fmt::format("{}DNI {:.4g} W/m²", text.empty() ? "" : "  ·  ", stored.sun.dni);
    if (const auto& temperature = result.provenance.temperature_c)
        text += fmt::format("  ·  {:.3g} °C", *temperature);
    return text;
}

std::string run_text(const RunResult& result) {
    std::vector<std::string> parts;
    const auto add = [&parts](std::string part) {
        if (!part.empty()) parts.push_back(std::move(part));
    };
    add(light_text(result));
    const std::string sun = sun_text(result.provenance.sun_direction);
    if (!sun.empty()) add("Sun " + sun);
    if (result.provenance.rays > 0) add(count_text(result.provenance.rays) + " rays");
    const std::string field = field_extent_text(result);
    return fmt::format("{}{}{}", fmt::join(parts, "  ·  "), field.empty() ? "" : "\n", field);
}

}  // namespace helioray

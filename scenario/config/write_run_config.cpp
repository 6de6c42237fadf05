// SPDX-License-Identifier: MIT
// YAML text of a run configuration, written anew or from its tree.
#include "scenario/config/write_run_config.h"

#include "scenario/config/choices.h"
#include "scenario/config/key_table.h"
#include "scenario/config/yaml_tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace helioray {

namespace {

/// Plain where YAML reads it as the same text, else in double quotes.
std::string quoted(const std::string& text) {
    const bool plain = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) &&
                       std::all_of(text.begin(), text.end(), [](char c) {
                           return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                                  c == '-' || c == '.' || c == '/';
                       });
    static const std::string kWords[] = {
        "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"};
    if (plain && std::find(std::begin(kWords), std::end(kWords), text) == std::end(kWords))
        return text;
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string vector_text(const Vec3& v) {
    return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
}

/// The last part of a declared path.
std::string key_of(const std::string& path) {
    const std::string& declared = declaration_of(path).path;
    return declared.substr(declared.rfind('.') + 1);
}

std::string entry(const std::string& path, const std::string& value) {
    return key_of(path) + ": " + value;
}

std::string entry(const std::string& path, double value) {
    return entry(path, fmt::format("{}", value));
}

/// The same of an angle, in the key's unit, which the reader turns into the same radians; without
/// the last digits of rounding.
std::string angle(const std::string& path, double radians) {
    return entry(path, fmt::format("{:.12g}", radians / radians_per(declaration_of(path).unit)));
}

/// "{key: value, key: value}"
std::string map_text(const std::vector<std::string>& entries) {
    return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

std::string sun_text(const SunConfig& sun) {
    std::vector<std::string> entries;
    if (const auto* angles = std::get_if<SunAngles>(&sun.position)) {
        entries.push_back(angle("sun.azimuth_deg", angles->azimuth));
        entries.push_back(angle("sun.elevation_deg", angles->elevation));
    } else if (const auto* incident = std::get_if<SunIncidentDirection>(&sun.position)) {
        entries.push_back(entry("sun.incident_direction", vector_text(incident->direction)));
    } else {
        entries.push_back(entry("sun.time", std::get<SunTime>(sun.position).iso8601));
    }
    entries.push_back(entry("sun.dni_w_m2", sun.dni));
    const auto shape = [&](SunShapeKind kind, const char* key, double width) {
        const std::string type = entry("sun.shape.type", word_of(kSunShapeKinds, kind));
        entries.push_back("shape: " + map_text({type, angle(key, width)}));
    };
    if (sun.shape) {
        if (const auto* gauss = std::get_if<GaussianShape>(&*sun.shape))
            shape(SunShapeKind::gaussian, "sun.shape.sigma_mrad", gauss->sigma);
        if (const auto* disk = std::get_if<PillboxShape>(&*sun.shape))
            shape(SunShapeKind::pillbox, "sun.shape.half_angle_mrad", disk->half_angle);
    }
    return fmt::format("sun:\n  {}\n", fmt::join(entries, "\n  "));
}

std::string heliostat_text(const HeliostatAim& aim) {
    const std::string above = "aim.heliostats.<name>.";
    std::vector<std::string> entries;
    if (aim.target) entries.push_back(entry(above + "target", quoted(*aim.target)));
    if (aim.point) entries.push_back(entry(above + "point", vector_text(*aim.point)));
    if (aim.motor_positions) {
        const auto& [first, second] = *aim.motor_positions;
        entries.push_back(entry(above + "motor_positions", fmt::format("[{}, {}]", first, second)));
    }
    return map_text(entries);
}

std::string aim_text(const AimConfig& aim) {
    std::string text = "aim:\n";
    if (aim.target) text += "  " + entry("aim.target", quoted(*aim.target)) + "\n";
    if (aim.point) text += "  " + entry("aim.point", vector_text(*aim.point)) + "\n";
    if (aim.active) {
        text += "  " + key_of("aim.active") + ":\n";
        for (const std::string& name : *aim.active) text += "    - " + quoted(name) + "\n";
    }
    if (!aim.heliostats.empty()) text += "  heliostats:\n";
    for (const auto& [name, own] : aim.heliostats) {
        text += fmt::format("    {}: {}\n", quoted(name), heliostat_text(own));
    }
    return text;
}

/// `key`: optics.slope_error or optics.specularity_error.
std::string error_text(const std::string& key, const ErrorShape& error) {
    if (const auto* gauss = std::get_if<GaussianShape>(&error)) {
        return "  " + angle(key + "_mrad", gauss->sigma) + "\n";
    }
    if (const auto* disk = std::get_if<PillboxShape>(&error)) {
        const std::string map =
            map_text({entry(key + ".type", word_of(kErrorKinds, ErrorKind::pillbox)),
                      angle(key + ".half_angle_mrad", disk->half_angle)});
        return fmt::format("  {}: {}\n", key.substr(key.rfind('.') + 1), map);
    }
    return "";
}

std::string obstacle_text(const ObstacleConfig& obstacle) {
    const std::string above = "obstacles[].";
    const auto type = [&](ObstacleKind kind) {
        return entry(above + "type", word_of(kObstacleKinds, kind));
    };
    std::vector<std::string> entries{entry(above + "name", quoted(obstacle.name))};
    if (const auto* cylinder = std::get_if<CylinderObstacle>(&obstacle.shape)) {
        entries.push_back(type(ObstacleKind::cylinder));
        entries.push_back(entry(above + "base", vector_text(cylinder->base)));
        entries.push_back(entry(above + "axis", vector_text(cylinder->axis)));
        entries.push_back(entry(above + "radius_m", cylinder->radius));
        entries.push_back(entry(above + "height_m", cylinder->height));
    } else {
        const auto& box = std::get<BoxObstacle>(obstacle.shape);
        entries.push_back(type(ObstacleKind::box));
        entries.push_back(entry(above + "center", vector_text(box.center)));
        entries.push_back(entry(above + "size_m", vector_text(box.size)));
        entries.push_back(angle(above + "azimuth_deg", box.azimuth));
    }
    return "  - " + map_text(entries) + "\n";
}

}  // namespace

std::string run_config_text(const RunConfig& config, const std::string& comment) {
    std::string text;
    size_t begin = 0;
    while (begin < comment.size()) {
        const size_t end = std::min(comment.find('\n', begin), comment.size());
        text += "# " + comment.substr(begin, end - begin) + "\n";
        begin = end + 1;
    }
    text += entry("scenario", quoted(config.scenario.generic_string())) + "\n";
    text += sun_text(config.sun) + aim_text(config.aim);
    text += "optics:\n  " + entry("optics.reflectivity", config.optics.reflectivity) + "\n";
    text += error_text("optics.slope_error", config.optics.slope_error);
    text += error_text("optics.specularity_error", config.optics.specularity_error);
    if (!config.obstacles.empty()) text += "obstacles:\n";
    for (const ObstacleConfig& obstacle : config.obstacles) text += obstacle_text(obstacle);
    const std::string rays = std::to_string(config.tracing.rays_per_heliostat);
    text += "tracing: " + map_text({entry("tracing.rays_per_heliostat", rays)}) + "\n";
    if (config.output.file || config.output.image) text += "output:\n";
    if (config.output.file)
        text += "  " + entry("output.file", quoted(config.output.file->generic_string())) + "\n";
    if (config.output.image)
        text += "  " + entry("output.image", quoted(config.output.image->generic_string())) + "\n";
    return text;
}

namespace {

void collect(const YamlNode& node,
             const std::string& path,
             std::map<std::string, std::string>& values) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            break;
        case YamlNode::Kind::scalar:
            values[path] = node.text;
            break;
        case YamlNode::Kind::sequence:
            for (size_t i = 0; i < node.items.size(); ++i)
                collect(node.items[i], fmt::format("{}[{}]", path, i), values);
            break;
        case YamlNode::Kind::map:
            for (const YamlEntry& entry : node.entries)
                collect(entry.value, path.empty() ? entry.key : path + "." + entry.key, values);
            break;
    }
}

void erase(YamlNode* map, const std::string& key) {
    if (map) std::erase_if(map->entries, [&](const YamlEntry& entry) { return entry.key == key; });
}

}  // namespace

std::map<std::string, std::string> written_values(const RunConfig& config) {
    std::map<std::string, std::string> values;
    if (!config.text.empty()) collect(parse_yaml(config.text, "configuration"), "", values);
    return values;
}

std::string determining_text(const RunConfig& config) {
    YamlNode root = parse_yaml(config.text, "configuration");
    for (const char* key : {"scenario", "device", "distributed"}) erase(&root, key);
    for (const char* key : {"file", "image", "checkpoint_minutes"}) erase(root.find("output"), key);
    YamlNode* sun = root.find("sun");
    if (config.sun.series) {
        for (const char* key : {"azimuth_deg",
                                "elevation_deg",
                                "time",
                                "incident_direction",
                                "times",
                                "positions",
                                "file",
                                "dni_w_m2"}) {
            erase(sun, key);
        }
    }
    if (YamlNode* shape = sun ? sun->find("shape") : nullptr) erase(shape, "file");

    std::string text = emit_yaml(root);
    if (!config.sun.shape) return text;
    if (const auto* table = std::get_if<TableShape>(&*config.sun.shape)) {
        for (size_t i = 0; i < table->angle.size(); ++i)
            text += fmt::format("{} {}\n", table->angle[i], table->radiance[i]);
    }
    return text;
}

}  // namespace helioray

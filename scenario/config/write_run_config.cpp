// SPDX-License-Identifier: MIT
// Writes the YAML text of a run configuration, from its values or from its tree.
#include "scenario/config/write_run_config.h"

#include "scenario/config/key_table.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace helioray {

namespace {

/// Returns the text plain if YAML reads it unchanged, otherwise in double quotes.
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

/// Returns the last part of a declared path.
std::string last_key(const std::string& path) {
    const std::string& declared = find_declaration(path).path;
    return declared.substr(declared.rfind('.') + 1);
}

std::string entry(const std::string& path, const std::string& value) {
    return last_key(path) + ": " + value;
}

std::string entry(const std::string& path, double value) {
    return entry(path, fmt::format("{}", value));
}

/// Returns the entry of an angle in the key's unit. It omits the last, rounded digits; the reader
/// converts it back to the same radians.
std::string angle(const std::string& path, double radians) {
    return entry(path, fmt::format("{:.12g}", radians / radians_per(find_declaration(path).unit)));
}

/// Returns "{key: value, key: value}".
std::string map_text(const std::vector<std::string>& entries) {
    return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

std::vector<std::string> make_entries(const SunAngles& position) {
    return {angle("sun.azimuth_deg", position.azimuth),
            angle("sun.elevation_deg", position.elevation)};
}
std::vector<std::string> make_entries(const SunIncidentDirection& position) {
    return {entry("sun.incident_direction", vector_text(position.direction))};
}
std::vector<std::string> make_entries(const SunTime& position) {
    return {entry("sun.time", position.iso8601)};
}

std::string shape_text(SunShapeKind kind, const std::vector<std::string>& parameters) {
    std::vector<std::string> entries{entry("sun.shape.type", find_word(kSunShapeKinds, kind))};
    entries.insert(entries.end(), parameters.begin(), parameters.end());
    return map_text(entries);
}
std::string shape_text(const GaussianShape& shape) {
    return shape_text(SunShapeKind::gaussian, {angle("sun.shape.sigma_mrad", shape.sigma)});
}
std::string shape_text(const PillboxShape& shape) {
    return shape_text(SunShapeKind::pillbox,
                      {angle("sun.shape.half_angle_mrad", shape.half_angle)});
}
std::string shape_text(const BuieShape& shape) {
    return shape_text(
        SunShapeKind::buie,
        {entry("sun.shape.csr", shape.csr),
         entry("sun.shape.calibration", find_word(kBuieCalibrations, shape.calibration))});
}
std::string shape_text(const LimbDarkenedShape&) {
    return shape_text(SunShapeKind::limb_darkened, {});
}
std::string shape_text(const CollimatedShape&) {
    return shape_text(SunShapeKind::collimated, {});
}
std::string shape_text(const GaussSumShape& shape) {
    std::vector<std::string> terms;
    for (size_t i = 0; i < shape.sigma.size(); ++i)
        terms.push_back(fmt::format("[{:.12g}, {}]", 1e3 * shape.sigma[i], shape.share[i]));
    return shape_text(SunShapeKind::gauss_sum,
                      {entry("sun.shape.terms", fmt::format("[{}]", fmt::join(terms, ", ")))});
}
/// A table is in a separate file, which the scenario names.
std::string shape_text(const TableShape&) {
    return "";
}

std::string sun_text(const SunConfig& sun) {
    std::vector<std::string> entries =
        std::visit([](const auto& position) { return make_entries(position); }, sun.position);
    entries.push_back(entry("sun.dni_w_m2", sun.dni));
    const std::string shape =
        sun.shape
            ? std::visit([](const auto& parameters) { return shape_text(parameters); }, *sun.shape)
            : "";
    if (!shape.empty()) entries.push_back("shape: " + shape);
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
    if (!aim.active) entries.push_back(entry(above + "active", find_word(kYesOrNo, aim.active)));
    return map_text(entries);
}

std::string aim_text(const AimConfig& aim) {
    std::string text = "aim:\n";
    if (aim.target) text += "  " + entry("aim.target", quoted(*aim.target)) + "\n";
    if (aim.point) text += "  " + entry("aim.point", vector_text(*aim.point)) + "\n";
    if (aim.active) {
        text += "  " + last_key("aim.active") + ":\n";
        for (const std::string& name : *aim.active) text += "    - " + quoted(name) + "\n";
    }
    if (!aim.heliostats.empty()) text += "  heliostats:\n";
    for (const auto& [name, own] : aim.heliostats) {
        text += fmt::format("    {}: {}\n", quoted(name), heliostat_text(own));
    }
    return text;
}

/// Returns section aiming with the values that differ from the defaults, or an empty text.
std::string aiming_text(const AimingConfig& aiming) {
    const AimingConfig usual;
    std::vector<std::string> entries;
    const auto path_text = [](const char* key, const std::filesystem::path& file) {
        return map_text({entry(key, quoted(file.generic_string()))});
    };
    const auto add_number = [&](const char* key, double value, double unused) {
        if (value != unused) entries.push_back(entry(key, value));
    };
    if (aiming.strategy != usual.strategy)
        entries.push_back(entry("aiming.strategy", find_word(kStrategies, aiming.strategy)));
    if (aiming.flux_limit)
        entries.push_back(entry("aiming.flux_limit_kw_m2", *aiming.flux_limit / 1e3));
    if (aiming.flux_limit_file)
        entries.push_back("flux_limit: " +
                          path_text("aiming.flux_limit.file", *aiming.flux_limit_file));
    if (aiming.target_map) {
        const std::string map =
            entry("aiming.objective.target_map", quoted(aiming.target_map->generic_string()));
        const std::string measure =
            entry("aiming.objective.measure", find_word(kMapMeasures, aiming.map_measure));
        entries.push_back(entry("aiming.objective", map_text({map, measure})));
    }
    add_number("aiming.robust_sigma", aiming.robust_sigma, usual.robust_sigma);
    if (aiming.robust_confidence)
        entries.push_back(entry("aiming.robust_confidence", *aiming.robust_confidence));
    add_number("aiming.sigma_factor", aiming.sigma_factor, usual.sigma_factor);
    if (!aiming.target_shares.empty()) {
        std::vector<std::string> shares;
        for (const auto& [name, share] : aiming.target_shares)
            shares.push_back(fmt::format("{}: {}", quoted(name), share));
        entries.push_back("target_shares: " + map_text(shares));
    }
    if (aiming.max_move_m_per_minute)
        entries.push_back(entry("aiming.max_move_m_per_minute", *aiming.max_move_m_per_minute));
    add_number("aiming.min_move_m", aiming.min_move, usual.min_move);
    if (entries.empty()) return "";
    return fmt::format("aiming:\n  {}\n", fmt::join(entries, "\n  "));
}

// `key` is optics.slope_error or optics.specularity_error.
std::string error_text(const std::string& key, const GaussianShape& error) {
    return "  " + angle(key + "_mrad", error.sigma) + "\n";
}
std::string error_text(const std::string& key, const PillboxShape& error) {
    const std::string map =
        map_text({entry(key + ".type", find_word(kErrorKinds, ErrorKind::pillbox)),
                  angle(key + ".half_angle_mrad", error.half_angle)});
    return fmt::format("  {}: {}\n", key.substr(key.rfind('.') + 1), map);
}
std::string error_text(const std::string&, const NoError&) {
    return "";
}

std::vector<std::string> make_entries(const CylinderObstacle& cylinder) {
    return {entry("obstacles[].type", find_word(kObstacleKinds, ObstacleKind::cylinder)),
            entry("obstacles[].base", vector_text(cylinder.base)),
            entry("obstacles[].axis", vector_text(cylinder.axis)),
            entry("obstacles[].radius_m", cylinder.radius),
            entry("obstacles[].height_m", cylinder.height)};
}
std::vector<std::string> make_entries(const BoxObstacle& box) {
    return {entry("obstacles[].type", find_word(kObstacleKinds, ObstacleKind::box)),
            entry("obstacles[].center", vector_text(box.center)),
            entry("obstacles[].size_m", vector_text(box.size)),
            angle("obstacles[].azimuth_deg", box.azimuth)};
}

std::string obstacle_text(const ObstacleConfig& obstacle) {
    std::vector<std::string> entries =
        std::visit([](const auto& shape) { return make_entries(shape); }, obstacle.shape);
    entries.insert(entries.begin(), entry("obstacles[].name", quoted(obstacle.name)));
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
    text += sun_text(config.sun) + aim_text(config.aim) + aiming_text(config.aiming);
    text += "optics:\n  " + entry("optics.reflectivity", config.optics.reflectivity) + "\n";
    const auto add_error = [&](const std::string& key, const ErrorShape& error) {
        text += std::visit([&](const auto& shape) { return error_text(key, shape); }, error);
    };
    add_error("optics.slope_error", config.optics.slope_error);
    add_error("optics.specularity_error", config.optics.specularity_error);
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
    if (map) map->remove(key);
}

}  // namespace

std::map<std::string, std::string> written_values(const YamlNode& written) {
    std::map<std::string, std::string> values;
    collect(written, "", values);
    return values;
}

std::string determining_text(const RunConfig& config, YamlNode written) {
    for (const char* key : {"scenario", "aiming", "device", "distributed"}) erase(&written, key);
    for (const char* key : {"file", "image", "checkpoint_minutes"})
        erase(written.find("output"), key);
    YamlNode* sun = written.find("sun");
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
    if (YamlNode* clouds = sun ? sun->find("clouds") : nullptr) erase(clouds, "file");

    if (config.aim.file) erase(written.find("aim"), "file");

    std::string text = emit_yaml(written);
    if (config.aim.file) text += aim_text(config.aim);
    if (!config.sun.shape) return text;
    if (const auto* table = std::get_if<TableShape>(&*config.sun.shape)) {
        for (size_t i = 0; i < table->angle.size(); ++i)
            text += fmt::format("{} {}\n", table->angle[i], table->radiance[i]);
    }
    return text;
}

}  // namespace helioray

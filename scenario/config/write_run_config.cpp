// SPDX-License-Identifier: MIT
// Writes the YAML text of a run configuration, from its values or from its tree.
#include "scenario/config/write_run_config.h"

#include "scenario/config/bound_key.h"
#include "scenario/config/config_text.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/units.h"
#include "scenario/types/choices.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <vector>

namespace helioray {

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

namespace key_values {

std::string number_text(const KeyInfo& info, double value) {
    const double factor = unit_factor(info.unit);
    const bool is_angle = factor < 1.0;
    if (is_angle) return fmt::format("{:.12g}", value / factor);
    return fmt::format("{}", value / factor);
}

std::string list_text(const std::vector<std::string>& items) {
    return fmt::format("[{}]", fmt::join(items, ", "));
}

}  // namespace key_values

namespace {

std::vector<std::string> make_entries(const SunAngles& position) {
    return {entry("sun.azimuth_deg", position.azimuth),
            entry("sun.elevation_deg", position.elevation)};
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
    return shape_text(SunShapeKind::gaussian, {entry("sun.shape.sigma_mrad", shape.sigma)});
}
std::string shape_text(const PillboxShape& shape) {
    return shape_text(SunShapeKind::pillbox,
                      {entry("sun.shape.half_angle_mrad", shape.half_angle)});
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
std::string shape_text(const TableShape& shape) {
    std::vector<std::string> points;
    for (size_t i = 0; i < shape.angle.size(); ++i)
        points.push_back(fmt::format("[{:.15g}, {}]", 1e3 * shape.angle[i], shape.radiance[i]));
    return shape_text(SunShapeKind::table,
                      {entry("sun.shape.radiance", key_values::list_text(points))});
}

/// Returns the entry of times that follow each other with the same step.
std::string range_text(const std::vector<std::string>& times) {
    const std::int64_t step =
        times.size() > 1 ? milliseconds_of(times[1]) - milliseconds_of(times[0]) : 60000;
    return "times: " +
           map_text({entry("sun.times.start", quoted(times.front())),
                     entry("sun.times.end", quoted(times.back())),
                     entry("sun.times.step_minutes", static_cast<double>(step) / 60e3)});
}

/// Returns the entry of positions that are not from a file.
std::string series_text(const SunConfig& sun) {
    std::vector<std::string> times, positions;
    for (const SunStep& step : sun.series->steps) {
        if (const auto* time = std::get_if<SunTime>(&step.position)) {
            times.push_back(time->iso8601);
        } else if (const auto* angles = std::get_if<SunAngles>(&step.position)) {
            std::vector<std::string> entries{
                entry("sun.positions[].azimuth_deg", angles->azimuth),
                entry("sun.positions[].elevation_deg", angles->elevation)};
            if (step.dni != sun.dni) entries.push_back(entry("sun.positions[].dni_w_m2", step.dni));
            if (step.temperature)
                entries.push_back(entry("sun.positions[].temperature_c", *step.temperature));
            positions.push_back(map_text(entries));
        }
    }
    if (times.empty()) return "positions: " + key_values::list_text(positions);
    if (sun.series->leave_out_dark) return range_text(times);
    std::transform(times.begin(), times.end(), times.begin(), quoted);
    return entry("sun.times", key_values::list_text(times));
}

std::string clouds_text(const CloudConfig& clouds) {
    std::vector<std::string> entries{
        entry("sun.clouds.file", quoted(clouds.file.generic_string()))};
    if (clouds.map_instant) {
        const auto& [east, north] = clouds.velocity;
        entries.push_back(entry("sun.clouds.velocity_m_s", fmt::format("[{}, {}]", east, north)));
        entries.push_back(
            entry("sun.clouds.time",
                  quoted(iso_time_at(*clouds.map_instant, "1970-01-01T00:00:00+00:00"))));
    }
    return map_text(entries);
}

std::string sun_text(const SunConfig& sun) {
    std::vector<std::string> entries;
    if (!sun.series && sun.has_position)
        entries =
            std::visit([](const auto& position) { return make_entries(position); }, sun.position);
    if (sun.series && !sun.series_file) entries.push_back(series_text(sun));
    for (const std::string& member : member_entries("sun", sun)) entries.push_back(member);
    if (sun.shape) {
        const bool is_file = std::holds_alternative<TableShape>(*sun.shape) && sun.shape_file;
        const std::string shape =
            is_file ? shape_text(SunShapeKind::table, member_entries("sun.shape", sun))
                    : std::visit([](const auto& parameters) { return shape_text(parameters); },
                                 *sun.shape);
        entries.push_back("shape: " + shape);
    }
    if (sun.clouds) entries.push_back("clouds: " + clouds_text(*sun.clouds));
    return section_text("sun", entries);
}

/// Places of the values in a configuration, by key path.
using Locations = std::map<std::string, ConfigLocation>;

/// Returns section aim. With `written`, it has only the settings of heliostats that the
/// configuration itself contains; all others are from aim.file.
std::string aim_text(const AimConfig& aim, const Locations* written = nullptr) {
    std::string text = "aim:\n";
    for (const std::string& member : member_entries("aim", aim)) text += "  " + member + "\n";
    if (aim.active && (!written || written->contains("aim.active"))) {
        text += "  " + last_key("aim.active") + ":\n";
        for (const std::string& name : *aim.active) text += "    - " + quoted(name) + "\n";
    }
    std::string heliostats;
    for (const auto& [name, settings] : aim.heliostats) {
        std::vector<std::string> entries;
        for (const BoundKey<HeliostatAim>& key : bound_keys(settings)) {
            const std::string path = fmt::format("aim.heliostats.{}.{}", name, key.name);
            if (written ? written->contains(path) : !key.is_usual(settings))
                entries.push_back(key.name + ": " + key.text(settings));
        }
        if (!written || !entries.empty())
            heliostats += fmt::format("    {}: {}\n", quoted(name), map_text(entries));
    }
    return text + (heliostats.empty() ? "" : "  heliostats:\n" + heliostats);
}

std::string aiming_text(const AimingConfig& aiming) {
    std::vector<std::string> entries = member_entries("aiming", aiming);
    add_map(entries, "aiming.flux_limit", member_entries("aiming.flux_limit", aiming));
    add_map(entries, "aiming.objective", member_entries("aiming.objective", aiming));
    std::vector<std::string> shares;
    for (const auto& [name, share] : aiming.target_shares)
        shares.push_back(fmt::format("{}: {}", quoted(name), share));
    add_map(entries, "aiming.target_shares", shares);
    return section_text("aiming", entries);
}

// `key` is optics.slope_error or optics.specularity_error.
std::string error_text(const std::string& key, const GaussianShape& error) {
    return entry(key + "_mrad", error.sigma);
}
std::string error_text(const std::string& key, const PillboxShape& error) {
    return key.substr(key.rfind('.') + 1) + ": " +
           map_text({entry(key + ".type", find_word(kErrorKinds, ErrorKind::pillbox)),
                     entry(key + ".half_angle_mrad", error.half_angle)});
}
std::string error_text(const std::string&, const NoError&) {
    return "";
}

std::string attenuation_text(const AttenuationConfig& attenuation) {
    using Attenuation = AttenuationConfig::Model;
    const std::string model = find_word(kAttenuationModels, attenuation.model);
    std::vector<std::string> entries{entry("optics.attenuation.model", model)};
    if (attenuation.model == Attenuation::exponential) {
        entries.push_back(entry("optics.attenuation.per_km", attenuation.per_km));
    } else if (attenuation.model == Attenuation::polynomial) {
        // Coefficients that are left out are 0.
        size_t count = attenuation.coefficients.size();
        while (count > 1 && attenuation.coefficients[count - 1] == 0.0) --count;
        entries.push_back(entry("optics.attenuation.coefficients",
                                fmt::format("[{}]",
                                            fmt::join(attenuation.coefficients.begin(),
                                                      attenuation.coefficients.begin() + count,
                                                      ", "))));
    } else {
        return entry("optics.attenuation", model);
    }
    return "attenuation: " + map_text(entries);
}

std::string optics_text(const OpticsConfig& optics) {
    std::vector<std::string> entries = member_entries("optics", optics);
    const auto add_error = [&](const std::string& key, const ErrorShape& error) {
        const std::string text =
            std::visit([&](const auto& shape) { return error_text(key, shape); }, error);
        if (!text.empty()) entries.push_back(text);
    };
    std::vector<std::string> pairs;
    for (const auto& [angle, factor] : optics.reflectivity_by_angle)
        pairs.push_back(fmt::format("[{:.12g}, {}]", angle / kRadiansPerDegree, factor));
    if (!pairs.empty())
        entries.push_back(entry("optics.reflectivity_by_angle", key_values::list_text(pairs)));
    add_error("optics.slope_error", optics.slope_error);
    add_error("optics.specularity_error", optics.specularity_error);
    if (optics.attenuation.model != AttenuationConfig::Model::none)
        entries.push_back(attenuation_text(optics.attenuation));
    return section_text("optics", entries);
}

std::string state_text(const StateConfig& state) {
    std::vector<std::string> entries = member_entries("state", state);
    std::vector<std::string> soiling = member_entries("state.soiling", state);
    add_map(soiling, "state.soiling.washing", member_entries("state.soiling.washing", state));
    add_map(entries, "state.soiling", soiling);
    add_map(entries, "state.outages", member_entries("state.outages", state));
    return section_text("state", entries);
}

std::string aperture_text(const ApertureConfig& aperture) {
    const std::string above = "targets.<name>.aperture.";
    std::vector<std::string> entries{entry(above + "center", vector_text(aperture.center)),
                                     entry(above + "normal", vector_text(aperture.normal))};
    if (aperture.radius > 0.0) {
        entries.push_back(entry(above + "radius_m", aperture.radius));
    } else {
        entries.push_back(entry(above + "width_m", aperture.width));
        entries.push_back(entry(above + "height_m", aperture.height));
    }
    return map_text(entries);
}

std::string targets_text(const std::map<std::string, TargetConfig>& targets) {
    std::vector<std::string> lines;
    for (const auto& [name, target] : targets) {
        std::vector<std::string> entries;
        if (target.aperture) entries.push_back("aperture: " + aperture_text(*target.aperture));
        if (!target.outline.empty()) {
            entries.push_back(entry("targets.<name>.outline_m", outline_text(target.outline)));
        }
        lines.push_back(quoted(name) + ": " + map_text(entries));
    }
    return section_text("targets", lines);
}

std::vector<std::string> make_entries(const CylinderObstacle& cylinder) {
    return {entry("obstacles[].type", find_word(kObstacleKinds, ObstacleKind::cylinder)),
            entry("obstacles[].base", vector_text(cylinder.base)),
            entry("obstacles[].axis", vector_text(cylinder.axis)),
            entry("obstacles[].radius_m", cylinder.radius),
            entry("obstacles[].height_m", cylinder.height)};
}
std::vector<std::string> make_entries(const ConeObstacle& cone) {
    return {entry("obstacles[].type", find_word(kObstacleKinds, ObstacleKind::cone)),
            entry("obstacles[].base", vector_text(cone.base)),
            entry("obstacles[].axis", vector_text(cone.axis)),
            entry("obstacles[].radius_m", cone.radius),
            entry("obstacles[].top_radius_m", cone.top_radius),
            entry("obstacles[].height_m", cone.height)};
}
std::vector<std::string> make_entries(const BoxObstacle& box) {
    return {entry("obstacles[].type", find_word(kObstacleKinds, ObstacleKind::box)),
            entry("obstacles[].center", vector_text(box.center)),
            entry("obstacles[].size_m", vector_text(box.size)),
            entry("obstacles[].azimuth_deg", box.azimuth)};
}

std::string obstacle_text(const ObstacleConfig& obstacle) {
    std::vector<std::string> entries =
        std::visit([](const auto& shape) { return make_entries(shape); }, obstacle.shape);
    entries.insert(entries.begin(), entry("obstacles[].name", quoted(obstacle.name)));
    return "  - " + map_text(entries) + "\n";
}

std::string obstacles_text(const std::vector<ObstacleConfig>& obstacles) {
    std::string text = obstacles.empty() ? "" : "obstacles:\n";
    for (const ObstacleConfig& obstacle : obstacles) text += obstacle_text(obstacle);
    return text;
}

std::string device_text(const DeviceConfig& device) {
    if (device.kind == DeviceConfig::Kind::automatic) return "";
    if (device.kind == DeviceConfig::Kind::cpu) return entry("device", "cpu") + "\n";
    const char* const separator = device.indices.empty() ? "" : ":";
    return entry("device", fmt::format("cuda{}{}", separator, fmt::join(device.indices, ","))) +
           "\n";
}

/// Returns a section whose keys are all bound in one line.
template <typename Struct>
std::string line_text(const std::string& section, const Struct& config) {
    const std::vector<std::string> entries = member_entries(section, config);
    return entries.empty() ? "" : section + ": " + map_text(entries) + "\n";
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
    text +=
        sun_text(config.sun) + aim_text(config.aim, config.aim.file ? &config.locations : nullptr);
    if (config.aim.file)
        text += "  " + entry("aim.file", quoted(config.aim.file->generic_string())) + "\n";
    text += aiming_text(config.aiming) + optics_text(config.optics) + state_text(config.state) +
            targets_text(config.targets) + obstacles_text(config.obstacles) +
            line_text("terrain", config.terrain) + receivers_text(config.receivers) +
            line_text("tracing", config.tracing) + line_text("artist", config.artist) +
            line_text("bitmap", config.bitmap);
    text += section_text("output", member_entries("output", config.output));
    text += device_text(config.device) + line_text("distributed", config.distributed);
    return text;
}

std::string field_config_text(const RunConfig& config) {
    return sun_text(config.sun) + optics_text(config.optics) + targets_text(config.targets) +
           receivers_text(config.receivers) + obstacles_text(config.obstacles) +
           line_text("terrain", config.terrain) + line_text("tracing", config.tracing) +
           line_text("bitmap", config.bitmap);
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

/// Removes a key and the maps above it that become empty. Maps of names and lists are removed as a
/// whole.
void erase(YamlNode& map, const std::string& path) {
    const size_t dot = path.find('.');
    std::string key = path.substr(0, dot);
    const bool is_list = key.ends_with("[]");
    if (is_list) key.resize(key.size() - 2);
    YamlNode* below = map.find(key);
    if (!below) return;
    const bool is_leaf = is_list || dot == std::string::npos || path[dot + 1] == '<';
    if (!is_leaf) erase(*below, path.substr(dot + 1));
    if (is_leaf || (below->kind == YamlNode::Kind::map && below->entries.empty())) map.remove(key);
}

}  // namespace

std::map<std::string, std::string> written_values(const YamlNode& written) {
    std::map<std::string, std::string> values;
    collect(written, "", values);
    return values;
}

std::string determining_text(const RunConfig& config, YamlNode written) {
    for (const KeyInfo& info : known_keys()) {
        const bool is_in_series = config.sun.series && info.is_position;
        if (!info.determines_flux || info.is_input_file || is_in_series) erase(written, info.path);
    }
    // The steps of a series have their own values of these.
    if (config.sun.series)
        for (const char* key : {"sun.dni_w_m2", "sun.temperature_c"})
            erase(written, find_declaration(key).path);

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

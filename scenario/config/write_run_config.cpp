// SPDX-License-Identifier: MIT
// YAML text of a run configuration.
#include "scenario/config/write_run_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numbers>

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

/// Degrees that the reader turns into the same radians, without the last digits of rounding.
std::string degrees(double radians) {
    return fmt::format("{:.12g}", radians * 180.0 / std::numbers::pi);
}

std::string mrad(double radians) {
    return fmt::format("{:.12g}", radians * 1e3);
}

std::string sun_text(const SunConfig& sun) {
    std::string text = "sun:\n";
    if (const auto* angles = std::get_if<SunAngles>(&sun.position)) {
        text += fmt::format("  azimuth_deg: {}\n  elevation_deg: {}\n",
                            degrees(angles->azimuth),
                            degrees(angles->elevation));
    } else if (const auto* incident = std::get_if<SunIncidentDirection>(&sun.position)) {
        text += fmt::format("  incident_direction: {}\n", vector_text(incident->direction));
    } else {
        text += fmt::format("  time: {}\n", std::get<SunTime>(sun.position).iso8601);
    }
    text += fmt::format("  dni_w_m2: {}\n", sun.dni);
    if (!sun.shape) return text;
    if (const auto* gauss = std::get_if<GaussianShape>(&*sun.shape)) {
        text += fmt::format("  shape: {{type: gaussian, sigma_mrad: {}}}\n", mrad(gauss->sigma));
    } else if (const auto* disk = std::get_if<PillboxShape>(&*sun.shape)) {
        text += fmt::format("  shape: {{type: pillbox, half_angle_mrad: {}}}\n",
                            mrad(disk->half_angle));
    }
    return text;
}

std::string heliostat_text(const HeliostatAim& aim) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (aim.target) add("target: " + quoted(*aim.target));
    if (aim.point) add("point: " + vector_text(*aim.point));
    if (aim.motor_positions)
        add(fmt::format(
            "motor_positions: [{}, {}]", (*aim.motor_positions)[0], (*aim.motor_positions)[1]));
    return "{" + text + "}";
}

std::string aim_text(const AimConfig& aim) {
    std::string text = "aim:\n";
    if (aim.target) text += "  target: " + quoted(*aim.target) + "\n";
    if (aim.point) text += "  point: " + vector_text(*aim.point) + "\n";
    if (aim.active) {
        text += "  active:\n";
        for (const std::string& name : *aim.active) text += "    - " + quoted(name) + "\n";
    }
    if (!aim.heliostats.empty()) text += "  heliostats:\n";
    for (const auto& [name, own] : aim.heliostats) {
        text += fmt::format("    {}: {}\n", quoted(name), heliostat_text(own));
    }
    return text;
}

std::string error_text(const std::string& key, const ErrorShape& error) {
    if (const auto* gauss = std::get_if<GaussianShape>(&error)) {
        return fmt::format("  {}_mrad: {}\n", key, mrad(gauss->sigma));
    }
    if (const auto* disk = std::get_if<PillboxShape>(&error)) {
        return fmt::format(
            "  {}: {{type: pillbox, half_angle_mrad: {}}}\n", key, mrad(disk->half_angle));
    }
    return "";
}

std::string obstacle_text(const ObstacleConfig& obstacle) {
    if (const auto* cylinder = std::get_if<CylinderObstacle>(&obstacle.shape)) {
        return fmt::format(
            "  - {{name: {}, type: cylinder, base: {}, axis: {}, radius_m: {}, height_m: {}}}\n",
            quoted(obstacle.name),
            vector_text(cylinder->base),
            vector_text(cylinder->axis),
            cylinder->radius,
            cylinder->height);
    }
    const auto& box = std::get<BoxObstacle>(obstacle.shape);
    return fmt::format("  - {{name: {}, type: box, center: {}, size_m: {}, azimuth_deg: {}}}\n",
                       quoted(obstacle.name),
                       vector_text(box.center),
                       vector_text(box.size),
                       degrees(box.azimuth));
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
    text += "scenario: " + quoted(config.scenario.generic_string()) + "\n";
    text += sun_text(config.sun) + aim_text(config.aim);
    text += fmt::format("optics:\n  reflectivity: {}\n", config.optics.reflectivity);
    text += error_text("slope_error", config.optics.slope_error);
    text += error_text("specularity_error", config.optics.specularity_error);
    if (!config.obstacles.empty()) text += "obstacles:\n";
    for (const ObstacleConfig& obstacle : config.obstacles) text += obstacle_text(obstacle);
    text += fmt::format("tracing: {{rays_per_heliostat: {}}}\n", config.tracing.rays_per_heliostat);
    if (config.output.file || config.output.image) text += "output:\n";
    if (config.output.file)
        text += "  file: " + quoted(config.output.file->generic_string()) + "\n";
    if (config.output.image)
        text += "  image: " + quoted(config.output.image->generic_string()) + "\n";
    return text;
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Finds the keys of a configuration in its file.
#include "scenario/types/run_config.h"

#include <fmt/format.h>

namespace helioray {

std::string where(const ConfigLocation& at, const std::string& path) {
    const std::string tail = path.empty() ? "" : ": " + path;
    if (at.line > 0) return fmt::format("{}:{}:{}{}", at.source, at.line, at.column, tail);
    if (at.source == "--set") return path.empty() ? at.source : at.source + " " + path;
    return at.source.starts_with("--") ? at.source : at.source + tail;
}

std::string place_of(const RunConfig& config, const std::string& key_path) {
    // If a key is not written, its section is the place to add it.
    std::string path = key_path;
    while (true) {
        const auto it = config.locations.find(path);
        // A section that an option of the command line added has no place.
        if (it != config.locations.end() && !it->second.source.empty())
            return where(it->second, key_path);
        if (path.empty()) return key_path;
        const size_t parent = path.find_last_of(".[");
        path.resize(parent == std::string::npos ? 0 : parent);
    }
}

std::string position_time(const SunConfig& sun) {
    if (const auto* time = std::get_if<SunTime>(&sun.position)) return time->iso8601;
    const auto* angles = std::get_if<SunAngles>(&sun.position);
    return angles ? angles->iso8601 : "";
}

}  // namespace helioray

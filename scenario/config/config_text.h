// SPDX-License-Identifier: MIT
// Parts of the YAML text of a configuration. Internal to the writers of sections.
#pragma once

#include "scenario/config/bound_key.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <vector>

namespace helioray {

/// Returns section receivers.
std::string receivers_text(const std::map<std::string, ReceiverConfig>& receivers);

/// Returns "[east, north, up]".
inline std::string vector_text(const Vec3& v) {
    return fmt::format("[{}, {}, {}]", v[0], v[1], v[2]);
}

/// Returns the last part of a declared path.
inline std::string last_key(const std::string& path) {
    const std::string& declared = find_declaration(path).path;
    return declared.substr(declared.rfind('.') + 1);
}

/// Returns the entry of a key: "key: value".
inline std::string entry(const std::string& path, const std::string& value) {
    return last_key(path) + ": " + value;
}

/// Returns the entry of a number that is given in SI units.
inline std::string entry(const std::string& path, double value) {
    return entry(path, key_values::number_text(find_declaration(path), value));
}

/// Returns "{key: value, key: value}".
inline std::string map_text(const std::vector<std::string>& entries) {
    return fmt::format("{{{}}}", fmt::join(entries, ", "));
}

/// Returns the entries of the bound keys of a section. Members with their default are omitted
/// unless the key is always written.
template <typename Struct>
std::vector<std::string> member_entries(const std::string& section, const Struct& config) {
    std::vector<std::string> entries;
    for (const BoundKey<Struct>& key : bound_keys(config)) {
        if (key.section != section || !key.text) continue;
        if (key.info.is_always_written || !key.is_usual(config))
            entries.push_back(key.name + ": " + key.text(config));
    }
    return entries;
}

/// Adds "key: {key: value}" for a section with entries.
inline void add_map(std::vector<std::string>& entries,
                    const std::string& section,
                    const std::vector<std::string>& below) {
    if (!below.empty())
        entries.push_back(section.substr(section.rfind('.') + 1) + ": " + map_text(below));
}

/// Returns the text of a section of the top level with one line for each entry; nothing without
/// entries.
inline std::string section_text(const std::string& section,
                                const std::vector<std::string>& entries) {
    if (entries.empty()) return "";
    return fmt::format("{}:\n  {}\n", section, fmt::join(entries, "\n  "));
}

/// Returns the list of corners.
inline std::string outline_text(const Outline& outline) {
    std::vector<std::string> corners;
    for (const auto& [right, up] : outline) corners.push_back(fmt::format("[{}, {}]", right, up));
    return key_values::list_text(corners);
}

}  // namespace helioray

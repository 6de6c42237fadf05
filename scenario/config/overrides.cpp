// SPDX-License-Identifier: MIT
// Applies command line values to the YAML tree.
#include "scenario/config/reader.h"
#include "scenario/config/yaml_tree.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

std::vector<std::string> split(const std::string& path) {
    std::vector<std::string> parts{""};
    for (const char c : path) {
        if (c == '.') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

/// Returns the map that contains the last part of a path, and creates missing maps on the way.
/// Returns a null pointer if a value on the way is not a map.
YamlNode* parent_map(YamlNode& root,
                     const std::vector<std::string>& parts,
                     const ConfigLocation& at) {
    YamlNode* map = &root;
    for (size_t i = 0;; ++i) {
        if (map->kind == YamlNode::Kind::null) {
            map->kind = YamlNode::Kind::map;
            if (map->at.source.empty()) map->at = at;
        }
        if (map->kind != YamlNode::Kind::map) return nullptr;
        if (i + 1 == parts.size()) return map;
        YamlNode* child = map->find(parts[i]);
        if (!child) {
            YamlNode empty;
            empty.at = at;
            map->entries.push_back({parts[i], at, std::move(empty)});
            child = &map->entries.back().value;
        }
        map = child;
    }
}

/// Sets a value at a path; a null value removes the key.
bool put(YamlNode& root, const std::string& path, YamlNode value, const ConfigLocation& at) {
    const std::vector<std::string> parts = split(path);
    YamlNode* map = parent_map(root, parts, at);
    if (!map) return false;
    const std::string& key = parts.back();
    if (value.kind == YamlNode::Kind::null) {
        map->remove(key);
    } else if (YamlNode* present = map->find(key)) {
        *present = std::move(value);
        for (YamlEntry& entry : map->entries) {
            if (&entry.value == present) entry.at = at;
        }
    } else {
        map->entries.push_back({key, at, std::move(value)});
    }
    return true;
}

void apply_set(YamlNode& root,
               const std::string& setting,
               const std::string& origin,
               std::vector<Problem>& problems) {
    const size_t equals = setting.find('=');
    const std::string path = setting.substr(0, equals);
    const ConfigLocation at{origin, 0, 0};
    const std::vector<std::string> parts = split(path);
    const bool has_gap = std::any_of(
        parts.begin(), parts.end(), [](const std::string& part) { return part.empty(); });
    if (equals == std::string::npos || has_gap) {
        problems.push_back({origin,
                            fmt::format("'{}' is not of the form key=value", setting),
                            "",
                            "write for example sun.elevation_deg=30"});
        return;
    }
    const std::string text = setting.substr(equals + 1);
    if (text.find_first_not_of(" \t") == std::string::npos) {
        problems.push_back({where(at, path),
                            "has no value",
                            "",
                            "give a value after '=', or null to remove the key"});
        return;
    }
    try {
        if (put(root, path, parse_yaml(text, origin, true), at)) return;
        problems.push_back({where(at, path),
                            "a part of this key is a value, not a map",
                            "",
                            "set the whole value: key=value"});
    } catch (const InputError& error) {
        for (Problem problem : error.problems()) {
            problem.where = where(at, path);
            problems.push_back(std::move(problem));
        }
    }
}

/// Rewrites an input path of an override relative to the configuration's folder.
void rebase(YamlNode& root, const std::string& key_path, const std::filesystem::path& base_dir) {
    YamlNode* node = &root;
    for (const std::string& key : split(key_path)) node = node ? node->find(key) : nullptr;
    // Values from the file have a line number, overrides have line 0.
    const bool is_override = node && node->at.line == 0;
    if (!is_override || node->kind != YamlNode::Kind::scalar || node->text.empty()) return;
    const std::filesystem::path path(node->text);
    if (path.is_absolute()) return;
    const auto folder = std::filesystem::absolute(base_dir.empty() ? "." : base_dir);
    node->text =
        std::filesystem::absolute(path).lexically_proximate(folder.lexically_normal()).string();
}

void apply_option(YamlNode& root,
                  const std::string& path,
                  const char* option,
                  const std::optional<std::string>& text,
                  std::vector<Problem>& problems) {
    if (!text) return;
    const ConfigLocation at{option, 0, 0};
    if (put(root, path, make_scalar(*text, at), at)) return;
    problems.push_back(
        {option,
         fmt::format("cannot set {}: a part of this key is a value, not a map", path),
         "",
         "correct the configuration file"});
}

}  // namespace

void apply_overrides(YamlNode& root,
                     const Overrides& overrides,
                     const std::filesystem::path& base_dir,
                     std::vector<Problem>& problems) {
    for (const std::string& setting : overrides.set)
        apply_set(root, setting, overrides.origin, problems);
    apply_option(root, "scenario", "--scenario", overrides.scenario, problems);
    apply_option(root, "output.file", "--output", overrides.output, problems);
    apply_option(root, "output.image", "--image", overrides.image, problems);
    apply_option(root, "tracing.seed", "--seed", overrides.seed, problems);
    apply_option(root, "device", "--device", overrides.device, problems);
    apply_option(root, "aiming.strategy", "--strategy", overrides.strategy, problems);
    if (overrides.flux_limit) {
        // The option replaces any limit of the file.
        put(root, "aiming.flux_limit", {}, {});
        apply_option(
            root, "aiming.flux_limit_kw_m2", "--flux-limit-kw-m2", overrides.flux_limit, problems);
    }

    // All other input paths in the tree are relative to the configuration's folder.
    for (const KeyInfo& info : known_keys())
        if (info.is_input_file) rebase(root, info.path, base_dir);
}

}  // namespace helioray

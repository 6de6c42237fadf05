// SPDX-License-Identifier: MIT
// Finds unknown and repeated keys.
#include "scenario/config/key_table.h"
#include "scenario/config/yaml_tree.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace helioray {

std::vector<std::string> valid_keys(const std::string& path, const std::vector<KeyInfo>& table) {
    const std::string prefix = path.empty() ? "" : path + ".";
    std::vector<std::string> keys;
    for (const KeyInfo& info : table) {
        if (!info.path.starts_with(prefix)) continue;
        const std::string rest = info.path.substr(prefix.size());
        std::string key = rest.substr(0, rest.find('.'));
        if (key.ends_with("[]")) key.resize(key.size() - 2);
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
    return keys;
}

namespace {

constexpr const char* kAnyName = "<name>";

/// Returns the key without its unit: "azimuth" for "azimuth_deg" and "azimuth_rad".
std::string without_unit(const std::string& key) {
    constexpr std::array<std::string_view, 18> kUnits{"_w_m2",
                                                      "_kw_m2",
                                                      "_w",
                                                      "_kw",
                                                      "_mrad",
                                                      "_rad",
                                                      "_deg",
                                                      "_degrees",
                                                      "_radians",
                                                      "_ms",
                                                      "_s",
                                                      "_min",
                                                      "_per_km",
                                                      "_per_m",
                                                      "_mm",
                                                      "_m",
                                                      "_percent",
                                                      "_c"};
    for (const std::string_view unit : kUnits) {
        if (key.size() > unit.size() && key.ends_with(unit)) {
            return key.substr(0, key.size() - unit.size());
        }
    }
    return key;
}

/// Returns the paths elsewhere in the configuration whose last part is this key.
std::vector<std::string> same_key_elsewhere(const std::string& key,
                                            const std::vector<KeyInfo>& table) {
    std::vector<std::string> paths;
    for (const KeyInfo& info : table) {
        if (info.path.ends_with("." + key)) paths.push_back(info.path);
    }
    return paths;
}

Problem unknown_key(const YamlEntry& entry,
                    const std::string& path,
                    const std::vector<std::string>& valid,
                    const std::vector<KeyInfo>& table) {
    Problem problem{where(entry.at, path), fmt::format("unknown key '{}'", entry.key), "", ""};
    const std::string stem = without_unit(entry.key);
    for (const std::string& key : valid) {
        if (without_unit(key) != stem) continue;
        problem.why = "units are part of the key";
        problem.advice = fmt::format("did you mean '{}'?", key);
        return problem;
    }
    const std::vector<std::string> elsewhere = same_key_elsewhere(entry.key, table);
    if (!closest(entry.key, valid) && !elsewhere.empty()) {
        problem.why = "this key has another place";
        problem.advice = fmt::format("did you mean '{}'?", elsewhere.front());
    } else {
        problem.advice = suggest(entry.key, valid);
    }
    if (entry.key == "<<") problem.advice = "merge keys are not supported, write the keys out";
    return problem;
}

/// Finds unknown and repeated keys of all maps of a document.
class KeyCheck {
  public:
    KeyCheck(std::vector<Problem>& problems, const std::vector<KeyInfo>& table)
        : problems_(problems), table_(table) {}

    /// Checks a map and the maps below it. `path` has the names and numbers of the document; in
    /// `pattern` they are replaced by "<name>" and "[]".
    void check(const YamlNode& map, const std::string& path, const std::string& pattern) {
        if (map.kind != YamlNode::Kind::map) return;
        const std::vector<std::string>& valid = find_valid_keys(pattern);
        if (valid.empty()) return;
        const bool any_name = valid.front() == kAnyName;
        std::map<std::string, ConfigLocation> seen;
        for (const YamlEntry& entry : map.entries) {
            const std::string entry_path = path.empty() ? entry.key : path + "." + entry.key;
            const std::string part = any_name ? kAnyName : entry.key;
            if (!any_name && std::find(valid.begin(), valid.end(), entry.key) == valid.end()) {
                problems_.push_back(unknown_key(entry, entry_path, valid, table_));
                continue;
            }
            const auto [first, is_new] = seen.emplace(entry.key, entry.at);
            if (!is_new) {
                problems_.push_back({where(entry.at, entry_path),
                                     fmt::format("'{}' is given twice", entry.key),
                                     fmt::format("first at {}", where(first->second, "")),
                                     "keep one of the two"});
            }
            const std::string entry_pattern = pattern.empty() ? part : pattern + "." + part;
            check(entry.value, entry_path, entry_pattern);
            for (size_t i = 0; i < entry.value.items.size(); ++i) {
                if (entry.value.items[i].kind != YamlNode::Kind::map) continue;
                check(entry.value.items[i],
                      fmt::format("{}[{}]", entry_path, i),
                      entry_pattern + "[]");
            }
        }
    }

  private:
    /// Returns the valid keys of a pattern. They are cached, because thousands of heliostats have
    /// the same pattern.
    const std::vector<std::string>& find_valid_keys(const std::string& pattern) {
        const auto known = valid_.find(pattern);
        if (known != valid_.end()) return known->second;
        return valid_.emplace(pattern, valid_keys(pattern, table_)).first->second;
    }

    std::vector<Problem>& problems_;
    const std::vector<KeyInfo>& table_;
    std::map<std::string, std::vector<std::string>> valid_;  // by pattern
};

}  // namespace

void check_keys(const YamlNode& root,
                std::vector<Problem>& problems,
                const std::vector<KeyInfo>& table) {
    KeyCheck(problems, table).check(root, "", "");
}

}  // namespace helioray

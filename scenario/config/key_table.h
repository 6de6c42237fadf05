// SPDX-License-Identifier: MIT
// Every key of the run configuration with its meaning: what the reader accepts and
// configs/README.md documents.
#pragma once

#include "scenario/error.h"

#include <string>
#include <vector>

namespace helioray {

struct YamlNode;

/// One key.
struct KeyInfo {
    /// Dotted: "sun.shape.type". "<name>" stands for the name of a heliostat or target, and "[]"
    /// after a key for any entry of its list.
    std::string path;
    std::string meaning;        ///< Markdown; "`buie`: ..." where it belongs to one type
    std::string unit;           ///< "-" where there is none
    std::string range;          ///< admissible values
    std::string default_value;  ///< "required", "none", or the value
    std::string example;        ///< YAML text of a value
};

/// All keys that hold values, in the order of the documentation. Sections ("sun") are prefixes of
/// these.
const std::vector<KeyInfo>& known_keys();

/// Keys that may stand in the map at `path` (empty: top level); "<name>" alone where any name may
/// stand. Entries of a list have the path "obstacles[]".
std::vector<std::string> valid_keys(const std::string& path,
                                    const std::vector<KeyInfo>& table = known_keys());

/// Adds a problem, with a suggestion, for every unknown and every repeated key below `root`.
void check_keys(const YamlNode& root,
                std::vector<Problem>& problems,
                const std::vector<KeyInfo>& table = known_keys());

}  // namespace helioray

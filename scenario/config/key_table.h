// SPDX-License-Identifier: MIT
// Declares every key of the run configuration once. The reader takes the limits from here, and
// configs/README.md documents the same rows.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/range.h"

#include <string>
#include <vector>

namespace helioray {

struct YamlNode;

/// Declaration of one key.
struct KeyInfo {
    /// Dotted path, "sun.shape.type". "<name>" is a placeholder for the name of a heliostat or
    /// target, and "[]" after a key for any entry of its list.
    std::string path;
    std::string meaning;  ///< Markdown; begins with "`buie`: ..." if the key belongs to one type
    std::string unit;     ///< unit, "-" if there is none
    std::string range;    ///< admissible values in words; those of `limits` if it has some
    std::string default_value;  ///< "required", "none", or the value
    std::string example;        ///< YAML text of a value
    Range limits;               ///< limits of a number or of each number of a list, in `unit`

    /// Declares a number, or a list of numbers with the same limits. `wording` describes the
    /// limits.
    static KeyInfo number(const std::string& path,
                          const std::string& meaning,
                          const std::string& unit,
                          const Range& limits,
                          const std::string& default_value,
                          const std::string& example,
                          const std::string& wording = "{}");
    /// Declares a whole number without a unit, or a list of them.
    static KeyInfo whole(const std::string& path,
                         const std::string& meaning,
                         const Range& limits,
                         const std::string& default_value,
                         const std::string& example,
                         const std::string& wording = "whole, {}");
    /// Declares a choice of several words.
    static KeyInfo choice(const std::string& path,
                          const std::string& meaning,
                          const std::vector<std::string>& words,
                          const std::string& default_value,
                          const std::string& example);
    /// Declares a text, a list or a point, which `range` describes.
    static KeyInfo other(const std::string& path,
                         const std::string& meaning,
                         const std::string& unit,
                         const std::string& range,
                         const std::string& default_value,
                         const std::string& example);
};

/// Returns all keys that hold values, in the order of the documentation. Sections ("sun") are
/// prefixes of these.
const std::vector<KeyInfo>& known_keys();

/// Returns the declaration of a path; throws std::logic_error if there is none.
const KeyInfo& find_declaration(const std::string& path,
                                const std::vector<KeyInfo>& table = known_keys());

/// Returns the radians in one of a key's units of angles: "deg" or "mrad"; throws std::logic_error
/// for other units.
double radians_per(const std::string& unit);

/// Returns the keys that are allowed in the map at `path` (empty: top level), or "<name>" alone if
/// any name is allowed. Entries of a list have the path "obstacles[]".
std::vector<std::string> valid_keys(const std::string& path,
                                    const std::vector<KeyInfo>& table = known_keys());

/// Adds a problem, with a suggestion, for every unknown and every repeated key below `root`.
void check_keys(const YamlNode& root,
                std::vector<Problem>& problems,
                const std::vector<KeyInfo>& table = known_keys());

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Every key of the run configuration, declared once: the reader takes limits from here, and
// configs/README.md documents the same rows.
#pragma once

#include "scenario/files/error.h"
#include "scenario/range.h"

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
    std::string range;          ///< admissible values in words; those of `limits` where it has some
    std::string default_value;  ///< "required", "none", or the value
    std::string example;        ///< YAML text of a value
    Range limits;               ///< of a number or of each number of a list, in `unit`

    /// A number, or a list of numbers with the same limits. `wording` puts the limits into words.
    static KeyInfo number(const std::string& path,
                          const std::string& meaning,
                          const std::string& unit,
                          const Range& limits,
                          const std::string& default_value,
                          const std::string& example,
                          const std::string& wording = "{}");
    /// The same for whole numbers without a unit.
    static KeyInfo whole(const std::string& path,
                         const std::string& meaning,
                         const Range& limits,
                         const std::string& default_value,
                         const std::string& example,
                         const std::string& wording = "whole, {}");
    /// One of several words.
    static KeyInfo choice(const std::string& path,
                          const std::string& meaning,
                          const std::vector<std::string>& words,
                          const std::string& default_value,
                          const std::string& example);
    /// A text, a list or a point: `range` says which.
    static KeyInfo other(const std::string& path,
                         const std::string& meaning,
                         const std::string& unit,
                         const std::string& range,
                         const std::string& default_value,
                         const std::string& example);
};

/// All keys that hold values, in the order of the documentation. Sections ("sun") are prefixes of
/// these.
const std::vector<KeyInfo>& known_keys();

/// The declaration of a path; throws std::logic_error where there is none.
const KeyInfo& declaration_of(const std::string& path,
                              const std::vector<KeyInfo>& table = known_keys());

/// Radians of one of a key's units of angles: "deg" or "mrad"; throws std::logic_error for others.
double radians_per(const std::string& unit);

/// Keys that may stand in the map at `path` (empty: top level); "<name>" alone where any name may
/// stand. Entries of a list have the path "obstacles[]".
std::vector<std::string> valid_keys(const std::string& path,
                                    const std::vector<KeyInfo>& table = known_keys());

/// Adds a problem, with a suggestion, for every unknown and every repeated key below `root`.
void check_keys(const YamlNode& root,
                std::vector<Problem>& problems,
                const std::vector<KeyInfo>& table = known_keys());

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Declarations of keys. The rows of the run configuration are in run_keys.cpp; configs/README.md
// documents the same rows.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/range.h"
#include "scenario/types/run_config.h"

#include <optional>
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
    std::optional<Model> model = std::nullopt;  ///< the only model that uses the key
    bool is_input_file = false;                 ///< the value is the name of an input file
    bool is_position = false;     ///< the key is a part of a form of the sun's position
    bool determines_flux = true;  ///< the value may change the flux or what a result holds
    /// run_config_text() writes the key even if it has its default, because users often change it.
    bool is_always_written = false;
    /// Smaller values, except 0, are most likely in `confused_unit`; 0: no value is.
    double unusual_below = 0.0;
    std::string confused_unit = {};  ///< unit in which users mistakenly give the value

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
    /// Declares the name of an input file, relative to the configuration.
    static KeyInfo input_file(const std::string& path,
                              const std::string& meaning,
                              const std::string& default_value,
                              const std::string& example);

    /// Returns the declaration of a key that only one model uses, and adds this to the meaning.
    KeyInfo only(Model only_model) const;
    /// Returns the declaration of a key that gives the position of the sun.
    KeyInfo position() const;
    /// Returns the declaration of a key that does not change the flux.
    KeyInfo without_flux() const;
    /// Returns the declaration of a key that run_config_text() writes even if it has its default.
    KeyInfo always_written() const;
    /// Returns the declaration of a number of which smaller values than `least`, except 0, are most
    /// likely in another unit.
    KeyInfo unusual(double least, const std::string& confused) const;
};

/// Returns a warning about a value that is most likely in another unit than its key: "0.9 W/m2 is
/// unusually small; if it is in kW/m2, give 900".
std::optional<std::string> warn_of_unit(const KeyInfo& info, double value);

/// Returns all keys that hold values, in the order of the documentation. Sections ("sun") are
/// prefixes of these.
const std::vector<KeyInfo>& known_keys();

/// Returns the declaration of a path; throws std::logic_error if there is none.
const KeyInfo& find_declaration(const std::string& path,
                                const std::vector<KeyInfo>& table = known_keys());

/// Returns the SI units in one of a key's units: those of "deg", "mrad" and "kW/m2"; 1 for units
/// that members share with keys.
double unit_factor(const std::string& unit);

/// Returns the keys of section sun that are forms of the sun's position.
std::vector<std::string> position_keys();

/// Returns the keys that are allowed in the map at `path` (empty: top level), or "<name>" alone if
/// any name is allowed. Entries of a list have the path "obstacles[]".
std::vector<std::string> valid_keys(const std::string& path,
                                    const std::vector<KeyInfo>& table = known_keys());

/// Adds a problem, with a suggestion, for every unknown and every repeated key below `root`.
void check_keys(const YamlNode& root,
                std::vector<Problem>& problems,
                const std::vector<KeyInfo>& table = known_keys());

}  // namespace helioray

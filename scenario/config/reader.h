// SPDX-License-Identifier: MIT
// Reads the run configuration: converts YAML text and command line to a checked RunConfig.
#pragma once

#include "scenario/config/key_table.h"
#include "scenario/files/error.h"
#include "scenario/types/run_config.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

struct YamlNode;

/// Values that replace those of the configuration. They are texts exactly as given on the command
/// line or by another program. Options take precedence over `set`, and later entries of `set` over
/// earlier ones. All paths in them, including input paths, are relative to the working directory.
struct Overrides {
    std::vector<std::string>
        set;  ///< --set: "dotted.key=value", the value in YAML; null removes the key
    /// Origin of the values of `set` in messages. If it is also the name of the text, the whole
    /// text comes from the caller, and messages have no lines.
    std::string origin = "--set";
    bool has_plant = false;  ///< the caller provides the plant: the key scenario is not needed
    /// Positions of the sun that replace those of section sun. Steps whose irradiance is NaN have
    /// that of the section.
    std::optional<SunSeries> suns = std::nullopt;
    bool keeps_result = false;  ///< the caller takes the result: no part of it needs output.file
    std::optional<std::string> scenario{};  ///< --scenario
    std::optional<std::string> output{};    ///< --output
    std::optional<std::string> image{};     ///< --image
    std::optional<std::string> seed{};      ///< --seed
    std::optional<std::string> device{};    ///< --device
    std::optional<std::string> strategy{};  ///< --strategy
    /// --flux-limit-kw-m2; also replaces aiming.flux_limit.
    std::optional<std::string> flux_limit{};
};

/// Writes the overrides into the tree, and creates missing maps. Input paths are rewritten relative
/// to `base_dir`, so that all input paths of the tree have the same base. Adds a problem for each
/// override that cannot be applied.
void apply_overrides(YamlNode& root,
                     const Overrides& overrides,
                     const std::filesystem::path& base_dir,
                     std::vector<Problem>& problems);

/// Tells the reader if a configuration must give a position of the sun. Annual runs choose their
/// own positions.
enum class SunPositions { required, optional };

/// Reads a configuration file. Input paths in it are relative to its folder and must exist; output
/// paths are relative to the working directory. Does not open the scenario. Throws InputError with
/// all problems: text that is not YAML, unknown or repeated keys, wrong kinds, values outside of
/// their range, settings that contradict each other.
RunConfig read_run_config(const std::filesystem::path& file,
                          const Overrides& overrides = {},
                          SunPositions positions = SunPositions::required);

/// A configuration as far as it could be read, with its problems.
struct DraftRunConfig {
    RunConfig config;               ///< wrong values are replaced by defaults
    std::vector<Problem> problems;  ///< empty: the configuration is valid
};

/// Reads a configuration file for callers that look for more problems. Throws InputError only if
/// the text is not a map of keys, and returns all other problems.
DraftRunConfig draft_run_config(const std::filesystem::path& file,
                                const Overrides& overrides = {},
                                SunPositions positions = SunPositions::required);

/// Reads a configuration from a text. `name` replaces the file name in messages; `base_dir`
/// replaces the folder of the file.
RunConfig parse_run_config(const std::string& text,
                           const std::string& name,
                           const std::filesystem::path& base_dir,
                           const Overrides& overrides = {},
                           SunPositions positions = SunPositions::required);

}  // namespace helioray

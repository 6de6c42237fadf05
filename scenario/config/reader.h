// SPDX-License-Identifier: MIT
// Reads the run configuration: YAML text and command line to a checked RunConfig.
#pragma once

#include "scenario/config/key_table.h"
#include "scenario/files/error.h"
#include "scenario/run_config.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

struct YamlNode;

/// Values in place of the configuration's: texts exactly as given on the command line, or by
/// another program. Options win over `set`, later entries of `set` over earlier ones. All paths in
/// them, input paths too, are relative to the working directory.
struct Overrides {
    std::vector<std::string>
        set;  ///< --set: "dotted.key=value", the value in YAML; null removes the key
    /// What messages say where a value of `set` was given. Where it is also the name of the text,
    /// all of it is the caller's, and messages have no lines.
    std::string origin = "--set";
    bool has_plant = false;     ///< the caller has the plant: the key scenario is not needed
    bool keeps_result = false;  ///< the caller takes the result: no part of it needs output.file
    std::optional<std::string> scenario;  ///< --scenario
    std::optional<std::string> output;    ///< --output
    std::optional<std::string> image;     ///< --image
    std::optional<std::string> seed;      ///< --seed
    std::optional<std::string> device;    ///< --device
    std::optional<std::string> strategy;  ///< --strategy
    /// --flux-limit-kw-m2; also takes the place of aiming.flux_limit.
    std::optional<std::string> flux_limit;
};

/// Writes the overrides into the tree, making maps where there are none. Input paths are rewritten
/// relative to `base_dir`, so that all input paths of the tree have one meaning. Adds a problem for
/// each one that cannot be applied.
void apply_overrides(YamlNode& root,
                     const Overrides& overrides,
                     const std::filesystem::path& base_dir,
                     std::vector<Problem>& problems);

/// Whether a configuration must give a position of the sun. A year chooses its own positions.
enum class SunPositions { required, optional };

/// Reads a configuration file. Input paths in it are relative to its folder and must exist; output
/// paths are relative to the working directory. Throws InputError with every problem found: text
/// that is not YAML, unknown or repeated keys, wrong kinds, values outside of their range, settings
/// that contradict each other. Does not open the scenario.
RunConfig read_run_config(const std::filesystem::path& file,
                          const Overrides& overrides = {},
                          SunPositions positions = SunPositions::required);

/// A configuration as far as it can be understood, and its problems.
struct DraftRunConfig {
    RunConfig config;               ///< wrong values are replaced by defaults
    std::vector<Problem> problems;  ///< empty: the configuration is valid
};

/// The same for callers that go on to look for more problems: throws InputError only where the text
/// is not a map of keys, and returns every other problem.
DraftRunConfig draft_run_config(const std::filesystem::path& file,
                                const Overrides& overrides = {},
                                SunPositions positions = SunPositions::required);

/// read_run_config() for a text; `name` stands for the file name in messages, `base_dir` for its
/// folder.
RunConfig parse_run_config(const std::string& text,
                           const std::string& name,
                           const std::filesystem::path& base_dir,
                           const Overrides& overrides = {},
                           SunPositions positions = SunPositions::required);

/// Place of a key for messages: "file:line:column: key.path", that of the nearest section where the
/// key is not written.
std::string place_of(const RunConfig& config, const std::string& key_path);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Reads the run configuration: YAML text and command line to a checked RunConfig.
#pragma once

#include "scenario/config/key_table.h"
#include "scenario/config/overrides.h"
#include "scenario/error.h"
#include "scenario/run_config.h"

#include <filesystem>
#include <string>
#include <vector>

namespace helioray {

/// Whether a configuration has to say where the sun stands. A year has positions of its own.
enum class SunPositions { required, optional };

/// Reads a configuration file. Input paths in it are relative to its folder and must exist; output
/// paths are relative to the working directory. Throws InputError with every problem found: what is
/// not YAML, unknown or repeated keys, wrong kinds, values outside of their range, settings that
/// contradict each other. Does not open the scenario.
RunConfig read_run_config(const std::filesystem::path& file,
                          const Overrides& overrides = {},
                          SunPositions positions = SunPositions::required);

/// What a configuration says as far as it can be understood, and what is wrong with it.
struct DraftRunConfig {
    RunConfig config;               ///< defaults stand in the place of what is wrong
    std::vector<Problem> problems;  ///< none: the configuration is good
};

/// The same for who wants to look for more problems where there are some already: throws InputError
/// only where the text is no map of keys, and returns every other problem.
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

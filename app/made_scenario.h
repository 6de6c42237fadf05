// SPDX-License-Identifier: MIT
// What the makers of scenarios have in common: report, scenario file, run configuration.
#pragma once

#include "scenario/run_config.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace helioray::app {

/// Where a maker writes to.
struct MadeFiles {
    std::string scenario;               ///< HDF5
    std::optional<std::string> config;  ///< run configuration (YAML)
    bool json = false;                  ///< one JSON object on stdout instead of a line of text
};

/// Adds -o/--output, --config and --json.
void add_made_files(CLI::App& command, MadeFiles& files);

/// Checks before any work that the files can be written, differ, and are none of the inputs.
void check_made_files(const MadeFiles& files, const std::vector<std::filesystem::path>& inputs);

/// The sun of sources that have none: in the south at 45 degrees. Where a run configuration is
/// asked for, the report says what it assumes.
void assume_sun(const MadeFiles& files, RunConfig& run, std::vector<std::string>& report);

/// Logs the report, writes the scenario and, where asked for, a run configuration beside it that
/// traces it, and prints what was made. The configuration's paths are filled in. `origin` says in
/// the configuration's head where it comes from.
void write_made_files(const MadeFiles& files,
                      const Scenario& scenario,
                      RunConfig run,
                      const std::string& origin,
                      const std::vector<std::string>& report);

}  // namespace helioray::app

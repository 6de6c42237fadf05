// SPDX-License-Identifier: MIT
// Code shared by the commands that create scenarios: report, scenario file, run configuration.
#pragma once

#include "app/program/common/command.h"
#include "scenario/types/run_config.h"
#include "scenario/writer/scenario_writer.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::app {

/// Output files of a command that creates a scenario.
struct MadeFiles {
    std::string scenario;               ///< scenario file (HDF5)
    std::optional<std::string> config;  ///< run configuration (YAML)
    bool json = false;                  ///< one JSON object on stdout instead of a line of text
    ScenarioFormat format = ScenarioFormat::automatic;  ///< format of the scenario file
};

/// Adds --format, the format of a scenario file.
Option add_scenario_format(Command command, ScenarioFormat& format);

/// Logs facts that users of a new scenario should know: that its heliostats are stored in columns,
/// and heliostats at places where no plant has them.
void log_new_scenario(const Scenario& scenario,
                      const std::string& file,
                      ScenarioFormat format = ScenarioFormat::automatic);

/// Adds -o/--output, --config, --format and --json.
void add_made_files(Command command, MadeFiles& files);

/// Checks before any work that the files can be written and differ from each other and the inputs.
void check_made_files(const MadeFiles& files, const std::vector<std::filesystem::path>& inputs);

/// Sets the sun in the south at 45 degrees for data without a sun. If a run configuration is
/// written, the report lists this assumption.
void assume_sun(const MadeFiles& files, RunConfig& run, std::vector<std::string>& report);

/// Logs the report, writes the scenario and, if requested, a run configuration that traces it, and
/// prints their names. Sets the configuration's paths. `origin` is the comment at the head of the
/// configuration.
/// `states` is a table for state.file of the configuration, which is written beside it as
/// <configuration>_state.csv; empty: none.
void write_made_files(const MadeFiles& files,
                      const Scenario& scenario,
                      RunConfig run,
                      const std::string& origin,
                      const std::vector<std::string>& report,
                      const std::string& states = "");

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// The command line and its commands. Each command has one file with its options, their help and its
// work.
#pragma once

#include "app/program/common/command.h"

#include <functional>
#include <variant>

namespace helioray::app {

/// Performs the chosen command; returns the exit code or throws.
using Action = std::function<int()>;

/// Each of these functions adds its command below `parent`; parsing that command sets `action`.
void add_raytrace(Command parent, Action& action);
void add_aim(Command parent, Action& action);
void add_annual(Command parent, Action& action);
void add_sweep(Command parent, Action& action);
void add_efficiency(Command parent, Action& action);
void add_calibrate(Command parent, Action& action);
void add_reconstruct(Command parent, Action& action);
void add_example(Command parent, Action& action);
void add_validate(Command parent, Action& action);
void add_info(Command parent, Action& action);
void add_plot(Command parent, Action& action);
void add_report(Command parent, Action& action);
void add_compare(Command parent, Action& action);
void add_scenario(Command parent, Action& action);
void add_export(Command parent, Action& action);
void add_doctor(Command parent, Action& action);
void add_bench(Command parent, Action& action);
void add_completion(Command parent, Action& action);

/// Add the subcommands of `helioray scenario`, one for each source of data.
void add_scenario_paint(Command parent, Action& action);
void add_scenario_generate(Command parent, Action& action);
void add_scenario_layout(Command parent, Action& action);
void add_scenario_solarpilot(Command parent, Action& action);
void add_scenario_soltrace(Command parent, Action& action);
void add_scenario_stral(Command parent, Action& action);

/// Add the subcommands of `helioray export`, one for each format.
void add_export_csv(Command parent, Action& action);
void add_export_vtk(Command parent, Action& action);
void add_export_stral(Command parent, Action& action);
void add_export_sam(Command parent, Action& action);
void add_export_solarpilot(Command parent, Action& action);
void add_export_solartherm(Command parent, Action& action);
void add_export_netcdf(Command parent, Action& action);

/// Parses the command line. Returns the action, or the exit code if there is nothing to do: 0 after
/// printing help or version to stdout, 2 after a message about wrong arguments on stderr.
std::variant<Action, int> parse_command_line(int argc, char** argv);

}  // namespace helioray::app

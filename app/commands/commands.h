// SPDX-License-Identifier: MIT
// The command line and its commands. Each command has a file with its options, their help and its
// work.
#pragma once

#include <functional>
#include <variant>

namespace CLI {
class App;
}

namespace helioray::app {

/// The work of the chosen command; returns the exit code or throws.
using Action = std::function<int()>;

/// Each adds its command below `parent`; parsing that command sets `action`.
void add_raytrace(CLI::App& parent, Action& action);
void add_aim(CLI::App& parent, Action& action);
void add_annual(CLI::App& parent, Action& action);
void add_sweep(CLI::App& parent, Action& action);
void add_efficiency(CLI::App& parent, Action& action);
void add_calibrate(CLI::App& parent, Action& action);
void add_reconstruct(CLI::App& parent, Action& action);
void add_validate(CLI::App& parent, Action& action);
void add_info(CLI::App& parent, Action& action);
void add_plot(CLI::App& parent, Action& action);
void add_report(CLI::App& parent, Action& action);
void add_compare(CLI::App& parent, Action& action);
void add_scenario(CLI::App& parent, Action& action);
void add_export(CLI::App& parent, Action& action);
void add_doctor(CLI::App& parent, Action& action);
void add_bench(CLI::App& parent, Action& action);
void add_completion(CLI::App& parent, Action& action);

/// The subcommands of `helioray scenario`, one for each source of data.
void add_scenario_paint(CLI::App& parent, Action& action);
void add_scenario_generate(CLI::App& parent, Action& action);
void add_scenario_layout(CLI::App& parent, Action& action);
void add_scenario_soltrace(CLI::App& parent, Action& action);
void add_scenario_stral(CLI::App& parent, Action& action);

/// The subcommands of `helioray export`, one for each format.
void add_export_csv(CLI::App& parent, Action& action);
void add_export_vtk(CLI::App& parent, Action& action);
void add_export_stral(CLI::App& parent, Action& action);
void add_export_sam(CLI::App& parent, Action& action);
void add_export_solarpilot(CLI::App& parent, Action& action);
void add_export_solartherm(CLI::App& parent, Action& action);
void add_export_netcdf(CLI::App& parent, Action& action);

/// Parses the command line. Returns the action, or the exit code when there is nothing to do
/// (help, version: 0 after printing to stdout; wrong arguments: 2 after one message on stderr).
std::variant<Action, int> parse_command_line(int argc, char** argv);

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// The commands of the program: each has a file of its own with its options, their help and what it
// does.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace helioray::app {

/// What the chosen command does; returns the exit code or throws.
using Action = std::function<int()>;

/// Each adds its command below `parent`; parsing that command sets `action`.
void add_raytrace(CLI::App& parent, Action& action);
void add_annual(CLI::App& parent, Action& action);
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

/// Below `helioray scenario`: one way to make a scenario each.
void add_scenario_paint(CLI::App& parent, Action& action);
void add_scenario_generate(CLI::App& parent, Action& action);
void add_scenario_layout(CLI::App& parent, Action& action);
void add_scenario_soltrace(CLI::App& parent, Action& action);
void add_scenario_stral(CLI::App& parent, Action& action);

/// Below `helioray export`: one format each.
void add_export_csv(CLI::App& parent, Action& action);
void add_export_vtk(CLI::App& parent, Action& action);
void add_export_stral(CLI::App& parent, Action& action);

}  // namespace helioray::app

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
void add_scenario(CLI::App& parent, Action& action);
void add_doctor(CLI::App& parent, Action& action);
void add_bench(CLI::App& parent, Action& action);

/// Below `helioray scenario`: one way to make a scenario each.
void add_scenario_paint(CLI::App& parent, Action& action);

}  // namespace helioray::app

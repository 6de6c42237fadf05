// SPDX-License-Identifier: MIT
// The scenario command, with one subcommand for each source of data.
#include "app/program/commands/commands.h"

namespace helioray::app {

void add_scenario(Command parent, Action& action) {
    const Command command =
        parent.add_subcommand("scenario", "Make a scenario file from other data");
    command.require_subcommand();
    command.footer("Run 'helioray scenario COMMAND --help' for the options of a command.");
    add_scenario_paint(command, action);
    add_scenario_generate(command, action);
    add_scenario_layout(command, action);
    add_scenario_solarpilot(command, action);
    add_scenario_soltrace(command, action);
    add_scenario_stral(command, action);
}

}  // namespace helioray::app

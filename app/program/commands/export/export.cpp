// SPDX-License-Identifier: MIT
// The export command, with one subcommand for each format of other programs.
#include "app/program/commands/commands.h"

namespace helioray::app {

void add_export(Command parent, Action& action) {
    const Command command =
        parent.add_subcommand("export", "Write a scenario or result in formats of other programs");
    command.require_subcommand();
    command.footer("Run 'helioray export COMMAND --help' for the options of a command.");
    add_export_csv(command, action);
    add_export_vtk(command, action);
    add_export_stral(command, action);
    add_export_sam(command, action);
    add_export_solarpilot(command, action);
    add_export_solartherm(command, action);
    add_export_netcdf(command, action);
}

}  // namespace helioray::app

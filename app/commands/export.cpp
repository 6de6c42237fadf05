// SPDX-License-Identifier: MIT
// The export command: data of a scenario or result for other programs, one way each.
#include "app/commands/commands.h"

#include <CLI/CLI.hpp>

namespace helioray::app {

void add_export(CLI::App& parent, Action& action) {
    CLI::App& command =
        *parent.add_subcommand("export", "Write data of a scenario or result for other programs");
    command.require_subcommand(1);
    add_export_csv(command, action);
    add_export_vtk(command, action);
    add_export_stral(command, action);
}

}  // namespace helioray::app

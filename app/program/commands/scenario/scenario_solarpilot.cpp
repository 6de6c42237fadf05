// SPDX-License-Identifier: MIT
// helioray scenario solarpilot: converts SolarPILOT's projects.
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/made_scenario.h"
#include "scenario/import/solarpilot/solarpilot.h"

#include <memory>

namespace helioray::app {

namespace {

struct SolarPilotOptions {
    std::string file;
    MadeFiles made;
};

int run(const SolarPilotOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    check_made_files(options.made, {options.file});
    MadeField made = solarpilot::convert(solarpilot::read_project(options.file));
    if (!options.made.config)
        made.report.push_back(
            "no run configuration is written: the sun's position, the optics and the aims are "
            "lost; give --config FILE to keep them");
    write_made_files(options.made,
                     made.scenario,
                     made.run,
                     "Written by helioray scenario solarpilot from " + options.file + ".",
                     made.report,
                     made.states);
    return 0;
}

}  // namespace

void add_scenario_solarpilot(Command parent, Action& action) {
    const auto options = std::make_shared<SolarPilotOptions>();
    const Command command = parent.add_subcommand(
        "solarpilot",
        "From a SolarPILOT project with its layout: heliostats, receivers, sun and optics");
    command.add_option("project", options->file, "SolarPILOT project (.spt)")
        .required()
        .type_name("FILE");
    add_made_files(command, options->made);
    command.footer(
        "Example:\n"
        "  helioray scenario solarpilot plant.spt -o plant.h5 --config plant.yaml\n"
        "  helioray raytrace plant.yaml");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

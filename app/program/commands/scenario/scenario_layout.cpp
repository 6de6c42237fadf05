// SPDX-License-Identifier: MIT
// helioray scenario layout: creates a field from a table of positions.
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/made_scenario.h"
#include "scenario/files/csv.h"
#include "scenario/import/field/build_field.h"

#include <fmt/format.h>

#include <memory>

namespace helioray::app {

namespace {

struct LayoutOptions {
    std::string table;
    std::string field;
    std::vector<std::string> set;
    bool ground = false;
    MadeFiles made;
};

int run(const LayoutOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    check_made_files(options.made, {options.table, options.field});
    std::vector<std::string> report;
    const FieldTemplate field =
        read_field_template(options.field, options.set, FieldUse::positions_given, report);
    MadeField made = field_from_table(field,
                                      read_csv(options.table),
                                      options.ground ? TableHeight::ground : TableHeight::pivot,
                                      std::move(report));
    assume_sun(options.made, made.run, made.report);
    const bool more =
        !made.run.aim.heliostats.empty() || made.run.aim.active || !made.states.empty();
    if (!options.made.config && more) {
        made.report.push_back(
            "no run configuration is written: aim points, states and inactive heliostats of the "
            "table are lost; give --config FILE to keep them");
    }
    write_made_files(
        options.made,
        made.scenario,
        made.run,
        fmt::format(
            "Written by helioray scenario layout from {} and {}.", options.table, options.field),
        made.report,
        made.states);
    return 0;
}

}  // namespace

void add_scenario_layout(Command parent, Action& action) {
    const auto options = std::make_shared<LayoutOptions>();
    const Command command = parent.add_subcommand(
        "layout", "From a table of positions (CSV, also SolarPILOT's) and a template for the rest");
    command
        .add_option(
            "table", options->table, "Positions (CSV); columns in scenario/import/README.md")
        .required()
        .type_name("FILE");
    command
        .add_option("--template",
                    options->field,
                    "Tower, receiver and heliostat (YAML), as for 'scenario generate'")
        .required()
        .type_name("FILE");
    add_made_files(command, options->made);
    command.add_option("--set", options->set, "Replace or add a value of the template")
        .type_name("KEY=VALUE")
        .take_all();
    command.add_flag("--ground-z",
                     options->ground,
                     "Take the table's z as the ground below a heliostat, and add the "
                     "height of its pivot");
    command.footer(
        "Example:\n"
        "  helioray scenario layout positions.csv --template configs/field.yaml -o plant.h5 "
        "--config run.yaml");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

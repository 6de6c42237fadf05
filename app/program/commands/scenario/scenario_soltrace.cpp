// SPDX-License-Identifier: MIT
// helioray scenario soltrace: converts SolTrace's input files.
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/made_scenario.h"
#include "scenario/import/soltrace/soltrace.h"

#include <fmt/format.h>

#include <memory>

namespace helioray::app {

namespace {

struct SolTraceOptions {
    std::string file;
    std::string up = "z";
    soltrace::Options conversion;
    MadeFiles made;
};

int run(SolTraceOptions options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    check_made_files(options.made, {options.file});
    options.conversion.up = options.up == "y" ? soltrace::UpAxis::y : soltrace::UpAxis::z;
    soltrace::Import made =
        soltrace::convert(soltrace::read_project(options.file), options.conversion);
    if (!options.made.config) {
        made.report.push_back(
            "no run configuration is written: the directions of mirrors, the sun's position and "
            "the "
            "optics are lost; give --config FILE to keep them");
    }
    write_made_files(options.made,
                     made.scenario,
                     made.run,
                     "Written by helioray scenario soltrace from " + options.file + ".",
                     made.report);
    return 0;
}

}  // namespace

void add_scenario_soltrace(Command parent, Action& action) {
    const auto options = std::make_shared<SolTraceOptions>();
    const Command command = parent.add_subcommand(
        "soltrace", "From a SolTrace input file: mirrors, receivers, sun and optics");
    command.add_option("project", options->file, "SolTrace input file (.stinput)")
        .required()
        .type_name("FILE");
    add_made_files(command, options->made);
    command
        .add_option(
            "--dni", options->conversion.dni, "Direct normal irradiance in W/m2 (default 1000)")
        .type_name("W/M2")
        .range(1e-3, 1e4);
    command
        .add_option("--target",
                    options->conversion.target,
                    "Receiver that the heliostats aim at (default: the first)")
        .type_name("NAME");
    command
        .add_option("--up",
                    options->up,
                    "Axis that points up: z (x east, y north) or y (x west, z north); default z")
        .type_name("AXIS")
        .accept_only({"z", "y"});
    command.add_flag("--skip-unsupported",
                     options->conversion.skip_unsupported,
                     "Leave out parts that cannot be represented, with a remark for each, "
                     "instead of refusing the file");
    command.footer(
        "Example:\n"
        "  helioray scenario soltrace tower.stinput -o tower.h5 --config tower.yaml\n"
        "  helioray raytrace tower.yaml");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

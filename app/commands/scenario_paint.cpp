// SPDX-License-Identifier: MIT
// helioray scenario paint: from the files of the PAINT database.
#include "app/commands/commands.h"
#include "app/log.h"
#include "raytracer/output/atomic_file.h"
#include "scenario/paint/paint.h"
#include "scenario/scenario_writer.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <memory>

namespace helioray::app {

namespace {

struct ScenarioPaintOptions {
    std::string tower;
    std::vector<std::string> heliostats;
    std::string output;
    int64_t control_points = 10;
};

int run(const ScenarioPaintOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    PaintInputs inputs;
    inputs.tower = options.tower;
    for (const std::string& argument : options.heliostats) {
        // NAME=FILE names the heliostat; else its name stands in the file's name.
        const size_t equals = argument.find('=');
        if (equals == std::string::npos) {
            inputs.heliostats.push_back({argument, ""});
        } else {
            inputs.heliostats.push_back({argument.substr(equals + 1), argument.substr(0, equals)});
        }
    }
    inputs.control_points = {options.control_points, options.control_points};
    check_writable(options.output);
    std::vector<std::string> report;
    const Scenario scenario = scenario_from_paint(inputs, &report);
    for (const std::string& line : report) spdlog::info("{}", line);
    write_scenario(scenario, options.output);
    fmt::print("{}: {} heliostats, {} targets\n",
               options.output,
               scenario.heliostats.size(),
               scenario.targets.size());
    return 0;
}

}  // namespace

void add_scenario_paint(CLI::App& parent, Action& action) {
    const auto options = std::make_shared<ScenarioPaintOptions>();
    CLI::App& command =
        *parent.add_subcommand("paint",
                               "From the PAINT database's JSON: tower measurements and heliostat "
                               "properties, ideal surfaces");
    command.add_option("--tower", options->tower, "tower-measurements.json")
        ->required()
        ->type_name("FILE");
    command
        .add_option("heliostats",
                    options->heliostats,
                    "<name>-heliostat-properties.json of each heliostat, or NAME=FILE to name it")
        ->required()
        ->type_name("FILE...");
    command.add_option("-o,--output", options->output, "Scenario file to write (HDF5)")
        ->required()
        ->type_name("FILE");
    command
        .add_option("--control-points",
                    options->control_points,
                    "Control points of each facet per direction (default 10)")
        ->type_name("N")
        ->check(CLI::Range(4, 1000));
    command.footer(
        "Example:\n"
        "  helioray scenario paint --tower configs/paint/tower-measurements.json \\\n"
        "      configs/paint/AA39-heliostat-properties.json -o juelich.h5");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

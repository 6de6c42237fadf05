// SPDX-License-Identifier: MIT
// helioray scenario stral: converts a STRAL file.
#include "app/program/commands/commands.h"
#include "app/program/commands/fit_options.h"
#include "app/program/common/log.h"
#include "app/program/common/made_scenario.h"
#include "app/program/common/standard_streams.h"
#include "scenario/files/output_files.h"
#include "scenario/import/stral/stral_file.h"
#include "scenario/types/choices.h"
#include "scenario/writer/scenario_writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace helioray::app {

namespace {

struct ScenarioStralOptions {
    std::string file;
    std::string tower;
    std::string name = "heliostat_1";
    std::vector<double> position;
    std::string output;
    ScenarioFormat format = ScenarioFormat::automatic;
    FitOptions fit;
    bool verbose = false;
    bool json = false;
};

int run(const ScenarioStralOptions& options) {
    set_up_log(options.verbose ? Verbosity::verbose : Verbosity::normal, 0, 1, "");
    check_ending("--output", options.output, kHdf5File, kResultEndings);
    check_outputs({{options.output}}, {options.file, options.tower});
    StralInputs inputs;
    inputs.name = options.name;
    inputs.file = options.file;
    inputs.tower = options.tower;
    if (!options.position.empty()) {
        inputs.position = Vec3{options.position[0], options.position[1], options.position[2]};
    }
    const StralFile file = read_stral(options.file);
    std::vector<FacetFit> fits;
    const auto surface =
        std::make_shared<const Surface>(fit_surface(measured_surface(file, options.file),
                                                    stral_facets(file),
                                                    options.fit.surface_fit(),
                                                    &fits));
    std::vector<std::string> report;
    const Scenario scenario = scenario_from_stral(file, surface, inputs, &report);
    for (const std::string& line : report) write_log(run::LogLevel::info, line);
    write_log(run::LogLevel::info, fmt::format("{}: {}", options.file, describe_worst_fits(fits)));
    for (const FacetFit& fit : fits)
        write_log(run::LogLevel::debug, fmt::format("  {}", to_string(fit)));
    log_new_scenario(scenario, options.output, options.format);
    write_scenario(scenario, options.output, {}, options.format);
    if (options.json) {
        const nlohmann::json out{{"output", options.output},
                                 {"heliostats", 1},
                                 {"targets", scenario.targets.size()},
                                 {"surfaces", {{options.name, fits_json(fits)}}}};
        print_json(out);
    } else {
        fmt::print("{}: 1 heliostat with {} facets, {} targets\n",
                   options.output,
                   surface->facets.size(),
                   scenario.targets.size());
    }
    return 0;
}

}  // namespace

void add_scenario_stral(Command parent, Action& action) {
    const auto options = std::make_shared<ScenarioStralOptions>();
    const Command command = parent.add_subcommand(
        "stral", "From a STRAL file (.binp): one heliostat with measured points and normals");
    command.add_option("file", options->file, "STRAL file").required().type_name("FILE");
    command
        .add_option("--tower",
                    options->tower,
                    "Targets and plant from PAINT's tower-measurements.json (default: a plane and "
                    "a cylinder, see the report)")
        .type_name("FILE");
    command
        .add_option("--position",
                    options->position,
                    "Position of the heliostat in metres (default: the file's)")
        .type_name("EAST,NORTH,UP")
        .delimiter(',')
        .expected(3);
    command.add_option("--name", options->name, "Name of the heliostat (default heliostat_1)")
        .type_name("NAME");
    command.add_option("-o,--output", options->output, "Scenario file to write (HDF5)")
        .required()
        .type_name("FILE");
    add_scenario_format(command, options->format);
    add_fit_options(command, options->fit);
    command.add_flag("-v,--verbose", options->verbose, "Report every fitted facet");
    command.add_flag("--json", options->json, "Print one JSON object");
    command.footer(
        "Examples:\n"
        "  helioray scenario stral mirror.binp --position 0,50,0 -o mirror.h5\n"
        "  helioray export stral mirror.h5 --heliostat heliostat_1 -o again.binp");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

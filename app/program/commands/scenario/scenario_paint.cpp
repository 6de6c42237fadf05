// SPDX-License-Identifier: MIT
// helioray scenario paint: creates a scenario from files of the PAINT database.
#include "app/program/commands/commands.h"
#include "app/program/commands/fit_options.h"
#include "app/program/common/log.h"
#include "app/program/common/made_scenario.h"
#include "app/program/common/standard_streams.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/files/output_files.h"
#include "scenario/import/paint/arguments.h"
#include "scenario/import/paint/calibration.h"
#include "scenario/import/paint/paint.h"
#include "scenario/reader/read_log.h"
#include "scenario/types/choices.h"
#include "scenario/types/type_names.h"
#include "scenario/writer/scenario_writer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace helioray::app {

namespace fs = std::filesystem;

namespace {

struct ScenarioPaintOptions {
    std::string tower;
    std::vector<std::string> heliostats;
    std::vector<std::string> deflectometry;
    std::vector<std::string> calibration;
    std::string output;
    std::string drives;
    FitOptions fit;
    bool verbose = false;
    bool json = false;
    ScenarioFormat format = ScenarioFormat::automatic;
};

/// A run configuration that is written beside the scenario.
struct ConfigFile {
    fs::path path;
    std::string text;
};

using Fits = std::map<std::string, std::vector<FacetFit>>;

/// Returns the file of each heliostat. Throws InputError if a heliostat has two.
std::map<std::string, fs::path> one_each(const std::vector<PaintFile>& files) {
    std::map<std::string, fs::path> by_name;
    ReadLog log;
    for (const PaintFile& file : files) {
        if (by_name.try_emplace(file.heliostat, file.file).second) continue;
        log.problem(file.file.string(),
                    fmt::format("a second measurement of '{}'", file.heliostat),
                    "a heliostat has one surface",
                    "name one of them");
    }
    log.throw_if_any();
    return by_name;
}

/// Replaces the surfaces of measured heliostats; reports all of their problems together.
Fits fit_surfaces(Scenario& scenario,
                  const std::map<std::string, fs::path>& measured,
                  const ScenarioPaintOptions& options) {
    ReadLog log;
    Fits fits;
    for (Heliostat& heliostat : scenario.heliostats) {
        const auto file = measured.find(heliostat.name);
        if (file == measured.end()) continue;
        log.attempt([&] {
            std::vector<FacetFit>& of_this = fits[heliostat.name];
            heliostat.surface =
                std::make_shared<const Surface>(fit_surface(read_deflectometry(file->second),
                                                            *heliostat.surface,
                                                            options.fit.surface_fit(),
                                                            &of_this));
            write_log(run::LogLevel::info,
                      fmt::format("{}: {}", file->second.string(), describe_worst_fits(of_this)));
            for (const FacetFit& fit : of_this)
                write_log(run::LogLevel::debug, fmt::format("  {}", to_string(fit)));
        });
    }
    log.throw_if_any();
    return fits;
}

std::vector<ConfigFile> calibration_configs(const Scenario& scenario,
                                            const std::vector<PaintFile>& files,
                                            const fs::path& output) {
    ReadLog log;
    std::vector<ConfigFile> configs;
    std::set<std::string> stems;
    for (const PaintFile& file : files) {
        log.attempt([&] {
            const PaintCalibration record = read_paint_calibration(file.file, scenario.position);
            check_calibration(record, file.heliostat, scenario);
            const std::string stem = file.heliostat + "-" + record.id;
            if (!stems.insert(stem).second) {
                throw InputError(Problem{file.file.string(), "this record is named twice", "", ""});
            }
            const fs::path path = output.parent_path() / (stem + ".yaml");
            check_writable(path);
            configs.push_back(
                {path,
                 calibration_config(record, file.heliostat, output.filename().string(), stem)});
        });
    }
    log.throw_if_any();
    return configs;
}

void print_summary(const Scenario& scenario,
                   const Fits& fits,
                   const std::vector<ConfigFile>& configs,
                   const ScenarioPaintOptions& options) {
    if (!options.json) {
        fmt::print("{}: {} ({} with measured surfaces), {}\n",
                   options.output,
                   counted(scenario.heliostats.size(), "heliostat"),
                   fits.size(),
                   counted(scenario.targets.size(), "target"));
        for (const ConfigFile& config : configs) fmt::print("{}\n", config.path.string());
        return;
    }
    nlohmann::json out{{"output", options.output},
                       {"heliostats", scenario.heliostats.size()},
                       {"targets", scenario.targets.size()},
                       {"surfaces", nlohmann::json::object()},
                       {"configurations", nlohmann::json::array()}};
    for (const auto& [name, of_this] : fits) out["surfaces"][name] = fits_json(of_this);
    for (const ConfigFile& config : configs) {
        out["configurations"].push_back(config.path.string());
    }
    print_json(out);
}

/// Returns every input file that the output could overwrite by mistake.
std::vector<fs::path> list_inputs(const PaintInputs& inputs,
                                  const std::map<std::string, fs::path>& measured) {
    std::vector<fs::path> files{inputs.tower};
    for (const PaintHeliostat& heliostat : inputs.heliostats) files.push_back(heliostat.file);
    for (const auto& [name, file] : measured) files.push_back(file);
    return files;
}

int run(const ScenarioPaintOptions& options) {
    set_up_log(options.verbose ? Verbosity::verbose : Verbosity::normal, 0, 1, "");
    PaintInputs inputs;
    inputs.tower = options.tower;
    inputs.heliostats = paint_heliostats(options.heliostats);
    inputs.control_points = options.fit.control_point_counts();
    if (!options.drives.empty())
        inputs.drives_called_ideal = from_string<ActuatorType>(options.drives);
    std::vector<std::string> names;
    for (const PaintHeliostat& heliostat : inputs.heliostats) names.push_back(name_of(heliostat));
    const auto measured =
        one_each(paint_files(options.deflectometry, names, find_paint_deflectometry));
    const auto calibrations = paint_files(options.calibration, names, find_paint_calibrations);
    for (const auto& [name, file] : measured) inputs.measured.push_back(name);
    check_ending("--output", options.output, kHdf5File, kResultEndings);
    check_outputs({{options.output}}, list_inputs(inputs, measured));

    std::vector<std::string> report;
    Scenario scenario = scenario_from_paint(inputs, &report);
    for (const std::string& line : report) write_log(run::LogLevel::info, line);
    const std::vector<ConfigFile> configs =
        calibration_configs(scenario, calibrations, options.output);
    const Fits fits = fit_surfaces(scenario, measured, options);

    log_new_scenario(scenario, options.output, options.format);
    write_scenario(scenario, options.output, {}, options.format);
    for (const ConfigFile& config : configs) {
        write_text_file(config.path, config.text);
    }
    print_summary(scenario, fits, configs, options);
    return 0;
}

}  // namespace

void add_scenario_paint(Command parent, Action& action) {
    const auto options = std::make_shared<ScenarioPaintOptions>();
    const Command command = parent.add_subcommand(
        "paint", "From the PAINT database: tower, heliostats, deflectometry, calibrations");
    command.add_option("--tower", options->tower, "tower-measurements.json")
        .required()
        .type_name("FILE");
    command
        .add_option("heliostats",
                    options->heliostats,
                    "<name>-heliostat-properties.json of each heliostat, NAME=FILE to name "
                    "it, or a folder with such files (<name>-heliostat-properties.json or "
                    "<name>/Properties/*.json)")
        .required()
        .type_name("FILE");
    command.add_option("-o,--output", options->output, "Scenario file to write (HDF5)")
        .required()
        .type_name("FILE");
    command
        .add_option("--deflectometry",
                    options->deflectometry,
                    "Measured surfaces: <name>-...-deflectometry.h5, NAME=FILE, or a "
                    "folder with <name>/Deflectometry/*.h5 (the newest, 'filled' ones "
                    "first); heliostats without one stay flat")
        .type_name("FILE");
    command
        .add_option("--calibration",
                    options->calibration,
                    "Write a run configuration beside the scenario for each "
                    "<id>-calibration-properties.json: a file below a folder named after "
                    "its heliostat, NAME=FILE, or a folder with <name>/Calibration/*.json")
        .type_name("FILE");
    command
        .add_option(
            "--drives",
            options->drives,
            "Type of drives that files call ideal; default: linear where all lever parameters "
            "are there and limits are steps")
        .accept_only(list_words(kActuatorTypes))
        .type_name("linear|ideal");
    add_scenario_format(command, options->format);
    add_fit_options(command, options->fit);
    command.add_flag("-v,--verbose", options->verbose, "Report every fitted facet");
    command.add_flag("--json", options->json, "Print one JSON object");
    command.footer(
        "Examples:\n"
        "  helioray scenario paint --tower configs/paint/tower-measurements.json \\\n"
        "      configs/paint/AA39-heliostat-properties.json -o juelich.h5\n"
        "  helioray scenario paint --tower paint/tower-measurements.json paint \\\n"
        "      --deflectometry paint --control-points 20 --calibration paint -o juelich.h5");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// Writes a new scenario with its report and configuration.
#include "app/program/common/made_scenario.h"

#include "app/program/common/log.h"
#include "app/program/common/standard_streams.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "scenario/config/write_run_config.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/types/choices.h"
#include "scenario/types/field_places.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <numbers>

namespace helioray::app {

namespace fs = std::filesystem;

Option add_scenario_format(Command command, ScenarioFormat& format) {
    return command.add_choice(
        "--format",
        format,
        kScenarioFormats,
        fmt::format(
            "Layout of heliostats in the scenario file: artist, a group for each, which "
            "ARTIST reads; columns, of which 10,000 heliostats are read in 0.02 s instead of "
            "1.3; auto (default): columns from {} heliostats or {} different facets on",
            kHeliostatsOfColumns,
            kFacetsOfColumns));
}

void log_new_scenario(const Scenario& scenario, const std::string& file, ScenarioFormat format) {
    if (scenario_format(scenario, format) == ScenarioFormat::columns) {
        write_log(run::LogLevel::info,
                  file +
                      ": the heliostats are written in columns, which ARTIST does not read; "
                      "--format artist writes its format");
    }
    for (const std::string& remark : unlikely_places(scenario))
        write_log(run::LogLevel::warning, file + ": " + remark);
}

void add_made_files(Command command, MadeFiles& files) {
    command.add_option("-o,--output", files.scenario, "Scenario file to write (HDF5)")
        .required()
        .type_name("FILE");
    command
        .add_option("--config",
                    files.config,
                    "Also write a run configuration (YAML) with the settings that a "
                    "scenario cannot hold")
        .type_name("FILE");
    add_scenario_format(command, files.format);
    command.add_flag(
        "--json", files.json, "Print one JSON object with the report instead of a log");
}

void check_made_files(const MadeFiles& files, const std::vector<fs::path>& inputs) {
    check_ending("--output", files.scenario, kHdf5File, kResultEndings);
    std::vector<OutputFile> outputs{{files.scenario}};
    if (files.config) outputs.push_back({*files.config});
    check_outputs(outputs, inputs);
}

namespace {

void write_config(const MadeFiles& files,
                  RunConfig run,
                  const std::string& origin,
                  const std::string& states) {
    const fs::path folder = fs::absolute(*files.config).parent_path();
    if (run.terrain.file)
        run.terrain.file = fs::absolute(*run.terrain.file).lexically_proximate(folder);
    run.scenario = fs::absolute(files.scenario).lexically_proximate(folder);
    const std::string stem = fs::path(*files.config).stem().string();
    run.output.file = stem + ".h5";
    if (run.output.file == fs::path(files.scenario).filename()) run.output.file = stem + "_flux.h5";
    run.output.image = stem + ".png";
    if (!states.empty()) {
        run.state.file = stem + "_state.csv";
        write_text_file(folder / *run.state.file, states);
    }
    const std::string text =
        run_config_text(run, origin + "\nEvery key is explained in configs/README.md.");
    write_text_file(*files.config, text);
}

}  // namespace

namespace {

std::vector<std::string> find_warnings(const MadeFiles& files,
                                       const Scenario& scenario,
                                       const RunConfig& run) {
    // Without a configuration the aim of the heliostats is unknown.
    if (!files.config || !run.aim.target) return {};
    if (scenario.heliostats.empty() || (run.aim.active && run.aim.active->empty())) return {};
    return front_warnings(scenario, resolve_aims(run.aim, scenario));
}

}  // namespace

void assume_sun(const MadeFiles& files, RunConfig& run, std::vector<std::string>& report) {
    run.sun.position = SunAngles{std::numbers::pi, 0.25 * std::numbers::pi};
    if (!files.config) return;
    report.push_back(
        "run configuration: sun in the south at 45 degrees, DNI 1000 W/m2 and reflectivity 0.935 "
        "assumed");
}

void write_made_files(const MadeFiles& files,
                      const Scenario& scenario,
                      RunConfig run,
                      const std::string& origin,
                      const std::vector<std::string>& report,
                      const std::string& states) {
    if (!files.json) {
        for (const std::string& line : report) write_log(run::LogLevel::info, line);
        log_new_scenario(scenario, files.scenario, files.format);
    }
    const std::vector<std::string> warnings = find_warnings(files, scenario, run);
    log_warnings(warnings);
    write_scenario(scenario, files.scenario, {}, files.format);
    if (files.config) write_config(files, std::move(run), origin, states);
    if (files.json) {
        nlohmann::ordered_json json;
        json["output"] = files.scenario;
        if (files.config) json["config"] = *files.config;
        json["heliostats"] = scenario.heliostats.size();
        json["targets"] = scenario.targets.size();
        const bool is_columns = scenario_format(scenario, files.format) == ScenarioFormat::columns;
        json["format"] = is_columns ? "columns" : "artist";
        json["report"] = report;
        for (const std::string& remark : unlikely_places(scenario))
            json["report"].push_back(remark);
        json["warnings"] = warnings;
        print_json(json, JsonLayout::one_line);
        return;
    }
    const auto count = [](size_t number, const char* name) {
        return fmt::format("{} {}{}", number, name, number == 1 ? "" : "s");
    };
    fmt::print("{}: {}, {}\n",
               files.scenario,
               count(scenario.heliostats.size(), "heliostat"),
               count(scenario.targets.size(), "target"));
    if (files.config) fmt::print("{}: run configuration for it\n", *files.config);
}

}  // namespace helioray::app

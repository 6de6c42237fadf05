// SPDX-License-Identifier: MIT
// The calibrate command: fits kinematics to measured spots, with uncertainty.
#include "app/output/plot/calibration_plot.h"
#include "app/output/report/calibration_report.h"
#include "app/output/report/page_file.h"
#include "app/output/summary/calibration_summary.h"
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/made_scenario.h"
#include "app/program/common/standard_streams.h"
#include "app/program/common/traced_run.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/solver_ranks.h"
#include "raytracer/solvers/calibration/calibrate_files.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace helioray::app {

namespace fs = std::filesystem;

namespace {

using namespace calibration;

struct CalibrateOptions {
    std::string tower;
    std::string update;
    std::string mirrors;
    std::vector<std::string> inputs;
    std::vector<std::string> tables;
    std::vector<std::string> test;
    std::string output;
    std::string image;
    std::string report;
    SpotSource spot = SpotSource::utis;
    std::optional<Level> level;
    std::optional<ActuatorType> drives;
    ScenarioFormat format = ScenarioFormat::automatic;
    RaytraceOptions run;  // processes, threads, JSON
};

RecordFiles record_files(const CalibrateOptions& options) {
    RecordFiles files;
    files.spot = options.spot;
    files.tables.assign(options.tables.begin(), options.tables.end());
    files.test.assign(options.test.begin(), options.test.end());
    return files;
}

void print(const CalibrateOptions& options,
           const nlohmann::ordered_json& json,
           const std::string& text) {
    if (options.run.json) {
        print_json(json, JsonLayout::one_line);
    } else if (!options.run.quiet) {
        fmt::print("{}", text);
    }
}

/// Reads properties and records from PAINT's folders and files; also checks the outputs.
MeasuredField read_field(const CalibrateOptions& options) {
    if (options.tower.empty()) {
        throw InputError(Problem{"--tower",
                                 "is not given",
                                 "it holds the plant and its targets",
                                 "name tower-measurements.json, or --update SCENARIO"});
    }
    if (options.output.empty()) {
        throw InputError(
            Problem{"-o", "is not given", "the scenario is written there", "name a file"});
    }
    check_ending("--output", options.output, kHdf5File, kResultEndings);
    CalibrationFiles files;
    files.tower = options.tower;
    files.records = record_files(options);
    files.drives = options.drives;
    if (!options.mirrors.empty()) files.mirrors = options.mirrors;
    add_inputs(options.inputs, files);
    std::vector<OutputFile> outputs{{options.output}};
    for (const std::filesystem::path& file : picture_and_page(options.image, options.report))
        outputs.push_back({file});
    check_outputs(outputs, named_files(files));

    MeasuredField measured = calibration::read_measured_field(files);
    for (const std::string& line : measured.report) write_log(run::LogLevel::debug, line);
    for (const std::string& line : measured.remarks) write_log(run::LogLevel::info, line);
    return measured;
}

int calibrate_anew(const CalibrateOptions& options, Clock::time_point start) {
    MeasuredField measured;
    const auto prepare = [&] {
        measured = read_field(options);
        run::PreparedRun run =
            run::solver_input("records", measured.field.size(), measured.num_records());
        run.settings["output"] = options.output;
        return run;
    };
    return run_on_ranks(options.run, prepare, [&](run::Session& session) {
        const CalibratedField found = calibrate_field(
            measured, options.level, session.options().num_threads, run::solver_ranks(session));
        if (!session.is_root()) return;
        if (!options.run.quiet && !options.run.json)
            log_new_scenario(found.scenario, options.output, options.format);
        write_calibrated_scenario(found.scenario, found.states, options.output, options.format);
        if (!options.image.empty())
            plot_calibration(found.heliostats, found.scenario, options.image);
        if (!options.report.empty())
            write_text_file(options.report,
                            calibration_report(found.heliostats, found.scenario, options.output));
        const double seconds = seconds_since(start);
        print(options,
              calibration_json(found.heliostats, found.remarks, seconds),
              calibration_text(found.heliostats, seconds));
    });
}

/// Updates a calibrated scenario with new records.
int calibrate_further(const CalibrateOptions& options, Clock::time_point start) {
    const fs::path output = options.output.empty() ? options.update : options.output;
    check_ending(
        options.output.empty() ? "--update" : "--output", output, kHdf5File, kResultEndings);
    const CalibratedField found =
        update_file(options.update, output, options.inputs, record_files(options));
    const double seconds = seconds_since(start);
    print(options,
          update_json(found.updates, found.states, seconds),
          update_text(found.updates, seconds));
    return 0;
}

int calibrate_command(const CalibrateOptions& options) {
    const auto start = Clock::now();
    const bool has_new = !options.tables.empty() || !options.test.empty();
    if (options.inputs.empty() && (options.update.empty() || !has_new)) {
        throw InputError(Problem{"inputs",
                                 "are not given",
                                 "records of heliostats are read from them",
                                 "name folders, or with --update records, --records or --test"});
    }
    if (options.update.empty()) return calibrate_anew(options, start);
    set_up_log(options.run.quiet ? Verbosity::quiet : Verbosity::normal, 0, 1, "");
    return calibrate_further(options, start);
}

/// Adds the options of pictures, processes and messages.
void add_common_options(Command command, const Option& update, CalibrateOptions& options) {
    command
        .add_option(
            "--image",
            options.image,
            "Picture (.png, .svg or .pdf): residuals on the targets before and after, error "
            "against the distance of suns, uncertainty over the field")
        .type_name("FILE")
        .excludes(update);
    command
        .add_option("--report",
                    options.report,
                    "Web page (.html) with the same pictures and tables of heliostats, parameters, "
                    "rejected records and next measurements; it needs no other file")
        .type_name("PAGE")
        .excludes(update);
    command
        .add_option("--ranks",
                    options.run.ranks,
                    "Start this many processes here, which divide the heliostats; the result "
                    "equals that of one process")
        .type_name("N")
        .excludes(update);
    command
        .add_option("--threads",
                    options.run.threads,
                    "Threads of each process (default: all cores, shared between processes)")
        .range(1, 4096)
        .type_name("N");
    command.add_flag("--json", options.run.json, "Print one JSON object");
    command.add_flag("-q,--quiet", options.run.quiet, "Print nothing but errors");
}

/// Adds the options of input, fit and output.
void add_options(Command command, CalibrateOptions& options) {
    const Option tower =
        command.add_option("--tower", options.tower, "tower-measurements.json: plant and targets")
            .type_name("FILE");
    command
        .add_option("inputs",
                    options.inputs,
                    "Folders in the layout of the PAINT database or of its benchmark (train, test, "
                    "validation), heliostat properties (FILE, NAME=FILE), or tables as --records "
                    "(CSV); with --update the new records")
        .type_name("FOLDER");
    command
        .add_option("-o,--output",
                    options.output,
                    "Scenario file to write (HDF5); with --update its default is the file itself")
        .type_name("FILE");
    command
        .add_option("--records",
                    options.tables,
                    "Tables of records (CSV): heliostat, target, axis_1_motor_position, "
                    "axis_2_motor_position, spot_east_m, spot_north_m, spot_up_m, and time or "
                    "sun_azimuth_deg, sun_elevation_deg")
        .type_name("FILE");
    command
        .add_option("--test",
                    options.test,
                    "Records that are only predicted: calibration records, tables, or splits of "
                    "PAINT's benchmark (Id, HeliostatId, Split), whose train rows are fitted")
        .type_name("FILE");
    command.add_choice(
        "--spot",
        options.spot,
        kSpotSources,
        "Method that found the spots; image: the centroid of <id>-flux.png (default utis)");
    const Option drives = command.add_choice(
        "--drives",
        options.drives,
        kActuatorTypes,
        "Type of drives that files call ideal; default: linear where all lever parameters "
        "are there and limits are steps");
    const Option parameters = command.add_choice(
        "--parameters",
        options.level,
        kFittedParameters,
        "Parameters to fit: auto averages over all sets by their evidence (default auto)");
    const Option update =
        command
            .add_option("--update",
                        options.update,
                        "Calibrated scenario to update with new records one by one; this does not"
                        " detect drives whose zero was set again: calibrate from all records in "
                        "that case")
            .type_name("SCENARIO")
            .excludes(tower)
            .excludes(drives)
            .excludes(parameters);
    // An updated file keeps its format.
    add_scenario_format(command, options.format).excludes(update);
    command
        .add_option("--mirrors",
                    options.mirrors,
                    "Scenario with the heliostats' mirrors as scenario paint writes them from "
                    "deflectometry, or reconstruct from images: their shape moves the spots and is "
                    "kept in the output (default: flat facets)")
        .type_name("SCENARIO")
        .excludes(update);
    add_common_options(command, update, options);
}

}  // namespace

void add_calibrate(Command parent, Action& action) {
    const auto options = std::make_shared<CalibrateOptions>();
    const Command command = parent.add_subcommand(
        "calibrate",
        "Find the kinematics of heliostats from measured spots, with their uncertainty");
    add_options(command, *options);
    command.footer(
        "Examples:\n"
        "  helioray calibrate --tower paint/tower-measurements.json paint -o calibrated.h5 \\\n"
        "      --report calibration.html\n"
        "  helioray calibrate --tower paint/tower-measurements.json paint/AA39 -o AA39.h5 \\\n"
        "      --test paint/AA39/Calibration/275564-calibration-properties.json --json\n"
        "  helioray calibrate --update calibrated.h5 paint/AA39/Calibration/275564-*.json\n"
        "Exit codes: 0 done, rejected records are listed; 2 bad input, found before any work.");
    command.callback(
        [options, &action] { action = [options] { return calibrate_command(*options); }; });
}

}  // namespace helioray::app

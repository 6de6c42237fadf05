// SPDX-License-Identifier: MIT
// The info command: prints tables about the contents of a scenario or result.
#include "app/output/summary/calibration_summary.h"
#include "app/output/summary/run_context.h"
#include "app/output/summary/summary.h"
#include "app/output/summary/text_table.h"
#include "app/program/commands/commands.h"
#include "app/program/common/input_files.h"
#include "app/program/common/log.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/result_file.h"
#include "raytracer/solvers/calibration/state.h"
#include "raytracer/studies/annual/annual_file.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/studies/sweep/sweep_reader.h"
#include "scenario/files/error.h"
#include "scenario/files/hdf5/file.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/describe.h"

#include <fmt/format.h>

#include <memory>

namespace helioray::app {

namespace {

int run(const std::string& file) {
    set_up_log(Verbosity::normal, 0, 1, "");
    if (detect_file_kind(file) == FileKind::text) {
        throw InputError(Problem{file,
                                 "this is neither a scenario nor a result",
                                 "both are HDF5 files",
                                 "to check a configuration use 'helioray validate'"});
    }
    // Results have an attribute with their format; all other files are read as scenarios.
    const hdf5::File opened = hdf5::File::open(file);
    const bool is_result = opened.root().has_attribute("format");
    if (is_annual(opened.root())) {
        const AnnualYield yield = read_annual(file);
        log_warnings(light_warnings(yield));
        fmt::print("HelioRay yield of a year\n{}\n{}\n{}",
                   key_value_lines(
                       {{"created", yield.provenance.created},
                        {"scenario", yield.provenance.scenario_file},
                        {"field", yield.plan ? field_extent_text(*yield.plan) : ""},
                        {"idle", yield.plan ? idle_text(read_surroundings(*yield.plan)) : ""}}),
                   annual_text(yield),
                   annual_heliostats(yield));
    } else if (is_efficiency(opened.root())) {
        const EfficiencyTable table = read_efficiency(file);
        log_warnings(light_warnings(table));
        fmt::print("HelioRay efficiency table\n{}\n{}",
                   key_value_lines({{"created", table.provenance.created},
                                    {"scenario", table.provenance.scenario_file}}),
                   efficiency_text(table));
    } else if (sweep::is_sweep(opened.root())) {
        fmt::print("HelioRay table of a sweep\n{}", stored_sweep_text(sweep::read_sweep(file)));
    } else if (is_result && is_series(file)) {
        const SeriesResult series = read_series(file);
        log_warnings(light_warnings(series));
        fmt::print("{}", describe_series(series, read_step(file, series, series.strongest_step())));
    } else if (is_result) {
        const RunResult result = read_result(file, HeliostatFlux::skip);
        log_warnings(light_warnings(result));
        fmt::print("{}", describe_result(result));
    } else {
        const Scenario scenario = read_scenario(file);
        fmt::print("{}", format_tables(describe(scenario)));
        if (calibration::is_calibrated(file)) {
            fmt::print("\nCalibration\n{}", states_text(calibration::read_states(file, scenario)));
        }
    }
    return 0;
}

}  // namespace

void add_info(Command parent, Action& action) {
    const auto file = std::make_shared<std::string>();
    const Command command =
        parent.add_subcommand("info", "Print what a scenario or result contains");
    command.add_option("file", *file, "Scenario or result (HDF5)").required().type_name("FILE");
    command.footer(
        "Examples:\n"
        "  helioray info configs/juelich.h5\n"
        "  helioray info quickstart.h5");
    command.callback([file, &action] { action = [file] { return run(*file); }; });
}

}  // namespace helioray::app

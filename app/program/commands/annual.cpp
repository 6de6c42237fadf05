// SPDX-License-Identifier: MIT
// The annual command: computes the yield of a year from a grid of sun positions.
#include "app/output/export/export_files.h"
#include "app/output/summary/summary.h"
#include "app/program/commands/commands.h"
#include "app/program/commands/year_positions.h"
#include "app/program/common/log.h"
#include "app/program/common/standard_streams.h"
#include "app/program/common/traced_run.h"
#include "raytracer/studies/annual/year_job.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace helioray::app {

namespace {

struct AnnualOptions {
    RaytraceOptions run;
    std::string output = "annual.h5";
    std::string csv;
    YearOptions year;
};

/// Logs the keys that have no effect on a year.
void report_keys_unused_by_years(const RunConfig& config) {
    const bool has_limits = chooses_year_aims(config);
    std::vector<std::string> keys = sun_position_paths();
    keys.insert(keys.end(), {"sun.dni_w_m2", "sun.clouds.file"});
    // Flux limits apply to the pixels of the bitmap.
    if (!has_limits) keys.emplace_back("bitmap");
    keys.emplace_back("output");
    report_unused_keys(config, keys, "a year has its own");
    if (has_limits && config.aiming.max_move_m_per_minute)
        write_log(run::LogLevel::info,
                  "not used, the positions of a year do not follow each other: "
                  "aiming.max_move_m_per_minute");
    if (!has_limits && (config.aiming.flux_limit || config.aiming.flux_limit_file))
        write_log(run::LogLevel::info,
                  "not used, no aim points are chosen: flux limits; see aiming.strategy");
    if (!has_limits && !config.aiming.target_shares.empty())
        write_log(run::LogLevel::info,
                  "not used, no aim points are chosen: aiming.target_shares; see aiming.strategy");
}

void check_year_outputs(const AnnualOptions& options, const RunConfig& config) {
    std::vector<OutputFile> outputs{{options.output}};
    if (!options.csv.empty()) outputs.push_back({options.csv});
    std::vector<std::filesystem::path> inputs{config.file, config.scenario, options.year.weather};
    if (config.aiming.flux_limit_file) inputs.push_back(*config.aiming.flux_limit_file);
    check_outputs(outputs, inputs);
    check_ending("--output", options.output, kHdf5File, kResultEndings);
    if (!options.csv.empty()) check_ending("--csv", options.csv, kCsvFile, {".csv"});
}

/// Prints the year, or what a shard has done.
void report(const std::optional<AnnualYield>& yield,
            const run::Session& session,
            const AnnualOptions& options) {
    if (!yield) return print_shard(session, options.run);
    const std::string output = session.prepared().output.string();
    if (options.run.json) {
        nlohmann::json object = annual_json(*yield);
        object["output"] = output;
        print_json(object, JsonLayout::one_line);
    } else if (!options.run.quiet) {
        fmt::print("{}  result        {}\n", annual_text(*yield), output);
    }
}

int annual(const AnnualOptions& options) {
    YearJob job(options.year, options.output);
    bool limits_kept = true;
    const int exit_code = run_on_ranks(
        options.run,
        [&] {
            DraftRunConfig draft = read_config(options.run, SunPositions::optional);
            check_year_outputs(options, draft.config);
            if (draft.problems.empty()) report_keys_unused_by_years(draft.config);
            return job.prepare(std::move(draft), prepare_options(options.run));
        },
        [&](run::Session& session) {
            const auto yield = job.run(session, [&](const AnnualYield& year) {
                if (!options.csv.empty()) write_annual_csv(year, options.csv);
            });
            report(yield, session, options);
            if (!job.chooses_aims()) return;
            const std::string violation = yield && yield->aiming ? yield->aiming->violation : "";
            // All ranks end with the same exit code.
            limits_kept = session.environment().wait_for_root("violation", violation).empty();
            if (!violation.empty()) print_failure(violation);
        },
        HandsOutWork::if_configured);
    return limits_kept ? exit_code : 1;
}

void add_year_options(Command command, AnnualOptions& options) {
    const Option dni =
        command.add_choice("--dni",
                           options.year.sky,
                           kClearSkies,
                           "Model of a cloudless sky's irradiance at the plant's altitude: hottel "
                           "(default; up to 2500 m) or meinel");
    const Option weather =
        command
            .add_option("--weather",
                        options.year.weather,
                        "Irradiance from a file instead of a cloudless sky: CSV with the "
                        "columns time (ISO 8601 with offset) and dni_w_m2, SAM CSV, NSRDB, TMY3, "
                        "PVGIS, EPW or .motab")
            .type_name("FILE")
            .excludes(dni);
    command
        .add_choice(
            "--weather-time",
            options.year.stamp,
            kTimeStamps,
            "Whether the time of a row is the start, the middle or the end of the interval that "
            "it averages (default: the convention of the format; start for CSV with time and "
            "dni_w_m2)")
        .needs(weather);
    command
        .add_option("--year",
                    options.year.year,
                    "Calendar year of a cloudless sky (default 2026); with a weather file, "
                    "the year that all its rows are moved to, as typical years need")
        .type_name("YEAR")
        .range(static_cast<int>(kCalendarYears.low), static_cast<int>(kCalendarYears.high));
    add_year_positions(command, options.year);
    command
        .add_option("--dni-levels",
                    options.year.levels,
                    "With aiming.strategy: optimize, number of irradiances, odd, at which aim "
                    "points are chosen wherever flux limits bind (default 3)")
        .type_name("N")
        .range(static_cast<int>(kLevelCounts.low), static_cast<int>(kLevelCounts.high));
}

}  // namespace

void add_annual(Command parent, Action& action) {
    const auto options = std::make_shared<AnnualOptions>();
    const Command command =
        parent.add_subcommand("annual",
                              "Compute the yield of a year: energy per heliostat and target, with "
                              "error estimates");
    add_config_options(command, options->run);
    command.add_option("-o,--output", options->output, "Result file (HDF5; default annual.h5)")
        .type_name("FILE");
    command.add_option("--csv", options->csv, "Also write a table of the heliostats")
        .type_name("FILE");
    add_year_options(command, *options);
    add_parts_options(command, options->run);
    add_run_options(command, options->run);
    command.footer(
        "The configuration needs no position of the sun: the command traces a "
        "grid of positions that covers the year and interpolates the "
        "efficiencies between them. After an interruption, run it again to "
        "continue. With an aiming.strategy other than center in the configuration, aim "
        "points follow it at every position, and the energy of heliostats that flux "
        "limits turn off is a loss of its own; bitmap is then that of the limits. "
        "Start-up and shut-down of the receiver are not modelled.\n"
        "Examples:\n"
        "  helioray annual configs/quickstart.yaml --set "
        "tracing.rays_per_heliostat=1e5\n"
        "  helioray annual field.yaml --weather dni.csv --weather-time end -o "
        "field_year.h5\n"
        "  helioray annual field.yaml --declinations 17 --hours 25 --ranks 4\n"
        "  helioray annual field.yaml --shard 3/8        # one of eight jobs; then once:\n"
        "  helioray annual field.yaml --join\n"
        "  helioray annual field.yaml --set aiming.strategy=optimize --set "
        "aiming.flux_limit_kw_m2=600\n"
        "Exit codes: as those of the other commands; 1 also where flux limits cannot be kept, "
        "after "
        "writing the year.");
    command.callback([options, &action] { action = [options] { return annual(*options); }; });
}

}  // namespace helioray::app

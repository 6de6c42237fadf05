// SPDX-License-Identifier: MIT
// The efficiency command: computes efficiency and flux maps over a rectangle of sun positions.
#include "app/output/summary/summary.h"
#include "app/program/commands/commands.h"
#include "app/program/commands/year_positions.h"
#include "app/program/common/standard_streams.h"
#include "app/program/common/traced_run.h"
#include "raytracer/studies/efficiency/efficiency_job.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/files/units.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray::app {

namespace {

struct EfficiencyCommand {
    RaytraceOptions run;
    std::string output = "efficiency.h5";
    std::optional<EfficiencyGrid> grid;
    std::string azimuths;
    std::string elevations;
    bool without_checks = false;
    YearPositions year;
};

[[noreturn]] void refuse_list(const std::string& option, const std::string& text) {
    throw InputError(
        Problem{option,
                fmt::format("'{}' is neither a list nor a range of angles", text),
                "",
                "write degrees as 10,20,40 or as from:to:count, 0:330:12 for example"});
}

std::vector<double> numbers(const std::string& option, const std::string& text, char separator) {
    std::vector<double> found;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (true) {
        double value = 0.0;
        const auto [next, error] = std::from_chars(at, end, value);
        if (error != std::errc{}) refuse_list(option, text);
        found.push_back(value);
        if (next == end) return found;
        if (*next != separator) refuse_list(option, text);
        at = next + 1;
    }
}

/// Parses "10,20,40" or "0:330:12"; returns radians.
std::vector<double> angles(const std::string& option, const std::string& text) {
    std::vector<double> found;
    if (text.find(':') == std::string::npos) {
        found = numbers(option, text, ',');
        if (option == "--azimuths") found = continued_over_north(std::move(found));
    } else {
        constexpr double kMost = 3600.0;
        const std::vector<double> range = numbers(option, text, ':');
        if (range.size() != 3 || !(range[2] >= 2.0 && range[2] <= kMost) ||
            range[2] != static_cast<int>(range[2]))
            refuse_list(option, text);
        const int count = static_cast<int>(range[2]);
        for (int i = 0; i < count; ++i)
            found.push_back(range[0] + (range[1] - range[0]) * i / (count - 1));
    }
    for (double& angle : found) angle *= kRadiansPerDegree;
    return found;
}

EfficiencyOptions table_options(const EfficiencyCommand& command) {
    const auto list = [](const std::string& option, const std::string& text) {
        return text.empty() ? std::nullopt : std::optional(angles(option, text));
    };
    return efficiency_options(command.grid,
                              command.year,
                              list("--azimuths", command.azimuths),
                              list("--elevations", command.elevations),
                              !command.without_checks);
}

/// Logs the keys that have no effect on a table.
void report_keys_unused_by_tables(const RunConfig& config) {
    std::vector<std::string> keys = sun_position_paths();
    keys.insert(keys.end(), {"sun.clouds.file", "output"});
    report_unused_keys(config, keys, "a table has its own sun positions");
    report_unused_year_state(config);
}

/// Prints the table, or what a shard has done.
void report(const std::optional<EfficiencyTable>& table,
            const run::Session& session,
            const EfficiencyCommand& command) {
    if (!table) return print_shard(session, command.run);
    const std::string output = session.prepared().output.string();
    if (command.run.json) {
        nlohmann::json object = efficiency_json(*table);
        object["output"] = output;
        print_json(object, JsonLayout::one_line);
    } else if (!command.run.quiet) {
        fmt::print("{}  result       {}\n", efficiency_text(*table), output);
    }
}

int efficiency(const EfficiencyCommand& command) {
    std::optional<EfficiencyJob> job;
    return run_on_ranks(
        command.run,
        [&] {
            job.emplace(table_options(command), command.output);
            DraftRunConfig draft = read_config(command.run, SunPositions::optional);
            check_ending("--output", command.output, kHdf5File, kResultEndings);
            check_outputs({{command.output}}, {draft.config.file, draft.config.scenario});
            if (draft.problems.empty()) report_keys_unused_by_tables(draft.config);
            return job->prepare(std::move(draft), prepare_options(command.run));
        },
        [&](run::Session& session) { report(job->run(session), session, command); },
        HandsOutWork::if_configured);
}

void add_grid_options(Command command, EfficiencyCommand& options) {
    command
        .add_choice("--grid",
                    options.grid,
                    kEfficiencyGrids,
                    "solarpilot: the 12 azimuths and 8 zenith angles of SolarPILOT; year: trace "
                    "the positions of 'helioray annual' (--min-elevation, --declinations, --hours) "
                    "and interpolate the table between them")
        .option_text(fmt::format("{}", fmt::join(list_words(kEfficiencyGrids), "|")));
    command
        .add_option(
            "--azimuths",
            options.azimuths,
            "Azimuths of the sun in degrees, clockwise from north: a list 0,90,180,270 or "
            "a range FROM:TO:COUNT (default 0:345:24); across north 270,330,30 or -90:90:13")
        .type_name("LIST");
    command
        .add_option("--elevations",
                    options.elevations,
                    "Elevations of the sun in degrees (default 5,10,15,20,30,40,50,60,75,90; in a "
                    "year from --min-elevation on)")
        .type_name("LIST");
    command.add_flag(
        "--no-checks",
        options.without_checks,
        "Do not trace the middles of the cells between entries, which about halves the "
        "time; errors of interpolation are then estimated from the entries alone");
    // These options belong to --grid year: see check_combination().
    add_year_positions(command, options.year);
}

/// Throws UsageError for options that would be ignored.
void check_combination(Command command, const EfficiencyCommand& options) {
    for (const char* name : {"--min-elevation", "--declinations", "--hours"}) {
        if (options.grid != EfficiencyGrid::year && command.is_given(name))
            throw UsageError(fmt::format("{}: belongs to --grid year", name));
    }
    if (options.grid == EfficiencyGrid::year && options.without_checks)
        throw UsageError("--grid year excludes --no-checks: its checks need no positions");
    for (const char* name : {"--azimuths", "--elevations"}) {
        if (options.grid == EfficiencyGrid::solarpilot && command.is_given(name))
            throw UsageError(fmt::format("--grid solarpilot excludes {}", name));
    }
}

}  // namespace

void add_efficiency(Command parent, Action& action) {
    const auto options = std::make_shared<EfficiencyCommand>();
    const Command command =
        parent.add_subcommand("efficiency",
                              "Compute efficiency and flux maps over the sky, with errors, for "
                              "plant models");
    add_config_options(command, options->run);
    command.add_option("-o,--output", options->output, "Result file (HDF5; default efficiency.h5)")
        .type_name("FILE");
    add_grid_options(command, *options);
    add_parts_options(command, options->run);
    add_run_options(command, options->run);
    command.footer(
        "The configuration needs no position of the sun. Flux maps have the pixels of its bitmap, "
        "or 36 x 24. After an interruption, run the command again to continue. 'helioray plot' "
        "draws the table, 'helioray export sam|solarpilot|solartherm|netcdf' writes it for plant "
        "models.\n"
        "Examples:\n"
        "  helioray efficiency field.yaml -o table.h5\n"
        "  helioray efficiency field.yaml --azimuths 0:350:36 --elevations 5,10,20,40,60,90\n"
        "  helioray efficiency field.yaml --grid year --ranks 4");
    command.callback([options, command, &action] {
        check_combination(command, *options);
        action = [options] { return efficiency(*options); };
    });
}

}  // namespace helioray::app

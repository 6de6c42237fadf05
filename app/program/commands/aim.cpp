// SPDX-License-Identifier: MIT
// The aim command: chooses aim points of the whole field by a strategy, or the best ones under flux
// limits.
#include "app/output/plot/aiming_plot.h"
#include "app/output/plot/drawing/plot_page.h"
#include "app/output/report/aiming_report.h"
#include "app/output/report/page_file.h"
#include "app/output/summary/summary.h"
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/standard_streams.h"
#include "app/program/common/traced_run.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/provenance.h"
#include "raytracer/results/result_file.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "raytracer/solvers/aiming/aim_file.h"
#include "raytracer/solvers/aiming/aim_series.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace helioray::app {

namespace {

struct AimOptions {
    RaytraceOptions run;
    std::string aims = "aims.csv";
    std::string result;
    std::string image;
    std::string report;
};

/// Checks extensions, disk space and names of all files before any work.
void check_aim_outputs(const AimOptions& options, const RunConfig& config) {
    check_ending("--output", options.aims, kCsvFile, {".csv"});
    std::vector<OutputFile> outputs{{options.aims}};
    if (!options.result.empty()) {
        check_ending("--result", options.result, kHdf5File, kResultEndings);
        outputs.push_back({options.result});
    }
    if (!options.image.empty()) {
        picture_format(options.image);
        outputs.push_back({options.image});
    }
    if (!options.report.empty()) {
        check_page_name("--report", options.report);
        outputs.push_back({options.report});
    }
    aiming::check_aim_outputs(outputs, config);
}

/// Logs the keys that this command ignores.
void report_unused_keys(const RunConfig& config) {
    std::vector<std::string> keys;
    for (const char* key : {"output.file", "output.image", "output.per_heliostat"}) {
        if (config.locations.contains(key)) keys.push_back(key);
    }
    if (keys.empty()) return;
    write_log(run::LogLevel::info,
              fmt::format("not used, this command has its own options: {}", fmt::join(keys, ", ")));
}

run::PreparedRun prepare_aiming(const AimOptions& options) {
    DraftRunConfig draft = read_config(options.run);
    check_aim_outputs(options, draft.config);
    // If the configuration is faulty, preparing it reports all problems.
    if (draft.problems.empty()) {
        report_unused_keys(draft.config);
        draft.config.output = {};
        // Finished steps are stored beside this file.
        if (draft.config.sun.series) draft.config.output.file = options.aims;
    }
    run::PrepareOptions how = prepare_options(options.run);
    how.chooses_aims = true;
    run::PreparedRun prepared = run::prepare(std::move(draft), how);
    aiming::check_aim_series(prepared);
    return prepared;
}

/// Draws pictures and pages of one position of the sun.
void draw(const aiming::AimingResult& found,
          const run::PreparedRun& prepared,
          const AimOptions& options,
          OutputFiles& files) {
    if (!options.image.empty()) {
        plot_aiming(found, prepared.config, *prepared.scenario, options.image);
        files.image = options.image;
    }
    if (!options.report.empty()) {
        write_page(aiming_report(found, prepared.config, *prepared.scenario), options.report);
        files.report = options.report;
    }
}

void print(const AimOptions& options, const nlohmann::json& json, const std::string& text) {
    if (options.run.json) {
        print_json(json, JsonLayout::one_line);
    } else if (!options.run.quiet) {
        fmt::print("{}", text);
    }
}

/// Chooses, writes and prints aim points for one position of the sun. Returns a description of
/// violated limits.
std::string aim_one(run::Session& session, const AimOptions& options, Clock::time_point start) {
    const auto begin = Clock::now();
    std::optional<aiming::AimingResult> found = aiming::aim_field(session);
    const double seconds = seconds_since(begin);
    session.check_stop();
    if (!found) return "";
    const run::PreparedRun& prepared = session.prepared();
    OutputFiles files;
    files.aims = options.aims;
    aiming::write_aims(*found, prepared.config, *prepared.scenario, options.aims);
    if (!options.result.empty()) {
        aiming::write_aiming_result(*found, *prepared.scenario, options.result);
        files.result = options.result;
    }
    draw(*found, prepared, options, files);
    found->after.total_seconds = seconds_since(start);
    found->after.peak_rss_mb = peak_rss_mb();
    log_warnings(light_warnings(found->after));
    print(options, aiming_json(*found, files, seconds), aiming_text(*found, files, seconds));
    return found->violation;
}

/// Chooses, writes and prints aim points for a series. The stored steps are deleted after
/// everything is written. Returns a description of violated limits.
std::string aim_several(run::Session& session, const AimOptions& options, Clock::time_point start) {
    const std::optional<aiming::AimSeries> series = aiming::aim_series(session);
    session.check_stop();
    if (!series) return "";
    run::PreparedRun& prepared = session.prepared();
    OutputFiles files;
    files.aims = options.aims;
    aiming::write_aims(*series, prepared.config, *prepared.scenario, options.aims);
    if (!options.result.empty()) {
        aiming::write_aimed_series(*series, prepared, options.result);
        files.result = options.result;
    }
    draw(series->shown, prepared, options, files);
    prepared.remove_parts();
    const double seconds = seconds_since(start);
    print(options,
          aim_series_json(*series, files, seconds),
          aim_series_text(*series, files, seconds));
    return series->violation();
}

int aim(const AimOptions& options) {
    const auto start = Clock::now();
    bool limits_kept = true;
    const int exit_code = run_on_ranks(
        options.run,
        [&] { return prepare_aiming(options); },
        [&](run::Session& session) {
            const std::string violation = session.prepared().is_series()
                                              ? aim_several(session, options, start)
                                              : aim_one(session, options, start);
            // All ranks end with the same exit code.
            limits_kept = session.environment().all_gather_strings(violation).at(0).empty();
            if (!violation.empty()) print_failure(violation);
        });
    return limits_kept ? exit_code : 1;
}

void add_files(Command command, AimOptions& options) {
    command
        .add_option("-o,--output",
                    options.aims,
                    "Aim points to write (CSV; default aims.csv); the key aim.file reads them")
        .type_name("FILE");
    command
        .add_option("--result",
                    options.result,
                    "Result file (HDF5) of the run that verifies the aim points, with limits and "
                    "prices")
        .type_name("FILE");
    command
        .add_option("--image",
                    options.image,
                    "Picture (.png, .svg or .pdf): flux before and after, aim points, prices; for"
                    " a series those of the step with the most power")
        .type_name("FILE");
    command
        .add_option("--report",
                    options.report,
                    "Web page (.html) with the same pictures and the tables of a report; it needs "
                    "no other file")
        .type_name("PAGE");
}

}  // namespace

void add_aim(Command parent, Action& action) {
    const auto options = std::make_shared<AimOptions>();
    const Command command = parent.add_subcommand(
        "aim",
        "Choose aim points by a strategy, or for the most power under flux limits, and verify them "
        "by rays");
    add_config_options(command, options->run);
    add_files(command, *options);
    command
        .add_option("--strategy",
                    options->run.strategy,
                    "Strategy that chooses the aim points; replaces aiming.strategy")
        .type_name(fmt::format("{}", fmt::join(list_words(kStrategies), "|")));
    command
        .add_option("--flux-limit-kw-m2",
                    options->run.flux_limit,
                    "Flux limit of all targets; replaces aiming.flux_limit_kw_m2 and "
                    "aiming.flux_limit")
        .type_name("KW_M2");
    command.add_flag("--restart",
                     options->run.restart,
                     "Choose all steps of a series again instead of continuing those stored in "
                     "OUTPUT.parts");
    add_run_options(command, options->run);
    command.footer(
        "Examples:\n"
        "  helioray aim configs/aiming.yaml -o aims.csv --image before_after.png\n"
        "  helioray aim configs/aiming.yaml --flux-limit-kw-m2 500 --result flux.h5\n"
        "  helioray aim configs/aiming.yaml --strategy sigma --json\n"
        "  helioray raytrace configs/aiming.yaml --set aim.file=aims.csv\n"
        "With several positions of the sun, each step begins where the step before has ended; "
        "after "
        "an interruption, the same command continues.\n"
        "Exit codes: 0 limits and shares are kept; 1 they cannot be kept, and the best aim points "
        "are written, or anything else failed; 2 bad input, found before any work; 130/143 "
        "interrupted/terminated.");
    command.callback([options, &action] { action = [options] { return aim(*options); }; });
}

}  // namespace helioray::app

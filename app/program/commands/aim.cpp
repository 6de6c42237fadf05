// SPDX-License-Identifier: MIT
// The aim command: chooses aim points of the whole field by a strategy, or the best ones under flux
// limits.
#include "app/output/plot/aiming_plot.h"
#include "app/output/report/aiming_report.h"
#include "app/output/report/page_file.h"
#include "app/output/summary/summary.h"
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/standard_streams.h"
#include "app/program/common/traced_run.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/provenance.h"
#include "raytracer/solvers/aiming/aim_job.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <utility>
#include <variant>

namespace helioray::app {

namespace {

struct AimOptions {
    RaytraceOptions run;
    std::string aims = "aims.csv";
    std::string result;
    std::string image;
    std::string report;
};

/// Returns the files to write, after checking their extensions.
aiming::AimFiles list_files(const AimOptions& options) {
    aiming::AimFiles files{options.aims, options.result, {}};
    check_ending("--output", options.aims, kCsvFile, {".csv"});
    if (!options.result.empty())
        check_ending("--result", options.result, kHdf5File, kResultEndings);
    files.others = picture_and_page(options.image, options.report);
    return files;
}

/// Draws pictures and pages of one position of the sun.
void draw(const aiming::ChosenAims& aims, const AimOptions& options) {
    if (!options.image.empty())
        plot_aiming(aims.shown(), aims.config, *aims.scenario, options.image);
    if (!options.report.empty())
        write_text_file(options.report, aiming_report(aims.shown(), aims.config, *aims.scenario));
}

void print(const AimOptions& options, const nlohmann::json& json, const std::string& text) {
    if (options.run.json) {
        print_json(json, JsonLayout::one_line);
    } else if (!options.run.quiet) {
        fmt::print("{}", text);
    }
}

/// Prints aim points. For a series, the time since the start of the program is that of all steps.
void report(aiming::ChosenAims aims, const AimOptions& options, Clock::time_point start) {
    const double seconds = seconds_since(start);
    OutputFiles files;
    files.aims = options.aims;
    if (!options.result.empty()) files.result = options.result;
    if (!options.image.empty()) files.image = options.image;
    if (!options.report.empty()) files.report = options.report;
    if (const aiming::AimSeries* series = aims.series())
        return print(options,
                     aim_series_json(*series, files, seconds),
                     aim_series_text(*series, files, seconds));
    auto& found = std::get<aiming::AimingResult>(aims.found);
    found.after.total_seconds = seconds;
    found.after.peak_rss_mb = peak_rss_mb();
    log_warnings(light_warnings(found.after));
    print(
        options, aiming_json(found, files, aims.seconds), aiming_text(found, files, aims.seconds));
}

int aim(const AimOptions& options) {
    const auto start = Clock::now();
    const aiming::AimJob job(list_files(options));
    bool limits_kept = true;
    const int exit_code = run_on_ranks(
        options.run,
        [&] {
            DraftRunConfig draft = read_config(options.run);
            if (draft.problems.empty()) {
                report_unused_year_state(draft.config);
                report_unused_keys(draft.config,
                                   {"output.file", "output.image", "output.per_heliostat"},
                                   "this command has its own options");
            }
            return job.prepare(std::move(draft), prepare_options(options.run));
        },
        [&](run::Session& session) {
            const auto aims = job.run(session, [&](const auto& chosen) { draw(chosen, options); });
            if (aims) report(*aims, options, start);
            const std::string violation = aims ? aims->violation() : "";
            // All ranks end with the same exit code.
            limits_kept = session.environment().wait_for_root("violation", violation).empty();
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

// SPDX-License-Identifier: MIT
// The aim command: aim points of the whole field by a strategy, or the best under flux limits.
#include "app/commands/commands.h"
#include "app/common/standard_streams.h"
#include "app/common/traced_run.h"
#include "app/plot/aiming_plot.h"
#include "app/plot/plot_page.h"
#include "app/report/aiming_report.h"
#include "app/summary/summary.h"
#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/aim_file.h"
#include "raytracer/results/provenance.h"
#include "raytracer/results/result_file.h"
#include "scenario/config/choices.h"
#include "scenario/config/limit_table.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>

namespace helioray::app {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct AimOptions {
    RaytraceOptions run;
    std::string aims = "aims.csv";
    std::string result;
    std::string image;
    std::string report;
};

/// Endings, room and names of all files, before any work.
void check_aim_outputs(const AimOptions& options, const RunConfig& config) {
    std::vector<OutputFile> outputs{{options.aims}};
    if (!options.result.empty()) {
        const std::string ending = std::filesystem::path(options.result).extension().string();
        if (std::find(kResultEndings.begin(), kResultEndings.end(), ending) == kResultEndings.end())
            throw InputError(Problem{"--result",
                                     fmt::format("'{}' has another ending", options.result),
                                     "it is an HDF5 file",
                                     fmt::format("use {}", fmt::join(kResultEndings, " or "))});
        outputs.push_back({options.result});
    }
    if (!options.image.empty()) {
        picture_format(options.image);
        outputs.push_back({options.image});
    }
    if (!options.report.empty()) {
        const std::string ending = std::filesystem::path(options.report).extension().string();
        if (ending != ".html" && ending != ".htm")
            throw InputError(Problem{"--report",
                                     fmt::format("'{}' does not end in .html", options.report),
                                     "it is a web page",
                                     "use a name like aims.html"});
        outputs.push_back({options.report});
    }
    std::vector<std::filesystem::path> inputs{config.file, config.scenario};
    for (const auto& input :
         {config.aim.file, config.aiming.flux_limit_file, config.aiming.target_map}) {
        if (input) inputs.push_back(*input);
    }
    check_outputs(outputs, inputs);
}

/// Refuses what aim points cannot be chosen for.
void check_aimable(const RunConfig& config) {
    std::vector<Problem> problems;
    if (config.tracing.model == Model::artist) {
        problems.push_back({place_of(config, "tracing.model"),
                            "model artist has no flux in W/m2",
                            "limits and powers are in these units",
                            "choose tracing.model: physical"});
    }
    if (config.sun.series) {
        problems.push_back({place_of(config, "sun"),
                            "the configuration has several positions of the sun",
                            "aim points are chosen for one",
                            "keep one position"});
    }
    if (!problems.empty()) throw InputError(std::move(problems));
}

/// Logs the keys that have no effect here.
void say_what_is_not_used(const RunConfig& config) {
    std::vector<std::string> keys;
    for (const char* key : {"output.file", "output.image", "output.per_heliostat"}) {
        if (config.locations.contains(key)) keys.push_back(key);
    }
    if (keys.empty()) return;
    spdlog::info("not used, this command has its own options: {}", fmt::join(keys, ", "));
}

run::PreparedRun prepare_aiming(const AimOptions& options) {
    DraftRunConfig draft = read_config(options.run);
    check_aim_outputs(options, draft.config);
    // If the configuration is faulty, preparing it reports all problems.
    if (draft.problems.empty()) {
        check_aimable(draft.config);
        say_what_is_not_used(draft.config);
        draft.config.output = {};
    }
    run::PreparedRun prepared = run::prepare(std::move(draft), prepare_options(options.run));
    read_limit_tables(prepared.config, *prepared.scenario);
    return prepared;
}

/// Writes and prints what was found.
void deliver(aiming::AimingResult& found,
             const run::PreparedRun& prepared,
             const AimOptions& options,
             Clock::time_point start,
             double seconds) {
    const Scenario& scenario = *prepared.scenario;
    OutputFiles files;
    files.aims = options.aims;
    aiming::write_aims(found, prepared.config, scenario, options.aims);
    if (!options.result.empty()) {
        aiming::write_aiming_result(found, scenario, options.result);
        files.result = options.result;
    }
    if (!options.image.empty()) {
        plot_aiming(found, prepared.config, scenario, options.image);
        files.image = options.image;
    }
    if (!options.report.empty()) {
        const std::string page = aiming_report(found, prepared.config, scenario);
        AtomicFile file(options.report);
        file.write(std::as_bytes(std::span(page)));
        file.commit();
        files.report = options.report;
    }
    found.after.total_seconds = seconds_since(start);
    found.after.peak_rss_mb = peak_rss_mb();
    if (options.run.json) {
        print_json(aiming_json(found, files, seconds), JsonLayout::one_line);
    } else if (!options.run.quiet) {
        fmt::print("{}", aiming_text(found, files, seconds));
    }
}

int aim(const AimOptions& options) {
    const auto start = Clock::now();
    bool limits_kept = true;
    const int exit_code = run_on_ranks(
        options.run,
        [&] { return prepare_aiming(options); },
        [&](run::Session& session) {
            const auto begin = Clock::now();
            std::optional<aiming::AimingResult> found = aiming::aim_field(session);
            const double seconds = seconds_since(begin);
            session.check_stop();
            if (found) deliver(*found, session.prepared(), options, start, seconds);
            // All ranks end alike.
            const std::string violation = found && !found->limits_kept ? found->violation : "";
            limits_kept = session.environment().all_gather_strings(violation).at(0).empty();
            if (!violation.empty()) print_failure(violation);
        });
    return limits_kept ? exit_code : 1;
}

void add_files(CLI::App& command, AimOptions& options) {
    command
        .add_option("-o,--output",
                    options.aims,
                    "Aim points to write (CSV; default aims.csv); the key aim.file reads them")
        ->type_name("FILE");
    command
        .add_option("--result",
                    options.result,
                    "Result file (HDF5) of the run that verifies the aim points, with limits and "
                    "prices")
        ->type_name("FILE");
    command
        .add_option("--image",
                    options.image,
                    "Picture (.png, .svg or .pdf): flux before and after, aim points, prices")
        ->type_name("FILE");
    command
        .add_option("--report",
                    options.report,
                    "Web page (.html) with the same pictures and the tables of a report; it needs "
                    "no other file")
        ->type_name("PAGE");
}

}  // namespace

void add_aim(CLI::App& parent, Action& action) {
    const auto options = std::make_shared<AimOptions>();
    CLI::App& command = *parent.add_subcommand(
        "aim",
        "Choose aim points by a strategy, or for the most power under flux limits, and verify them "
        "by rays");
    add_config_options(command, options->run);
    add_files(command, *options);
    command
        .add_option("--strategy",
                    options->run.strategy,
                    "How aim points are chosen; replaces aiming.strategy")
        ->type_name(fmt::format("{}", fmt::join(words_of(kStrategies), "|")));
    command
        .add_option("--flux-limit-kw-m2",
                    options->run.flux_limit,
                    "Flux that all targets bear; replaces aiming.flux_limit_kw_m2 and "
                    "aiming.flux_limit")
        ->type_name("KW_M2");
    add_run_options(command, options->run);
    command.footer(
        "Examples:\n"
        "  helioray aim configs/aiming.yaml -o aims.csv --image before_after.png\n"
        "  helioray aim configs/aiming.yaml --flux-limit-kw-m2 500 --result flux.h5\n"
        "  helioray aim configs/aiming.yaml --strategy sigma --json\n"
        "  helioray raytrace configs/aiming.yaml --set aim.file=aims.csv\n"
        "Exit codes: 0 the limits are kept; 1 they cannot be kept, and the best aim points are "
        "written, or anything else failed; 2 bad input, found before any work; 130/143 "
        "interrupted/terminated.");
    command.callback([options, &action] { action = [options] { return aim(*options); }; });
}

}  // namespace helioray::app

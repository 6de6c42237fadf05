// SPDX-License-Identifier: MIT
// The sweep command: computes variants of a configuration and compares them.
#include "raytracer/studies/sweep/sweep.h"

#include "app/output/summary/summary.h"
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/standard_streams.h"
#include "app/program/common/traced_run.h"
#include "raytracer/studies/sweep/sweep_file.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>

namespace helioray::app {

namespace {

struct SweepOptions {
    RaytraceOptions run;
    std::vector<std::string> vary;
    std::string output = "sweep.csv";
};

sweep::Variants parse_variants(const SweepOptions& options) {
    std::vector<sweep::Variation> variations;
    std::vector<Problem> problems;
    for (const std::string& text : options.vary) {
        try {
            variations.push_back(sweep::parse_variation(text));
        } catch (const InputError& error) {
            problems.insert(problems.end(), error.problems().begin(), error.problems().end());
        }
    }
    if (!problems.empty()) throw InputError(std::move(problems));
    return sweep::Variants(std::move(variations));
}

sweep::SweepPlan plan(const SweepOptions& options) {
    sweep::check_sweep_ending(options.output);
    sweep::SweepPlan plan =
        sweep::plan_sweep(parse_variants(options), [&](const std::vector<std::string>& settings) {
            RaytraceOptions variant = options.run;
            variant.set.insert(variant.set.end(), settings.begin(), settings.end());
            return read_config(variant);
        });
    std::vector<std::filesystem::path> inputs{options.run.config};
    for (const auto& [file, scenario] : plan.scenarios) inputs.push_back(file);
    check_outputs({{options.output}}, inputs);
    report_unused_aiming(plan.configs.front());
    report_unused_year_state(plan.configs.front());
    return plan;
}

int run(const SweepOptions& options) {
    const auto start = Clock::now();
    std::optional<sweep::SweepPlan> planned;
    return run_on_ranks(
        options.run,
        [&] {
            planned = plan(options);
            return sweep::prepare_sweep(*planned, options.output, prepare_options(options.run));
        },
        [&](run::Session& session) {
            const std::optional<sweep::SweepTable> table = sweep::trace_sweep(session, *planned);
            if (!table) return;
            session.check_stop();
            sweep::write_sweep(*table, options.output);
            session.prepared().remove_parts();
            log_warnings(light_warnings(*table));
            const double seconds = seconds_since(start);
            if (options.run.json) {
                print_json(sweep_json(*table, options.output, seconds), JsonLayout::one_line);
            } else if (!options.run.quiet) {
                fmt::print("{}", sweep_text(*table, options.output, seconds));
            }
        });
}

}  // namespace

void add_sweep(Command parent, Action& action) {
    const auto options = std::make_shared<SweepOptions>();
    const Command command = parent.add_subcommand(
        "sweep", "Trace variants of a configuration and write one table of their results");
    add_config_options(command, options->run);
    command
        .add_option("--vary",
                    options->vary,
                    "Key with its values, KEY=A,B,C, or n numbers in equal steps, KEY=FROM:TO:N; "
                    "with several keys every combination is traced")
        .required()
        .type_name("KEY=VALUES")
        .expected(1)
        .take_all();
    command
        .add_option(
            "-o,--output", options->output, "Table to write (.csv or .h5; default sweep.csv)")
        .type_name("FILE");
    command.add_flag(
        "--restart", options->run.restart, "Discard the results of an earlier start of this sweep");
    add_run_options(command, options->run);
    command.footer(
        "Every variant is checked before the first is traced. All have the same"
        " random numbers, so differences between them are more accurate than "
        "the single results. After an interruption, the same command "
        "continues.\n"
        "Examples:\n"
        "  helioray sweep configs/quickstart.yaml --vary optics.slope_error_mrad=0.5:3:6\n"
        "  helioray sweep field.yaml --vary sun.azimuth_deg=90,180,270 \\\n"
        "      --vary sun.elevation_deg=15:75:5 -o suns.h5 --ranks 4\n"
        "  helioray sweep field.yaml --vary scenario=north.h5,round.h5 -o layouts.csv\n"
        "Exit codes: as those of raytrace.");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// The raytrace command: computes flux maps from a configuration, for one or several positions of
// the sun.
#include "app/output/plot/flux_plot.h"
#include "app/output/plot/series_plot.h"
#include "app/output/summary/summary.h"
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/standard_streams.h"
#include "app/program/common/traced_run.h"
#include "raytracer/results/result_file.h"
#include "raytracer/run/trace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>

namespace helioray::app {

namespace {

OutputFiles list_output_files(const run::PreparedRun& prepared) {
    OutputFiles files;
    if (!prepared.output.empty()) files.result = prepared.output;
    if (!prepared.image.empty()) files.image = prepared.image;
    return files;
}

void trace_single(run::Session& session, const RaytraceOptions& options, Clock::time_point start) {
    const run::PreparedRun& prepared = session.prepared();
    const auto result = run::run_single(session, start, [&](const RunResult& traced) {
        if (!prepared.output.empty()) write_result(traced, prepared.output);
        if (!prepared.image.empty()) plot_flux(traced, prepared.image);
    });
    if (!result) return;
    if (options.json) {
        print_json(summary_json(*result, list_output_files(prepared)), JsonLayout::one_line);
    } else if (!options.quiet) {
        fmt::print("{}", summary_text(*result, list_output_files(prepared)));
    }
}

void trace_several(run::Session& session, const RaytraceOptions& options, Clock::time_point start) {
    const run::PreparedRun& prepared = session.prepared();
    const auto series = run::run_series(session, start, [&](const SeriesResult& traced) {
        if (prepared.image.empty()) return;
        store_page(series_page(traced, step_reader(prepared.output, traced)),
                   prepared.image,
                   PlotOptions().pixels_per_point);
    });
    if (!series) return print_shard(session, options);
    if (options.json) {
        print_json(series_json(*series, list_output_files(prepared)), JsonLayout::one_line);
    } else if (!options.quiet) {
        fmt::print("{}", series_text(*series, list_output_files(prepared)));
    }
}

int raytrace(const RaytraceOptions& options) {
    const auto start = Clock::now();
    return run_on_ranks(
        options,
        [&] {
            DraftRunConfig draft = read_config(options);
            if (draft.problems.empty()) {
                report_unused_aiming(draft.config);
                report_unused_year_state(draft.config);
            }
            return run::prepare(std::move(draft), prepare_options(options));
        },
        [&](run::Session& session) {
            if (session.prepared().is_series()) return trace_several(session, options, start);
            trace_single(session, options, start);
        },
        HandsOutWork::if_configured);
}

}  // namespace

void add_raytrace(Command parent, Action& action) {
    const auto options = std::make_shared<RaytraceOptions>();
    const Command command = parent.add_subcommand(
        "raytrace",
        "Trace a field: configuration -> flux maps and energy balance per target and heliostat");
    add_config_options(command, *options);
    command.add_option("-o,--output", options->output, "Result file (HDF5); replaces output.file")
        .type_name("FILE");
    command
        .add_option(
            "--image", options->image, "Picture (.png, .svg or .pdf); replaces output.image")
        .type_name("FILE");
    add_parts_options(command, *options);
    add_run_options(command, *options);
    command.footer(
        "Examples:\n"
        "  helioray raytrace configs/quickstart.yaml\n"
        "  helioray raytrace field.yaml --set sun.azimuth_deg=120 -o morning.h5 --image "
        "morning.png\n"
        "  helioray raytrace configs/series.yaml          # a day\n"
        "  helioray raytrace field.yaml --ranks 4\n"
        "  torchrun --no-python --nproc-per-node 4 helioray raytrace field.yaml\n"
        "After an interruption, the same command continues.\n"
        "Exit codes: 0 done; 2 bad input, found before any work; 1 anything else; 130/143 "
        "interrupted/terminated.");
    command.callback([options, &action] { action = [options] { return raytrace(*options); }; });
}

}  // namespace helioray::app

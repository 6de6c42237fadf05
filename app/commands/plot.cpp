// SPDX-License-Identifier: MIT
// The plot command: pictures of a result.
#include "app/commands/commands.h"
#include "app/file_kind.h"
#include "raytracer/output/flux_plot.h"
#include "raytracer/output/result_file.h"
#include "raytracer/output/series_file.h"
#include "raytracer/output/series_plot.h"
#include "scenario/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace helioray::app {

namespace {

struct PlotCommand {
    std::string result;
    std::string picture;
    std::string time;
};

// A number of at most nine digits counts steps; everything else is a time.
std::size_t chosen_step(const SeriesResult& series, const PlotCommand& options) {
    if (options.time.empty()) return series.strongest_step();
    const std::string& text = options.time;
    const bool is_index =
        text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
    if (is_index) {
        const std::size_t step = std::stoul(text);
        if (step < series.steps.size()) return step;
        throw InputError(Problem{"--time",
                                 fmt::format("there is no step {}", step),
                                 "",
                                 fmt::format("choose one from 0 to {}", series.steps.size() - 1)});
    }
    const std::optional<std::size_t> step = find_time(series, text);
    if (step) return *step;
    throw InputError(
        Problem{"--time",
                fmt::format("no step has the time {}", text),
                "",
                "'helioray info' lists the steps; write one of their times or numbers"});
}

int run(const PlotCommand& options) {
    if (kind_of(options.result) == FileKind::text) {
        throw InputError(
            Problem{options.result, "this is not a result file", "results are HDF5 files", ""});
    }
    check_picture_path(options.picture);
    check_writable(options.picture);
    if (is_series(options.result)) {
        const SeriesResult series = read_series(options.result);
        plot_step(options.result, series, chosen_step(series, options), options.picture);
        return 0;
    }
    if (!options.time.empty()) {
        throw InputError(Problem{"--time",
                                 "the result is a single run, not a series",
                                 "it has no steps to choose from",
                                 "leave --time out"});
    }
    plot_flux(read_result(options.result, HeliostatFlux::skip), options.picture);
    return 0;
}

}  // namespace

void add_plot(CLI::App& parent, Action& action) {
    const auto options = std::make_shared<PlotCommand>();
    CLI::App& command = *parent.add_subcommand("plot", "Draw the flux maps of a result");
    command.add_option("result", options->result, "Result file (HDF5)")
        ->required()
        ->type_name("RESULT");
    command.add_option("-o,--output", options->picture, "Picture: .png, .svg or .pdf")
        ->required()
        ->type_name("PICTURE");
    command
        .add_option("--time",
                    options->time,
                    "Of a series: the step to draw, by number from 0 or by time (default: the one "
                    "with the highest power)")
        ->type_name("INDEX|ISO");
    command.footer(
        "Examples:\n"
        "  helioray plot quickstart.h5 -o flux.pdf\n"
        "  helioray plot series.h5 -o noon.png --time 2026-06-21T12:00:00+02:00");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// The plot command: pictures of a result.
#include "app/commands/commands.h"
#include "app/file_kind.h"
#include "raytracer/output/flux_plot.h"
#include "raytracer/output/result_file.h"
#include "scenario/error.h"

#include <CLI/CLI.hpp>

#include <memory>

namespace helioray::app {

namespace {

struct PlotOptions {
    std::string result;
    std::string picture;
};

int run(const PlotOptions& options) {
    if (kind_of(options.result) == FileKind::text) {
        throw InputError(
            Problem{options.result, "this is not a result file", "results are HDF5 files", ""});
    }
    check_picture_path(options.picture);
    check_writable(options.picture);
    plot_flux(read_result(options.result, HeliostatFlux::skip), options.picture);
    return 0;
}

}  // namespace

void add_plot(CLI::App& parent, Action& action) {
    const auto options = std::make_shared<PlotOptions>();
    CLI::App& command = *parent.add_subcommand("plot", "Draw the flux maps of a result");
    command.add_option("result", options->result, "Result file (HDF5)")
        ->required()
        ->type_name("RESULT");
    command.add_option("-o,--output", options->picture, "Picture: .png, .svg or .pdf")
        ->required()
        ->type_name("PICTURE");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// The reconstruct command: computes mirror surfaces from flux images.
#include "app/output/plot/reconstruction_plot.h"
#include "app/output/report/page_file.h"
#include "app/output/report/reconstruction_report.h"
#include "app/output/summary/reconstruction_summary.h"
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/made_scenario.h"
#include "app/program/common/standard_streams.h"
#include "app/program/common/traced_run.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/solver_ranks.h"
#include "raytracer/solvers/calibration/state.h"
#include "raytracer/solvers/reconstruction/reconstruct_field.h"
#include "scenario/files/output_files.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>

namespace helioray::app {

namespace {

using namespace reconstruction;

struct ReconstructOptions {
    std::string scenario, output, truth, image, report;
    FluxFiles files;
    ScenarioFormat format = ScenarioFormat::automatic;
    RaytraceOptions run;  // processes, threads, JSON
};

void check_files(const ReconstructOptions& options) {
    check_ending("--output", options.output, kHdf5File, kResultEndings);
    std::vector<OutputFile> outputs{{options.output}};
    for (const std::filesystem::path& file : picture_and_page(options.image, options.report))
        outputs.push_back({file});
    std::vector<std::filesystem::path> inputs{options.scenario};
    if (!options.truth.empty()) inputs.push_back(options.truth);
    check_outputs(outputs, inputs);
}

/// Input that is read before any fit.
struct ReadInput {
    Scenario scenario;
    std::vector<calibration::HeliostatState> states;  ///< states from a calibrated scenario
    std::optional<Scenario> truth;
    FieldImages images;
};

ReadInput read_input(const ReconstructOptions& options) {
    check_files(options);
    ReadInput input;
    input.scenario = read_scenario(options.scenario);
    if (calibration::is_calibrated(options.scenario))
        input.states = calibration::read_states(options.scenario, input.scenario);
    if (!options.truth.empty()) input.truth = read_scenario(options.truth);
    FluxFiles files = options.files;
    for (const auto& state : input.states) files.calibrated.push_back(state.name);
    input.images = read_images(input.scenario, files);
    if (input.images.elsewhere > 0) {
        write_log(run::LogLevel::info,
                  fmt::format("--measured: {} record(s) of heliostats that {} does not hold are "
                              "left out",
                              input.images.elsewhere,
                              options.scenario));
    }
    return input;
}

int run_reconstruct(const ReconstructOptions& options) {
    const auto begin = Clock::now();
    ReadInput input;
    const auto prepare = [&] {
        input = read_input(options);
        run::PreparedRun run =
            run::solver_input("images", input.images.heliostats.size(), input.images.num_fitted());
        run.settings["output"] = options.output;
        return run;
    };
    return run_on_ranks(options.run, prepare, [&](run::Session& session) {
        const Scenario& scenario = input.scenario;
        const Scenario* truth = input.truth ? &*input.truth : nullptr;
        const std::vector<HeliostatMirror> mirrors =
            reconstruct_field(scenario,
                              input.images,
                              truth,
                              session.options().num_threads,
                              run::solver_ranks(session));
        if (!session.is_root()) return;
        if (!options.image.empty()) plot_reconstructions(mirrors, scenario, truth, options.image);
        if (!options.report.empty())
            write_text_file(options.report,
                            reconstruction_report(mirrors, scenario, truth, options.output));
        const Scenario made = with_mirrors(scenario, mirrors);
        if (!options.run.quiet && !options.run.json)
            log_new_scenario(made, options.output, options.format);
        // The next `calibrate --update` needs the calibration's state.
        calibration::write_calibrated_scenario(made, input.states, options.output, options.format);
        const double seconds = seconds_since(begin);
        if (options.run.json) {
            print_json(reconstruction_json(mirrors, options.output, seconds));
        } else {
            fmt::print("{}", reconstruction_text(mirrors, options.output, seconds));
        }
    });
}

}  // namespace

void add_reconstruct(Command parent, Action& action) {
    const auto options = std::make_shared<ReconstructOptions>();
    const Command command =
        parent.add_subcommand("reconstruct", "Find the shape of mirrors from flux images");
    command.add_option("scenario", options->scenario, "Scenario file (HDF5) to start from")
        .required()
        .type_name("SCENARIO");
    command
        .add_option("--measured",
                    options->files.measured,
                    "Records of the PAINT database with their images: "
                    "<id>-calibration-properties.json, <id>-flux-centered.png, or a folder with "
                    "such files anywhere below it; the folder above a record names its heliostat, "
                    "in folders of PAINT's benchmark (train, test, validation) the table of its "
                    "split")
        .required()
        .type_name("FILE");
    command
        .add_option("--test",
                    options->files.test,
                    "Records that are not fitted and only predicted, even if --measured contains "
                    "them, or splits of PAINT's benchmark (Id, HeliostatId, Split), whose train "
                    "rows are fitted")
        .type_name("FILE");
    command
        .add_option("--truth",
                    options->truth,
                    "Scenario with measured surfaces, which slopes are compared with")
        .type_name("FILE");
    command
        .add_option(
            "--heliostat", options->files.heliostats, "Heliostats to reconstruct (default: all)")
        .type_name("NAME");
    command.add_option("-o,--output", options->output, "Scenario file to write (HDF5)")
        .required()
        .type_name("FILE");
    add_scenario_format(command, options->format);
    command
        .add_option(
            "--image", options->image, "Draw images, models and slopes (.png, .svg or .pdf)")
        .type_name("FILE");
    command
        .add_option("--report",
                    options->report,
                    "Web page (.html) with the same pictures, tables and rejected records; it "
                    "needs no other file")
        .type_name("FILE");
    command.add_choice(
        "--image-kind",
        options->files.kind,
        kImageKinds,
        "Pictures that are fitted: 6 x 6 m about the spot (default) or the whole target");
    command
        .add_option("--ranks",
                    options->run.ranks,
                    "Start this many processes here, which divide the heliostats; the result "
                    "equals that of one process")
        .type_name("N");
    command
        .add_option("--threads",
                    options->run.threads,
                    "Threads of each process (default: all cores, shared between processes)")
        .range(1, 4096)
        .type_name("N");
    command.add_flag("--json", options->run.json, "Print one JSON object");
    command.footer(
        "Mirrors are aimed at the measured spots, so nominal kinematics are enough. Traced flux "
        "of\n"
        "the start and of the result is compared with every image: flux accuracy is 1 where both\n"
        "are equal and 0 where they have no light in common.\n"
        "\n"
        "Example:\n"
        "  helioray reconstruct juelich.h5 --measured paint/AA39 --test 270398-flux-centered.png "
        "\\\n"
        "      -o mirrors.h5 --image mirrors.png");
    command.callback(
        [options, &action] { action = [options] { return run_reconstruct(*options); }; });
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// Commands that read files and compute nothing: validate, info, plot, scenario.
#include "app/commands.h"
#include "app/log.h"
#include "app/prepare.h"
#include "raytracer/output/atomic_file.h"
#include "raytracer/output/describe_result.h"
#include "raytracer/output/flux_plot.h"
#include "raytracer/output/result_file.h"
#include "scenario/config/checks.h"
#include "scenario/config/reader.h"
#include "scenario/describe.h"
#include "scenario/error.h"
#include "scenario/hdf5/file.h"
#include "scenario/hdf5/group.h"
#include "scenario/paint/paint.h"
#include "scenario/scenario_reader.h"
#include "scenario/scenario_writer.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <filesystem>
#include <fstream>

namespace helioray::app {

namespace {

namespace fs = std::filesystem;

enum class FileKind { hdf5, text };

/// Told by content, not by name. Throws InputError for what is not a readable file.
FileKind kind_of(const fs::path& file) {
    if (fs::is_directory(file)) {
        throw InputError(Problem{file.string(), "this is a folder", "", "name a file"});
    }
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        throw InputError(
            Problem{file.string(),
                    fs::exists(file) ? "the file cannot be read" : "there is no such file",
                    "",
                    "check the path"});
    }
    std::string signature(4, '\0');
    stream.read(signature.data(), 4);
    return signature == "\x89HDF" ? FileKind::hdf5 : FileKind::text;
}

/// Collects problems of one step so that later steps still report theirs.
template <typename Step>
void collect(std::vector<Problem>& problems, Step&& step) {
    try {
        step();
    } catch (const InputError& error) {
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
}

void validate_config(const std::string& file) {
    std::vector<Problem> problems;
    RunConfig config = read_run_config(file, {});
    collect(problems, [&] { check_supported(config); });
    collect(problems, [&] { choose_device(config.device, config.tracing.model); });
    collect(problems, [&] {
        const Scenario scenario = read_scenario(config.scenario);
        for (const std::string& warning : scenario.warnings) spdlog::warn("{}", warning);
        check_against_scenario(config, scenario);
    });
    if (!problems.empty()) throw InputError(problems);
    // Alignment may find heliostats that cannot reach their aim.
    prepare_run(std::move(config));
}

}  // namespace

int run(const ValidateOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    if (kind_of(options.file) == FileKind::hdf5) {
        const Scenario scenario = read_scenario(options.file);
        for (const std::string& warning : scenario.warnings) spdlog::warn("{}", warning);
        fmt::print("{}: valid scenario\n", options.file);
    } else {
        validate_config(options.file);
        fmt::print("{}: valid configuration\n", options.file);
    }
    return 0;
}

int run(const InfoOptions& options) {
    if (kind_of(options.file) == FileKind::text) {
        throw InputError(Problem{options.file,
                                 "this is neither a scenario nor a result",
                                 "both are HDF5 files",
                                 "to check a configuration use 'helioray validate'"});
    }
    // Results carry their format's name; everything else is taken for a scenario.
    const bool is_result = hdf5::File::open(options.file).root().has_attribute("format");
    if (is_result) {
        fmt::print("{}", describe_result(read_result(options.file, HeliostatFlux::skip)));
    } else {
        fmt::print("{}", format_tables(describe(read_scenario(options.file))));
    }
    return 0;
}

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

int run(const ScenarioPaintOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    PaintInputs inputs;
    inputs.tower = options.tower;
    for (const std::string& argument : options.heliostats) {
        // NAME=FILE names the heliostat; else its name stands in the file's name.
        const size_t equals = argument.find('=');
        if (equals == std::string::npos) {
            inputs.heliostats.push_back({argument, ""});
        } else {
            inputs.heliostats.push_back({argument.substr(equals + 1), argument.substr(0, equals)});
        }
    }
    inputs.control_points = {options.control_points, options.control_points};
    check_writable(options.output);
    std::vector<std::string> report;
    const Scenario scenario = scenario_from_paint(inputs, &report);
    for (const std::string& line : report) spdlog::info("{}", line);
    write_scenario(scenario, options.output);
    fmt::print("{}: {} heliostats, {} targets\n",
               options.output,
               scenario.heliostats.size(),
               scenario.targets.size());
    return 0;
}

}  // namespace helioray::app

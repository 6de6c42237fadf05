// SPDX-License-Identifier: MIT
// helioray export csv and vtk: write a result as files for other programs.
#include "app/output/export/export_files.h"
#include "app/output/summary/run_context.h"
#include "app/program/commands/commands.h"
#include "app/program/common/input_files.h"
#include "app/program/common/standard_streams.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/series/series_energy.h"
#include "raytracer/run/options.h"
#include "raytracer/run/result_paths.h"
#include "raytracer/studies/annual/annual_file.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace helioray::app {

namespace {

struct ExportOptions {
    std::string result;
    std::string folder;
    std::string time;
    std::int64_t rays = 0;
    double sun_length = PlantParts{}.sun_length;
    bool json = false;
};

/// Largest number of rays: their file has 2 GB.
constexpr int kMostPaths = 10'000'000;

using MakeFiles = std::vector<ExportFile> (*)(const ExportOptions&);

std::vector<ExportFile> make_csv_files(const ExportOptions& options) {
    if (const auto series = open_series(options.result, options.time))
        return series_csv_files(
            *series,
            series_plan(*series,
                        series_durations(*series),
                        read_step(options.result, *series, series->strongest_step())));
    if (!is_year(options.result)) return csv_files(open_result(options.result, options.time));
    if (!options.time.empty()) refuse_time_of_year();
    return annual_csv_files(read_annual(options.result));
}

std::vector<ExportFile> make_vtk_files(const ExportOptions& options) {
    const RunResult result = open_result(options.result, options.time);
    const bool outlines = std::all_of(result.heliostats.begin(),
                                      result.heliostats.end(),
                                      [](const auto& h) { return h.mirror_outline.has_value(); });
    if (!outlines) {
        fmt::print(stderr,
                   "helioray: {}: the mirrors' outlines are unknown (an earlier version wrote the "
                   "file); heliostats.vtp holds points\n",
                   options.result);
    }
    PlantParts parts;
    parts.bodies = read_surroundings(result).obstacles;
    parts.sun_length = options.sun_length;
    if (options.rays > 0)
        parts.rays = run::trace_paths(result, options.rays, run::threads_of_rank(LaunchInfo{}));
    return vtk_files(result, parts);
}

int run(const ExportOptions& options, MakeFiles make_files) {
    check_export_folder(options.folder);
    const std::vector<ExportFile> files = make_files(options);
    write_files(files, options.folder);
    if (options.json) {
        nlohmann::json out{{"folder", options.folder}, {"files", nlohmann::json::array()}};
        for (const ExportFile& file : files) out["files"].push_back(file.name);
        print_json(out);
        return 0;
    }
    for (const ExportFile& file : files) {
        fmt::print("{}  ({} kB)\n",
                   (std::filesystem::path(options.folder) / file.name).string(),
                   grouped(static_cast<std::int64_t>((file.content.size() + 999) / 1000)));
    }
    return 0;
}

std::shared_ptr<ExportOptions> add_common(Command command,
                                          Action& action,
                                          MakeFiles make_files,
                                          const std::string& without_time) {
    const auto options = std::make_shared<ExportOptions>();
    command.add_option("result", options->result, "Result file (HDF5)")
        .required()
        .type_name("RESULT");
    command
        .add_option("-o,--output",
                    options->folder,
                    "Folder for the files; it is created if only its last part is missing")
        .required()
        .type_name("FOLDER");
    add_time_option(command, options->time, without_time);
    command.add_flag("--json", options->json, "Print the names of the files as JSON");
    command.callback([options, make_files, &action] {
        action = [options, make_files] { return run(*options, make_files); };
    });
    return options;
}

}  // namespace

void add_export_csv(Command parent, Action& action) {
    const Command command = parent.add_subcommand(
        "csv",
        "Flux maps of a result as tables, and one table of its heliostats; for "
        "a series, tables by time; for a year, tables of months, heliostats and sun positions");
    add_common(command, action, make_csv_files, "tables of the whole series");
    command.footer(
        "Examples:\n"
        "  helioray export csv quickstart.h5 -o tables\n"
        "  helioray export csv series.h5 -o day\n"
        "  helioray export csv annual.h5 -o year");
}

void add_export_vtk(Command parent, Action& action) {
    const Command command =
        parent.add_subcommand("vtk",
                              "Targets, mirrors, bodies and rays of a result in the plant's "
                              "coordinates for ParaView and PyVista");
    const auto options =
        add_common(command, action, make_vtk_files, "the one with the highest power");
    const Option rays =
        command
            .add_option("--rays",
                        options->rays,
                        "Trace this many rays of the run again, and export their paths with the "
                        "place where each ends; needs the scenario file of the run")
            .type_name("N")
            .range(1, kMostPaths);
    command
        .add_option("--sun-length",
                    options->sun_length,
                    fmt::format("Length of the rays on the side of the sun, m (default {:g})",
                                options->sun_length))
        .type_name("M")
        .range(0.0, 1e5)
        .needs(rays);
    command.footer(
        "Examples:\n"
        "  helioray export vtk quickstart.h5 -o paraview    # then open result.vtm\n"
        "  helioray export vtk quickstart.h5 -o paraview --rays 500");
}

}  // namespace helioray::app

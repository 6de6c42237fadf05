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
#include <span>
#include <utility>

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

/// Stores files in the folder of a command, and remembers their names and sizes.
class Folder {
  public:
    explicit Folder(std::string folder) : folder_(std::move(folder)) {}

    void store(const std::vector<ExportFile>& files) {
        write_files(files, folder_);
        for (const ExportFile& file : files) stored_.emplace_back(file.name, file.content.size());
    }

    void print(bool as_json) const;

  private:
    std::string folder_;
    std::vector<std::pair<std::string, std::size_t>> stored_;
};

void Folder::print(bool as_json) const {
    if (as_json) {
        nlohmann::json out{{"folder", folder_}, {"files", nlohmann::json::array()}};
        for (const auto& [name, size] : stored_) out["files"].push_back(name);
        print_json(out);
        return;
    }
    const auto kilobytes = [](std::size_t size) {
        return grouped(static_cast<std::int64_t>((size + 999) / 1000));
    };
    // If the files are many, only the last one is named, which opens the others.
    constexpr std::size_t kMostNames = 40;
    const bool is_short = stored_.size() <= kMostNames;
    if (!is_short) {
        std::size_t sum = 0;
        for (const auto& [name, size] : stored_) sum += size;
        fmt::print(
            "{} files in {}  ({} kB)\n", grouped(std::ssize(stored_)), folder_, kilobytes(sum));
    }
    for (const auto& [name, size] : std::span(stored_).subspan(is_short ? 0 : stored_.size() - 1))
        fmt::print(
            "{}  ({} kB)\n", (std::filesystem::path(folder_) / name).string(), kilobytes(size));
}

using WriteFiles = void (*)(const ExportOptions&, Folder&);

void write_csv(const ExportOptions& options, Folder& folder) {
    if (const auto series = open_series(options.result, options.time)) {
        const RunResult strongest = read_step(options.result, *series, series->strongest_step());
        folder.store(
            series_csv_files(*series, series_plan(*series, series_durations(*series), strongest)));
    } else if (!is_year(options.result)) {
        folder.store(csv_files(open_result(options.result, options.time)));
    } else {
        if (!options.time.empty()) refuse_time_of_year();
        folder.store(annual_csv_files(read_annual(options.result)));
    }
}

void report_missing_outlines(const ExportOptions& options, const RunResult& result) {
    if (std::ranges::all_of(result.heliostats,
                            [](const auto& h) { return h.mirror_outline.has_value(); }))
        return;
    fmt::print(stderr,
               "helioray: {}: the mirrors' outlines are unknown (an earlier version wrote the "
               "file); heliostats.vtp holds points\n",
               options.result);
}

/// Returns the bodies of a result and, if they are asked for, rays of its run.
PlantParts make_parts(const ExportOptions& options, const RunResult& result) {
    PlantParts parts;
    Surroundings surroundings = read_surroundings(result);
    parts.bodies = std::move(surroundings.obstacles);
    parts.mirrors = std::move(surroundings.mirrors);
    parts.ground = std::move(surroundings.ground);
    parts.sun_length = options.sun_length;
    if (options.rays > 0)
        parts.rays = run::trace_paths(result, options.rays, run::threads_of_rank(LaunchInfo{}));
    return parts;
}

void write_vtk(const ExportOptions& options, Folder& folder) {
    const auto series = open_series(options.result, options.time);
    if (!series) {
        const RunResult result = open_result(options.result, options.time);
        report_missing_outlines(options, result);
        folder.store(vtk_files(result, make_parts(options, result)));
        return;
    }
    // One step after the other is in memory. The file that opens them all comes last.
    const ReadStep read = step_reader(options.result, *series);
    for (std::size_t step = 0; step < series->steps.size(); ++step) {
        const RunResult result = read(step);
        if (step == 0) report_missing_outlines(options, result);
        folder.store(vtk_files(*series, result, step, make_parts(options, result)));
    }
    folder.store({vtk_collection(*series)});
}

int run(const ExportOptions& options, WriteFiles write) {
    check_export_folder(options.folder);
    Folder folder(options.folder);
    write(options, folder);
    folder.print(options.json);
    return 0;
}

std::shared_ptr<ExportOptions> add_common(Command command,
                                          Action& action,
                                          WriteFiles write,
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
    command.callback(
        [options, write, &action] { action = [options, write] { return run(*options, write); }; });
    return options;
}

}  // namespace

void add_export_csv(Command parent, Action& action) {
    const Command command = parent.add_subcommand(
        "csv",
        "Flux maps of a result as tables, and one table of its heliostats; for "
        "a series, tables by time; for a year, tables of months, heliostats and sun positions");
    add_common(command, action, write_csv, "tables of the whole series");
    command.footer(
        "Examples:\n"
        "  helioray export csv quickstart.h5 -o tables\n"
        "  helioray export csv series.h5 -o day\n"
        "  helioray export csv annual.h5 -o year");
}

void add_export_vtk(Command parent, Action& action) {
    const Command command =
        parent.add_subcommand("vtk",
                              "Targets, mirrors, bodies and rays of a result, or of all steps of a "
                              "series, in the plant's coordinates for ParaView and PyVista");
    const auto options = add_common(command, action, write_vtk, "all steps");
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
        "  helioray export vtk quickstart.h5 -o paraview --rays 500\n"
        "  helioray export vtk series.h5 -o day             # then open series.pvd");
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// helioray export csv and vtk: write a result as files for other programs.
#include "app/output/export/export_files.h"
#include "app/program/commands/commands.h"
#include "app/program/common/input_files.h"
#include "app/program/common/standard_streams.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/series/series_energy.h"
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
    bool json = false;
};

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
    // Of many files, only the last one is named, which opens the others.
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

void write_vtk(const ExportOptions& options, Folder& folder) {
    const auto series = open_series(options.result, options.time);
    if (!series) {
        const RunResult result = open_result(options.result, options.time);
        report_missing_outlines(options, result);
        folder.store(vtk_files(result));
        return;
    }
    // One step after the other is in memory. The file that opens them all comes last.
    const ReadStep read = step_reader(options.result, *series);
    for (std::size_t step = 0; step < series->steps.size(); ++step) {
        const RunResult result = read(step);
        if (step == 0) report_missing_outlines(options, result);
        folder.store(vtk_files(*series, result, step));
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

void add_common(Command command,
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
                              "Targets and mirrors of a result, or of all steps of a series, in "
                              "the plant's coordinates for ParaView and PyVista");
    add_common(command, action, write_vtk, "all steps");
    command.footer(
        "Examples:\n"
        "  helioray export vtk quickstart.h5 -o paraview    # then open result.vtm\n"
        "  helioray export vtk series.h5 -o day             # then open series.pvd");
}

}  // namespace helioray::app

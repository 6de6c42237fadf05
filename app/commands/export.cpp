// SPDX-License-Identifier: MIT
// The export command: a result as files of other programs.
#include "app/commands/commands.h"
#include "app/open_result.h"
#include "raytracer/output/export_files.h"
#include "raytracer/output/number_text.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>

namespace helioray::app {

namespace {

struct ExportOptions {
    std::string result;
    std::string format;
    std::string folder;
    bool json = false;
};

int run(const ExportOptions& options) {
    check_export_folder(options.folder);
    const RunResult result = open_result(options.result);
    const bool vtk = options.format == "vtk";
    const std::vector<ExportFile> files = vtk ? vtk_files(result) : csv_files(result);
    write_files(files, options.folder);

    const bool outlines = std::all_of(result.heliostats.begin(),
                                      result.heliostats.end(),
                                      [](const auto& h) { return h.mirror_outline.has_value(); });
    if (vtk && !outlines) {
        fmt::print(stderr,
                   "helioray: {}: the mirrors' outlines are unknown (an earlier version wrote the "
                   "file); heliostats.vtp holds points\n",
                   options.result);
    }
    if (options.json) {
        nlohmann::json out{{"folder", options.folder}, {"files", nlohmann::json::array()}};
        for (const ExportFile& file : files) out["files"].push_back(file.name);
        fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
        return 0;
    }
    for (const ExportFile& file : files) {
        fmt::print("{}  ({} kB)\n",
                   (std::filesystem::path(options.folder) / file.name).string(),
                   grouped(static_cast<std::int64_t>((file.content.size() + 999) / 1000)));
    }
    return 0;
}

}  // namespace

void add_export(CLI::App& parent, Action& action) {
    const auto options = std::make_shared<ExportOptions>();
    CLI::App& command = *parent.add_subcommand(
        "export", "Write flux maps and heliostats of a result as CSV tables or for ParaView");
    command.add_option("result", options->result, "Result file (HDF5)")
        ->required()
        ->type_name("RESULT");
    command
        .add_option("-f,--format",
                    options->format,
                    "csv: a table per flux map and one of the heliostats; vtk: XML files for "
                    "ParaView and PyVista with targets and mirrors in the plant's coordinates")
        ->required()
        ->option_text("csv|vtk (required)")
        ->check(CLI::IsMember({"csv", "vtk"}));
    command
        .add_option("-o,--output",
                    options->folder,
                    "Folder for the files; it is created when only its last part is missing")
        ->required()
        ->type_name("FOLDER");
    command.add_flag("--json", options->json, "Print the names of the files as JSON");
    command.footer(
        "Examples:\n"
        "  helioray export quickstart.h5 --format csv -o tables\n"
        "  helioray export quickstart.h5 --format vtk -o paraview    # then open result.vtm");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// helioray export sam, solarpilot, solartherm and netcdf: write an efficiency table for plant
// models.
#include "app/output/export/efficiency_files.h"
#include "app/program/commands/commands.h"
#include "app/program/common/log.h"
#include "app/program/common/standard_streams.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "raytracer/studies/efficiency/sky_coverage.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace helioray::app {

namespace {

struct TableOptions {
    std::string table;
    std::string output;
    PlantModelOptions model;
    bool has_absorptance = false;
    bool json = false;
};

/// Prints the names of the written files, and a note for users.
void print_files(const TableOptions& options,
                 const std::vector<std::string>& files,
                 const std::string& note) {
    if (options.json) {
        const nlohmann::json out{{"output", options.output}, {"files", files}};
        print_json(out);
        return;
    }
    for (const std::string& file : files) fmt::print("{}\n", file);
    if (!note.empty()) fmt::print("{}\n", note);
}

/// Reads the table and warns if it covers only a part of the sky.
EfficiencyTable read_table(const std::string& file) {
    set_up_log(Verbosity::normal, 0, 1, "");
    EfficiencyTable table = read_efficiency(file);
    const std::string warning = coverage_warning(table.suns, table.latitude);
    if (!warning.empty()) write_log(run::LogLevel::warning, fmt::format("{}: {}", file, warning));
    return table;
}

int write_table(const TableOptions& options, PlantModel model, const char* azimuths) {
    if (is_folder(model)) {
        check_export_folder(options.output);
    } else {
        check_outputs({{options.output}}, {options.table});
    }
    const EfficiencyTable table = read_table(options.table);
    if (is_folder(model) && !options.has_absorptance)
        write_log(
            run::LogLevel::warning,
            fmt::format("--absorptance is not given: {} assumed, as in SAM; give the same one "
                        "for all tables of a plant",
                        options.model.absorptance));
    std::vector<std::string> names;
    for (const auto& file : write_plant_model(model, table, options.model, options.output))
        names.push_back(file.string());
    print_files(
        options,
        names,
        is_folder(model)
            ? fmt::format("azimuths count {}; efficiencies contain the receiver's absorptance, {}",
                          azimuths,
                          options.model.absorptance)
            : "");
    return 0;
}

struct Format {
    PlantModel model;
    const char* description;
    const char* output;  ///< placeholder of the output's name
    const char* output_help;
    const char* footer;
    const char* azimuths = "";  ///< direction in which azimuths of a folder count
};

Command add_format(Command parent,
                   Action& action,
                   const std::shared_ptr<TableOptions>& options,
                   const Format& format) {
    const Command command =
        parent.add_subcommand(find_word(kPlantModels, format.model), format.description);
    command.add_option("table", options->table, "File of 'helioray efficiency' (HDF5)")
        .required()
        .type_name("TABLE");
    command.add_option("-o,--output", options->output, format.output_help)
        .required()
        .type_name(format.output);
    command.add_flag("--json", options->json, "Print the names of the files as JSON");
    command.footer(format.footer);
    command.callback([options, format, command, &action] {
        options->has_absorptance = is_folder(format.model) && command.is_given("--absorptance");
        action = [options, format] { return write_table(*options, format.model, format.azimuths); };
    });
    return command;
}

void add_receiver_options(Command command, PlantModelOptions& model) {
    command
        .add_option("--absorptance",
                    model.absorptance,
                    "Fraction of the light that the receiver absorbs, a factor of the efficiency "
                    "(default 0.94, as in SAM)")
        .type_name("SHARE");
    command
        .add_option("--panels",
                    model.panels,
                    "Panels of the receiver (default 20, as in SAM); flux maps have as many "
                    "columns, of an external receiver at least 12")
        .type_name("N");
}

void add_target_option(Command command, PlantModelOptions& model) {
    command
        .add_option("--target",
                    model.target,
                    "The receiver; needed where heliostats aim at several targets")
        .type_name("NAME");
}

void add_land_option(Command command, PlantModelOptions& model) {
    command
        .add_option("--land-area-m2",
                    model.land_area,
                    "Land of the plant (default: the convex hull of the heliostats)")
        .type_name("AREA");
}

constexpr const char* kFolderHelp =
    "Folder for the files; it is created if only its last part is missing";

}  // namespace

void add_export_sam(Command parent, Action& action) {
    const auto options = std::make_shared<TableOptions>();
    const Command command =
        add_format(parent,
                   action,
                   options,
                   {PlantModel::sam,
                    "An efficiency table for SAM and PySAM's molten salt tower",
                    "FOLDER",
                    kFolderHelp,
                    "sam.json has the values by PySAM's names (field_model_type 4). Azimuths count "
                    "clockwise from north, columns of flux from the south over the east.\n"
                    "Example:\n"
                    "  helioray export sam table.h5 -o sam --absorptance 0.93",
                    "clockwise from north"});
    add_receiver_options(command, options->model);
    add_target_option(command, options->model);
    add_land_option(command, options->model);
}

void add_export_solarpilot(Command parent, Action& action) {
    const auto options = std::make_shared<TableOptions>();
    const Command command =
        add_format(parent,
                   action,
                   options,
                   {PlantModel::solarpilot,
                    "An efficiency table as SolarPILOT writes it: matrix, rows and flux",
                    "FOLDER",
                    kFolderHelp,
                    "Azimuths count from south, east is negative.\n"
                    "Example:\n"
                    "  helioray export solarpilot table.h5 -o solarpilot --absorptance 0.93",
                    "from south, east negative"});
    add_receiver_options(command, options->model);
    add_target_option(command, options->model);
}

void add_export_solartherm(Command parent, Action& action) {
    const auto options = std::make_shared<TableOptions>();
    const Command command = add_format(
        parent,
        action,
        options,
        {PlantModel::solartherm,
         "An efficiency table for SolarTherm: by declination and hour angle, with losses",
         "FILE",
         "Table (.motab)",
         "Example:\n"
         "  helioray export solartherm table.h5 -o optics.motab"});
    add_target_option(command, options->model);
    add_land_option(command, options->model);
}

void add_export_netcdf(Command parent, Action& action) {
    add_format(parent,
               action,
               std::make_shared<TableOptions>(),
               {PlantModel::netcdf,
                "An efficiency table as netCDF, by altitude and azimuth in radians (atlite, "
                "xarray)",
                "FILE",
                "netCDF-4 file (.nc)",
                "Example:\n"
                "  helioray export netcdf table.h5 -o table.nc"});
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// The plot command: pictures of a result.
#include "app/commands/commands.h"
#include "app/commands/plot_options.h"
#include "app/open_result.h"
#include "raytracer/output/field_plot.h"
#include "raytracer/output/flux_difference.h"
#include "raytracer/output/flux_plot.h"
#include "raytracer/output/heliostat_quantity.h"
#include "raytracer/output/output_files.h"
#include "scenario/error.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace helioray::app {

namespace {

nlohmann::json number(const std::optional<double>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json difference_json(const std::vector<FluxDifference>& differences) {
    nlohmann::json targets = nlohmann::json::object();
    for (const FluxDifference& d : differences) {
        targets[d.map.target.name] = {{"power_w", d.map.power_w},
                                      {"power_std_error_w", d.map.power_std_error_w},
                                      {"unit", d.map.unit},
                                      {"rms", d.rms},
                                      {"largest", d.largest},
                                      {"rms_in_std_errors", number(d.rms_in_std_errors)},
                                      {"largest_in_std_errors", number(d.largest_in_std_errors)},
                                      {"pixels_with_error", d.pixels_with_error}};
    }
    return targets;
}

void plot_difference(const PlotCommandOptions& options, const RunResult& result) {
    const RunResult other = open_result(options.other, options.time);
    const auto differences =
        flux_differences(result, other, options.maps.targets, options.result, options.other);
    PlotPage page = difference_page(differences, result, other);
    if (options.maps.title) page.title = *options.maps.title;
    page.subtitle = std::filesystem::path(options.result).filename().string() + " minus " +
                    std::filesystem::path(options.other).filename().string();
    store_page(page, options.picture, options.maps.pixels_per_point);
    if (options.json) {
        const nlohmann::json out{{"output", options.picture},
                                 {"difference", difference_json(differences)}};
        fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        fmt::print("{}", difference_table(differences));
    }
}

int run(const PlotCommandOptions& options) {
    check_picture_path(options.picture);
    check_outputs({{options.picture}}, {options.result, options.other});
    if (is_year(options.result)) return plot_year(options);
    // A wrong name is found before a large file is read.
    const HeliostatQuantity* quantity =
        options.field.empty() ? nullptr : &heliostat_quantity(options.field, "--field");
    const FieldUnit unit = field_unit(options, "power", FieldUnit::percent);
    const RunResult result = open_result(options.result, options.time);
    if (!options.other.empty()) {
        plot_difference(options, result);
        return 0;
    }
    if (quantity != nullptr) {
        PlotPage page = field_page(result, *quantity, unit);
        if (options.maps.title) page.title = *options.maps.title;
        store_page(page, options.picture, options.maps.pixels_per_point);
    } else {
        check_targets(result, options.maps.targets, "--target");
        PlotOptions maps = options.maps;
        maps.logarithmic = options.scale == "log";
        plot_flux(result, options.picture, maps);
    }
    print_picture(options);
    return 0;
}

void add_map_options(CLI::App& command, PlotCommandOptions& options) {
    const std::string group = "Flux maps";
    command.add_option("--scale", options.scale, "linear, or log: four decades below the peak")
        ->option_text("linear|log")
        ->check(CLI::IsMember({"linear", "log"}))
        ->group(group);
    command
        .add_flag("--shared-scale", options.maps.shared_scale, "The same colours for all targets")
        ->group(group);
    command.add_flag("--all-targets", options.maps.all_targets, "Also targets without flux")
        ->group(group);
    command.add_flag("--contours", options.maps.contours, "Lines of equal flux with their values")
        ->group(group);
    command
        .add_flag("--cuts",
                  options.maps.cuts,
                  "Graphs of the row and the column of pixels through the peak")
        ->group(group);
    command
        .add_option("--target",
                    options.maps.targets,
                    "This target alone, also of a difference; repeatable (default: all that have "
                    "flux)")
        ->option_text("NAME")
        ->allow_extra_args(false)
        ->group(group);
}

/// Choices for completion.
std::string quantity_names() {
    std::vector<std::string> names;
    for (const HeliostatQuantity& quantity : heliostat_quantities()) {
        names.push_back(quantity.name);
    }
    return fmt::format("{}", fmt::join(names, "|"));
}

void add_field_and_difference(CLI::App& command, PlotCommandOptions& options) {
    command
        .add_option("--field",
                    options.field,
                    "The field from above, heliostats coloured by efficiency (default), cosine, "
                    "shading, reflection, blocking, attenuation, spillage, target, solar or "
                    "target_power_std_error; of a year the same by energy")
        ->type_name(quantity_names())
        ->option_text("[QUANTITY]")
        ->expected(0, 1)
        ->default_str("efficiency")
        ->group("Field");
    command
        .add_option(
            "--unit",
            options.unit,
            "Percent of each heliostat's solar power (default), or power in W, kW, MW; of a "
            "year energy in kWh, MWh, GWh")
        ->option_text("percent|power|energy")
        ->check(CLI::IsMember({"percent", "power", "energy"}))
        ->group("Field");
    command
        .add_option("--difference",
                    options.other,
                    "RESULT minus this result; also prints by how much they differ")
        ->option_text("OTHER_RESULT")
        ->group("Difference");
}

/// Options that belong to one kind of picture are errors with another: they would be ignored.
void check_combination(const CLI::App& command) {
    const auto given = [&command](const char* name) { return command.count(name) > 0; };
    const char* kind = given("--field") ? "--field" : given("--difference") ? "--difference" : "";
    if (given("--field") && given("--difference")) {
        throw CLI::ExcludesError("--field", "--difference");
    }
    for (const char* name :
         {"--scale", "--shared-scale", "--all-targets", "--contours", "--cuts"}) {
        if (kind[0] != '\0' && given(name)) throw CLI::ExcludesError(kind, name);
    }
    if (given("--field") && given("--target")) throw CLI::ExcludesError("--field", "--target");
    if (given("--unit") && !given("--field")) throw CLI::RequiresError("--unit", "--field");
}

}  // namespace

FieldUnit field_unit(const PlotCommandOptions& options,
                     const std::string& own,
                     FieldUnit otherwise) {
    if (options.unit.empty()) return otherwise;
    if (options.unit == "percent") return FieldUnit::percent;
    if (options.unit == own) return FieldUnit::power;
    throw InputError(
        Problem{"--unit",
                fmt::format("this result has no {}", options.unit),
                own == "energy" ? "terms of a year are energies" : "terms of a run are powers",
                fmt::format("choose percent or {}", own)});
}

void print_picture(const PlotCommandOptions& options) {
    if (!options.json) return;
    const nlohmann::json out{{"output", options.picture}};
    fmt::print("{}\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void add_plot(CLI::App& parent, Action& action) {
    const auto options = std::make_shared<PlotCommandOptions>();
    CLI::App& command =
        *parent.add_subcommand("plot",
                               "Draw flux maps, differences or the field of a result, or the "
                               "months of a year");
    command.add_option("result", options->result, "Result file (HDF5)")
        ->required()
        ->type_name("RESULT");
    command.add_option("-o,--output", options->picture, "Picture: .png, .svg or .pdf")
        ->required()
        ->type_name("PICTURE");
    const auto title = [options](const std::string& text) { options->maps.title = text; };
    command
        .add_option_function<std::string>("--title", title, "Title (default: the scenario's name)")
        ->type_name("TEXT");
    add_time_option(command, options->time);
    command.add_flag("--json", options->json, "Print one JSON object");
    add_map_options(command, *options);
    add_field_and_difference(command, *options);
    command.footer(
        "Examples:\n"
        "  helioray plot quickstart.h5 -o flux.png --contours --cuts\n"
        "  helioray plot quickstart.h5 -o field.pdf --field cosine\n"
        "  helioray plot new.h5 --difference old.h5 -o difference.png\n"
        "  helioray plot series.h5 -o noon.png --time 2026-06-21T12:00:00+02:00\n"
        "  helioray plot annual.h5 -o months.png\n"
        "  helioray plot annual.h5 -o yield.png --field target_energy");
    command.callback([options, &command, &action] {
        check_combination(command);
        action = [options] { return run(*options); };
    });
}

}  // namespace helioray::app

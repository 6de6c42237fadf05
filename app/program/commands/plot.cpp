// SPDX-License-Identifier: MIT
// helioray plot: draws pictures of runs, steps of series, differences and years.
#include "app/output/plot/annual_plot.h"
#include "app/output/plot/field_plot.h"
#include "app/output/plot/flux_difference.h"
#include "app/output/plot/flux_plot.h"
#include "app/output/plot/maps/incident_maps.h"
#include "app/output/plot/series_difference.h"
#include "app/output/plot/series_plot.h"
#include "app/output/plot/sky_plot.h"
#include "app/program/commands/commands.h"
#include "app/program/common/input_files.h"
#include "app/program/common/log.h"
#include "app/program/common/standard_streams.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/results/result_file.h"
#include "raytracer/studies/annual/annual_file.h"
#include "raytracer/studies/efficiency/efficiency_file.h"
#include "scenario/files/error.h"
#include "scenario/files/output_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::app {

namespace {

/// Options of the command; options that are not given are empty.
struct PlotCommandOptions {
    std::string result;
    std::string picture;
    std::string time;
    std::string scale;
    std::string field;
    std::string unit;
    std::string other;
    PlotOptions maps;
    bool incident = false;
    bool json = false;
};

/// Returns the unit of a field's picture. `own` is "power" for a run and "energy" for a year.
/// Throws InputError for the other word.
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

/// Prints the JSON object of a picture without further numbers if --json is given.
void print_picture(const PlotCommandOptions& options) {
    if (!options.json) return;
    const nlohmann::json out{{"output", options.picture}};
    print_json(out);
}

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
    // A step of a series may be compared with a single run.
    const RunResult other =
        open_result(options.other, is_series(options.other) ? options.time : "");
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
        print_json(out);
    } else {
        fmt::print("{}", difference_table(differences));
    }
}

/// Throws InputError that lists all given options which only pictures of runs have. `what` is for
/// messages ("the yield of a year"), with `why` and `advice`.
void refuse_options_of_runs(const PlotCommandOptions& options,
                            const std::string& what,
                            const std::string& why,
                            const std::string& advice) {
    const PlotOptions& maps = options.maps;
    std::vector<Problem> problems;
    const auto refuse = [&](bool given, const char* option) {
        if (!given) return;
        problems.push_back({option, "is not for " + what, why, advice});
    };
    refuse(!options.time.empty(), "--time");
    refuse(!options.other.empty(), "--difference");
    refuse(!options.scale.empty(), "--scale");
    refuse(maps.shared_scale, "--shared-scale");
    refuse(maps.all_targets, "--all-targets");
    refuse(options.incident, "--incident");
    refuse(maps.contours, "--contours");
    refuse(maps.cuts, "--cuts");
    refuse(!maps.targets.empty(), "--target");
    if (!problems.empty()) throw InputError(std::move(problems));
}

PlotPage field_of_year(const PlotCommandOptions& options,
                       const AnnualYield& yield,
                       const HeliostatQuantity& quantity) {
    // As fractions of solar power these two would repeat the efficiency.
    const bool whole = quantity.name.ends_with("_energy");
    const FieldUnit unit =
        field_unit(options, "energy", whole ? FieldUnit::power : FieldUnit::percent);
    return field_page(find_plan(yield, options.result), quantity, unit);
}

/// Draws the months or the field of a year. Throws InputError for options that have no meaning for
/// a year.
int plot_year(const PlotCommandOptions& options) {
    refuse_options_of_runs(options,
                           "the yield of a year",
                           "it holds energies, no flux maps and no steps",
                           "leave it out: a year is drawn by months, with --field as a plan");
    const HeliostatQuantity* quantity =
        options.field.empty() ? nullptr
                              : &heliostat_quantity(options.field, "--field", annual_quantities());
    const AnnualYield yield = read_annual(options.result);
    log_warnings(light_warnings(yield));
    PlotPage page =
        quantity != nullptr ? field_of_year(options, yield, *quantity) : months_page(yield);
    if (options.maps.title) page.title = *options.maps.title;
    store_page(page, options.picture, options.maps.pixels_per_point);
    print_picture(options);
    return 0;
}

/// Draws efficiency over the sky.
int plot_efficiency(const PlotCommandOptions& options) {
    const std::string what = "an efficiency table";
    const std::string why = "it is drawn over the sky";
    refuse_options_of_runs(options, what, why, "leave it out");
    if (!options.field.empty())
        throw InputError(Problem{"--field", "is not for " + what, why, "leave it out"});
    const EfficiencyTable table = read_efficiency(options.result);
    log_warnings(light_warnings(table));
    PlotPage page = sky_page(table);
    if (options.maps.title) page.title = *options.maps.title;
    store_page(page, options.picture, options.maps.pixels_per_point);
    print_picture(options);
    return 0;
}

NamedSeries name_series(const SeriesResult& series, const std::string& file) {
    return {series, step_reader(file, series), std::filesystem::path(file).filename().string()};
}

/// Draws the difference of two whole series, and prints it by step.
void plot_series_difference(const PlotCommandOptions& options,
                            const SeriesResult& series,
                            const SeriesResult& other) {
    const NamedSeries first = name_series(series, options.result);
    const NamedSeries second = name_series(other, options.other);
    PlotPage page = series_difference_page(first, second, options.maps.targets);
    if (options.maps.title) page.title = *options.maps.title;
    store_page(page, options.picture, options.maps.pixels_per_point);
    if (!options.json) {
        fmt::print("{}", series_difference_table(first, second));
        return;
    }
    const SeriesDifference difference = series_difference(first, second);
    const nlohmann::json out{
        {"output", options.picture},
        {"difference",
         {{"power_w", difference.power_w}, {"power_std_error_w", difference.std_error_w}}}};
    print_json(out);
}

/// Draws a series as a whole: its field by energy, or its power, efficiency and maps.
int plot_series(const PlotCommandOptions& options, const SeriesResult& series) {
    const NamedSeries named = name_series(series, options.result);
    log_warnings(light_warnings(series));
    if (!options.field.empty()) {
        const std::vector<HeliostatQuantity> quantities = series_quantities(series);
        const HeliostatQuantity& quantity =
            heliostat_quantity(options.field, "--field", quantities);
        const auto durations = series_durations(series);
        const FieldUnit unit =
            field_unit(options, durations ? "energy" : "power", FieldUnit::percent);
        const RunResult plan =
            series_plan(series, durations, named.read_step(series.strongest_step()));
        PlotPage page = field_page(plan, quantity, unit);
        if (options.maps.title) page.title = *options.maps.title;
        store_page(page, options.picture, options.maps.pixels_per_point);
    } else {
        PlotOptions maps = options.maps;
        maps.logarithmic = options.scale == "log";
        store_page(
            series_page(series, named.read_step, maps), options.picture, maps.pixels_per_point);
    }
    print_picture(options);
    return 0;
}

int run(const PlotCommandOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    check_picture_path(options.picture);
    check_outputs({{options.picture}}, {options.result, options.other});
    if (is_year(options.result)) return plot_year(options);
    if (is_efficiency_table(options.result)) return plot_efficiency(options);
    if (const auto series = open_series(options.result, options.time)) {
        if (options.other.empty()) return plot_series(options, *series);
        if (const auto other = open_series(options.other, "")) {
            plot_series_difference(options, *series, *other);
            return 0;
        }
    }
    // Check the name before a large file is read.
    const HeliostatQuantity* quantity =
        options.field.empty() ? nullptr : &heliostat_quantity(options.field, "--field");
    const FieldUnit unit = field_unit(options, "power", FieldUnit::percent);
    RunResult result = open_result(options.result, options.time);
    log_warnings(light_warnings(result));
    if (options.incident) result = with_incident_maps(result, "--incident");
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
        if (options.incident && !maps.title)
            maps.title = scenario_title(result.provenance, "Flux") + ": incident light";
        plot_flux(result, options.picture, maps);
    }
    print_picture(options);
    return 0;
}

void add_map_options(Command command, PlotCommandOptions& options) {
    const std::string group = "Flux maps";
    command
        .add_option("--scale",
                    options.scale,
                    "Colours: linear (default), or log with four decades below the peak")
        .option_text("linear|log")
        .accept_only({"linear", "log"})
        .group(group);
    command
        .add_flag(
            "--shared-scale", options.maps.shared_scale, "Use one colour scale for all targets")
        .group(group);
    command
        .add_flag("--incident",
                  options.incident,
                  "Draw the light on surfaces before they absorb a part of it")
        .group(group);
    command.add_flag("--all-targets", options.maps.all_targets, "Draw targets without flux too")
        .group(group);
    command
        .add_flag("--contours", options.maps.contours, "Draw lines of equal flux with their values")
        .group(group);
    command
        .add_flag("--cuts",
                  options.maps.cuts,
                  "Add graphs of the flux along the row and the column of pixels through "
                  "the peak")
        .group(group);
    command
        .add_option("--target",
                    options.maps.targets,
                    "Draw only this target, in a difference too; repeatable (default: all "
                    "targets with flux)")
        .option_text("NAME")
        .allow_extra_args(false)
        .group(group);
}

/// Returns the choices for completion.
std::string quantity_names() {
    std::vector<std::string> names;
    for (const HeliostatQuantity& quantity : heliostat_quantities()) {
        names.push_back(quantity.name);
    }
    return fmt::format("{}", fmt::join(names, "|"));
}

void add_field_and_difference(Command command, PlotCommandOptions& options) {
    command
        .add_option("--field",
                    options.field,
                    "Draw the field from above with heliostats coloured by efficiency "
                    "(default), cosine, shading, reflection, blocking, attenuation, "
                    "spillage, target, solar or target_power_std_error; for a series or a "
                    "year, by the same quantities of energy")
        .type_name(quantity_names())
        .option_text("[QUANTITY]")
        .expected(0, 1)
        .default_str("efficiency")
        .group("Field");
    command
        .add_option("--unit",
                    options.unit,
                    "Percent of each heliostat's solar power (default), or power in W, kW, "
                    "MW; for a day or a year, energy in kWh, MWh, GWh")
        .option_text("percent|power|energy")
        .accept_only({"percent", "power", "energy"})
        .group("Field");
    command
        .add_option("--difference",
                    options.other,
                    "Draw RESULT minus this result, and print by how much they differ")
        .option_text("OTHER_RESULT")
        .group("Difference");
}

/// Throws UsageError for options that belong to another kind of picture and would be ignored.
void check_combination(Command command) {
    const auto given = [&command](const char* name) { return command.is_given(name); };
    const auto exclude = [&](const char* first, const char* other) {
        if (given(first) && given(other))
            throw UsageError(fmt::format("{} excludes {}", first, other));
    };
    exclude("--field", "--difference");
    for (const char* kind : {"--field", "--difference"}) {
        for (const char* name :
             {"--scale", "--shared-scale", "--all-targets", "--contours", "--cuts"})
            exclude(kind, name);
    }
    exclude("--field", "--target");
    if (given("--unit") && !given("--field")) throw UsageError("--unit requires --field");
}

}  // namespace

void add_plot(Command parent, Action& action) {
    const auto options = std::make_shared<PlotCommandOptions>();
    const Command command =
        parent.add_subcommand("plot",
                              "Draw the flux maps, the field or differences of results, a day, the "
                              "months of a year, or efficiency over the sky");
    command.add_option("result", options->result, "Result file (HDF5)")
        .required()
        .type_name("RESULT");
    command.add_option("-o,--output", options->picture, "Picture: .png, .svg or .pdf")
        .required()
        .type_name("PICTURE");
    const auto title = [options](const std::string& text) { options->maps.title = text; };
    command.add_option_function("--title", title, "Title (default: the scenario's name)")
        .type_name("TEXT");
    add_time_option(command, options->time, "the whole series");
    command.add_flag("--json", options->json, "Print one JSON object");
    add_map_options(command, *options);
    add_field_and_difference(command, *options);
    command.footer(
        "Examples:\n"
        "  helioray plot quickstart.h5 -o flux.png --contours --cuts\n"
        "  helioray plot quickstart.h5 -o field.pdf --field cosine\n"
        "  helioray plot new.h5 --difference old.h5 -o difference.png\n"
        "  helioray plot series.h5 -o day.png\n"
        "  helioray plot series.h5 -o noon.png --time 2026-06-21T12:00:00+02:00\n"
        "  helioray plot annual.h5 -o months.png\n"
        "  helioray plot annual.h5 -o yield.png --field target_energy\n"
        "  helioray plot efficiency.h5 -o sky.png");
    command.callback([options, command, &action] {
        check_combination(command);
        action = [options] { return run(*options); };
    });
}

}  // namespace helioray::app

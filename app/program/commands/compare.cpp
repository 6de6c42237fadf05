// SPDX-License-Identifier: MIT
// The compare command: compares a result with a measured flux image.
#include "app/output/summary/text_table.h"
#include "app/program/commands/commands.h"
#include "app/program/common/input_files.h"
#include "app/program/common/standard_streams.h"
#include "raytracer/results/result_file.h"
#include "raytracer/solvers/measured_flux/map_comparison.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>

namespace helioray::app {

namespace {

struct CompareOptions {
    std::string result;
    std::string measured;
    std::string target;
    std::string time;
    bool json = false;
};

const TargetResult& choose_target(const RunResult& result, const CompareOptions& options) {
    std::vector<std::string> all;
    std::vector<const TargetResult*> lit;
    for (const TargetResult& target : result.targets) {
        if (target.target.name == options.target) return target;
        all.push_back(target.target.name);
        if (target.power_w > 0.0 || target.peak_pixel_w_m2 > 0.0) lit.push_back(&target);
    }
    if (!options.target.empty()) {
        throw InputError(Problem{"--target",
                                 fmt::format("there is no target '{}'", options.target),
                                 "",
                                 suggest(options.target, all)});
    }
    if (lit.size() != 1) {
        throw InputError(Problem{options.result,
                                 fmt::format("{} targets have flux", lit.size()),
                                 "an image shows one",
                                 "choose one with --target"});
    }
    return *lit[0];
}

/// Smallest flux at the edge of a map, relative to its peak, that causes a remark: light on the
/// edge means that some of it missed the target.
constexpr double kNotableAtEdge = 0.1;

std::string edge_note(const char* which, double at_edge) {
    if (at_edge < kNotableAtEdge) return "";
    return fmt::format(
        "\n  The {} light reaches the target's edge with {:.0f} % of its peak: its centroid and\n"
        "  widths are those of the part that the target caught.\n",
        which,
        100.0 * at_edge);
}

std::string format_comparison(const MapComparison& c, const std::string& target) {
    TextTable table({{"", Align::left}, {"computed"}, {"measured"}, {"difference"}});
    const auto row = [&](const char* name, double computed, double measured) {
        table.add_row({name,
                       fmt::format("{:.4f}", computed),
                       fmt::format("{:.4f}", measured),
                       fmt::format("{:+.4f}", computed - measured)});
    };
    row("centroid, right of the centre (m)", c.computed.x, c.measured.x);
    row("centroid, above the centre (m)", c.computed.y, c.measured.y);
    row("width, standard deviation (m)", c.computed.width_x, c.measured.width_x);
    row("height, standard deviation (m)", c.computed.width_y, c.measured.width_y);
    return fmt::format("Target {}\n\n", target) + table.str() + "\n" +
           key_value_lines(
               {{"Distance of the centroids",
                 fmt::format("{:.4f} m", std::hypot(c.offset_x(), c.offset_y()))},
                {"Centroid computed", point_text(c.computed.centroid)},
                {"Centroid measured", point_text(c.measured.centroid)},
                {"Correlation", fmt::format("{:.4f}", c.correlation)},
                {"Correlation, centroids aligned", fmt::format("{:.4f}", c.aligned_correlation)},
                {"Light in the same place", fmt::format("{:.1f} %", 100.0 * c.overlap)},
                {"RMSE over the measured peak", fmt::format("{:.4f}", c.rmse)}}) +
           edge_note("computed", c.computed_at_edge) + edge_note("measured", c.measured_at_edge);
}

nlohmann::json moments_json(const FluxMoments& m) {
    return {{"x_m", m.x},
            {"y_m", m.y},
            {"width_x_m", m.width_x},
            {"width_y_m", m.width_y},
            {"centroid_m", m.centroid}};
}

nlohmann::json comparison_json(const MapComparison& comparison, const std::string& target) {
    return {
        {"target", target},
        {"computed", moments_json(comparison.computed)},
        {"measured", moments_json(comparison.measured)},
        {"offset_m", {comparison.offset_x(), comparison.offset_y()}},
        {"at_edge",
         {{"computed", comparison.computed_at_edge}, {"measured", comparison.measured_at_edge}}},
        {"correlation", comparison.correlation},
        {"aligned_correlation", comparison.aligned_correlation},
        {"overlap", comparison.overlap},
        {"rmse", comparison.rmse}};
}

/// Compares the image with every step of a series, and names the most similar step.
int compare_series(const CompareOptions& options, const SeriesResult& series) {
    const GreyImage image = read_grey_png(options.measured);
    TextTable table({{"step"},
                     {"time", Align::left},
                     {"distance of the centroids in m"},
                     {"correlation"},
                     {"in the same place"},
                     {"RMSE"}});
    nlohmann::json rows = nlohmann::json::array();
    std::optional<std::size_t> best;
    double best_correlation = 0.0;
    std::string name;
    for (std::size_t step = 0; step < series.steps.size(); ++step) {
        const RunResult result = read_step(options.result, series, step);
        const TargetResult& target = choose_target(result, options);
        name = target.target.name;
        const MapComparison c = compare_with_image(target, image);
        if (!best || c.correlation > best_correlation) {
            best = step;
            best_correlation = c.correlation;
        }
        table.add_row({std::to_string(step),
                       series.steps[step].time,
                       fmt::format("{:.4f}", std::hypot(c.offset_x(), c.offset_y())),
                       fmt::format("{:.4f}", c.correlation),
                       fmt::format("{:.1f} %", 100.0 * c.overlap),
                       fmt::format("{:.4f}", c.rmse)});
        rows.push_back(comparison_json(c, name));
        rows.back()["step"] = step;
        rows.back()["time"] = series.steps[step].time;
    }
    if (options.json) {
        print_json(nlohmann::json{{"steps", rows}, {"most_similar_step", *best}});
    } else {
        fmt::print("Target {}\n\n{}\n{}",
                   name,
                   table.str(),
                   key_value_lines({{"Most similar", step_label(series, *best)}}));
    }
    return 0;
}

int run(const CompareOptions& options) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(options.measured, ignored) &&
        detect_file_kind(options.measured) == FileKind::hdf5)
        throw InputError(Problem{options.measured,
                                 "is no picture but an HDF5 file",
                                 "results are compared with measured pictures here",
                                 fmt::format("two results: helioray plot {} --difference {} -o "
                                             "difference.png",
                                             options.result,
                                             options.measured)});
    if (const auto series = open_series(options.result, options.time))
        return compare_series(options, *series);
    const RunResult result = open_result(options.result, options.time);
    const TargetResult& target = choose_target(result, options);
    const GreyImage image = read_grey_png(options.measured);
    const MapComparison comparison = compare_with_image(target, image);
    if (options.json)
        print_json(comparison_json(comparison, target.target.name));
    else
        fmt::print("{}", format_comparison(comparison, target.target.name));
    return 0;
}

}  // namespace

void add_compare(Command parent, Action& action) {
    const auto options = std::make_shared<CompareOptions>();
    const Command command =
        parent.add_subcommand("compare", "Compare a result with a measured flux image");
    command.add_option("result", options->result, "Result file (HDF5)")
        .required()
        .type_name("RESULT");
    command
        .add_option("--measured",
                    options->measured,
                    "Grey PNG of the whole target seen from the front; its brightness is "
                    "the flux up to a factor")
        .required()
        .type_name("PNG");
    command
        .add_option(
            "--target", options->target, "Target that the image shows (default: the lit one)")
        .type_name("NAME");
    add_time_option(command, options->time, "all steps, one line each");
    command.add_flag("--json", options->json, "Print one JSON object");
    command.footer(
        "Centroids are metres from the target's centre, to the right and up for an observer who\n"
        "faces it. Both maps are scaled to the same total before they are compared.\n"
        "\n"
        "'helioray plot RESULT --difference RESULT' compares two results.\n"
        "\n"
        "Examples:\n"
        "  helioray compare AA39-270398.h5 --measured 270398-flux.png\n"
        "  helioray compare series.h5 --measured noon.png --time 2026-06-21T12:00:00+02:00");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

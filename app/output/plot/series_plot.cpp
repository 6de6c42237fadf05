// SPDX-License-Identifier: MIT
// Arranges the graphs and the maps of a series.
#include "app/output/plot/series_plot.h"

#include "app/output/plot/drawing/panel_style.h"
#include "app/output/plot/panels/curve_panel.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/plot/panels/row_panel.h"
#include "app/output/plot/panels/step_axis.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <ranges>
#include <utility>

namespace helioray {

using namespace panel_style;

namespace {

constexpr double kGraphWidth = 400.0;
constexpr std::size_t kMapsOfRow = 4;

bool has_watts(const SeriesResult& series) {
    return std::ranges::none_of(series.targets,
                                [](const SeriesTarget& target) { return target.unit == "1"; });
}

CurveGraph make_graph(const SeriesResult& series, double width) {
    StepAxis steps = make_step_axis(series, width);
    CurveGraph graph;
    graph.steps = std::move(steps.axis);
    graph.places = std::move(steps.places);
    graph.breaks = std::move(steps.breaks);
    graph.width = width;
    return graph;
}

/// Returns the largest relative standard error of the power, for steps with light.
double largest_error(const SeriesResult& series) {
    double largest = 0.0;
    for (std::size_t step = 0; step < series.steps.size(); ++step) {
        const double power = series.power(step);
        const double error = power_std_error(series, step);
        if (power > 0.0 && std::isfinite(error)) largest = std::max(largest, error / power);
    }
    return largest;
}

std::string error_text(const SeriesResult& series) {
    const double error = largest_error(series);
    return error > 0.0 ? fmt::format("bars: ± 1 standard error, at most {}", percent(error)) : "";
}

}  // namespace

std::vector<std::size_t> choose_steps(const SeriesResult& series, std::size_t most) {
    const std::size_t count = series.steps.size();
    std::vector<std::size_t> chosen;
    if (count <= most) {
        for (std::size_t step = 0; step < count; ++step) chosen.push_back(step);
        return chosen;
    }
    for (std::size_t i = 0; i < most; ++i)
        chosen.push_back((i * (count - 1) + (most - 1) / 2) / (most - 1));
    // The strongest step takes the place of its nearest neighbour.
    const std::size_t strongest = series.strongest_step();
    const auto distance = [strongest](std::size_t step) {
        return step > strongest ? step - strongest : strongest - step;
    };
    *std::ranges::min_element(chosen, {}, distance) = strongest;
    return chosen;
}

double largest_flux(const SeriesTarget& target) {
    double largest = 0.0;
    for (const double pixel : target.peak_pixel_w_m2)
        if (std::isfinite(pixel)) largest = std::max(largest, pixel);
    return largest;
}

std::unique_ptr<Panel> power_graph(const SeriesResult& series, double width, Canvas& measure) {
    constexpr std::array<Color, 4> kColors{Color{0.0, 0.447, 0.698},
                                           Color{0.835, 0.369, 0.0},
                                           Color{0.0, 0.620, 0.451},
                                           Color{0.800, 0.475, 0.655}};
    StepCurve all{"all targets", {}, {}, kCurve};
    double largest = 0.0;
    for (std::size_t step = 0; step < series.steps.size(); ++step) {
        all.values.push_back(series.power(step));
        all.errors.push_back(power_std_error(series, step));
        largest = std::max(largest, all.values.back());
    }
    std::vector<StepCurve> curves;
    std::vector<const SeriesTarget*> lit;
    for (const SeriesTarget& target : series.targets)
        if (std::ranges::any_of(target.power_w, [](double power) { return power > 0.0; }))
            lit.push_back(&target);
    if (lit.size() > 1 && lit.size() <= kColors.size()) {
        for (std::size_t i = 0; i < lit.size(); ++i)
            curves.push_back({shortened(lit[i]->name, 24),
                              lit[i]->power_w,
                              lit[i]->power_std_error_w,
                              kColors[i]});
    }
    curves.insert(curves.begin(), std::move(all));
    const UnitScale scale =
        has_watts(series) ? power_scale(largest) : UnitScale{1.0, "ray weights"};
    for (StepCurve& curve : curves) {
        for (double& value : curve.values) value /= scale.factor;
        for (double& error : curve.errors) error /= scale.factor;
    }
    CurveGraph graph = make_graph(series, width);
    graph.title = "Power on the targets";
    graph.subtitle = error_text(series);
    graph.label = fmt::format("Power ({})", scale.unit);
    return std::make_unique<CurvePanel>(std::move(graph), std::move(curves), measure);
}

std::unique_ptr<Panel> efficiency_graph(const SeriesResult& series, double width, Canvas& measure) {
    StepCurve curve{"efficiency", {}, {}, kCurve};
    for (std::size_t step = 0; step < series.steps.size(); ++step) {
        const EnergyTerms energy = series.field_energy(step);
        const bool has_sun = energy.solar_power > 0.0;
        constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
        curve.values.push_back(has_sun ? 100.0 * energy.target_power / energy.solar_power : kNone);
        curve.errors.push_back(has_sun ? 100.0 * power_std_error(series, step) / energy.solar_power
                                       : kNone);
    }
    CurveGraph graph = make_graph(series, width);
    graph.title = "Efficiency of the field";
    graph.subtitle = "power on the targets over the sun on all mirrors";
    graph.label = "Efficiency (%)";
    std::vector<StepCurve> curves;
    curves.push_back(std::move(curve));
    return std::make_unique<CurvePanel>(std::move(graph), std::move(curves), measure);
}

std::string energy_of_days_text(const SeriesResult& series) {
    const auto durations = series_durations(series);
    if (!durations) return {};
    const auto text = [](const SeriesEnergy& energy) {
        std::string errors;
        if (energy.value > 0.0)
            errors = fmt::format(" (± {} from rays, ± {} from steps)",
                                 percent(energy.std_error / energy.value),
                                 percent(energy.step_error / energy.value));
        return energy_text(energy.value) + errors;
    };
    constexpr std::size_t kMostDays = 3;
    if (durations->days.size() > kMostDays) {
        SeriesEnergy all;
        for (const SeriesDay& day : durations->days) {
            const SeriesEnergy energy = energy_on_targets(series, *durations, day);
            all.value += energy.value;
            all.std_error += energy.std_error;
            all.step_error += energy.step_error;
        }
        return fmt::format("Energy of {} days {}", durations->days.size(), text(all));
    }
    std::string lines;
    for (const SeriesDay& day : durations->days) {
        const SeriesEnergy energy = energy_on_targets(series, *durations, day);
        if (!lines.empty()) lines += "\n";
        const std::string name =
            durations->days.size() == 1 ? "the day" : series.steps[day.first].time.substr(0, 10);
        lines += fmt::format("Energy of {} {}", name, text(energy));
    }
    return lines;
}

std::string series_summary_text(const SeriesResult& series) {
    std::vector<std::string> parts;
    if (const std::string span = time_span_text(series); !span.empty()) parts.push_back(span);
    parts.push_back(counted(series.steps.size(), "step"));
    const auto add_range = [&](const char* name, const auto& member, const char* unit) {
        const auto [low, high] = std::ranges::minmax(series.steps | std::views::transform(member));
        parts.push_back(low == high ? fmt::format("{}{:.4g} {}", name, low, unit)
                                    : fmt::format("{}{:.4g} to {:.4g} {}", name, low, high, unit));
    };
    add_range("DNI ", &SeriesStep::dni_w_m2, "W/m²");
    if (series.has_temperatures())
        add_range(
            "", [](const SeriesStep& step) { return *step.temperature_c; }, "°C");
    parts.push_back(counted(series.heliostats.size(), "heliostat"));
    parts.push_back(count_text(series.provenance.rays) + " rays");
    std::string text = fmt::format("{}", fmt::join(parts, "  ·  "));
    const std::string energy = energy_of_days_text(series);
    return energy.empty() ? text : text + "\n" + energy;
}

namespace {

/// Returns the names of the targets to draw: those that are wanted, or those with light.
std::vector<std::string> drawn_targets(const SeriesResult& series, const PlotOptions& options) {
    if (!options.targets.empty()) return options.targets;
    std::vector<std::string> names;
    std::vector<std::string> all;
    for (const SeriesTarget& target : series.targets) {
        all.push_back(target.name);
        if (options.all_targets || largest_flux(target) > 0.0) names.push_back(target.name);
    }
    return names.empty() ? all : names;
}

const SeriesTarget& find_series_target(const SeriesResult& series, const std::string& name) {
    return *std::ranges::find(series.targets, name, &SeriesTarget::name);
}

std::unique_ptr<Panel> small_map(const SeriesResult& series,
                                 std::size_t step,
                                 TargetResult target,
                                 double full_scale,
                                 const PlotOptions& options,
                                 Canvas& measure) {
    FluxPanelStyle style;
    style.shrink = 0.38;
    style.full_scale = full_scale;
    style.contours = options.contours;
    if (options.logarithmic) style.scale = FluxPanelStyle::Scale::logarithmic;
    style.title = short_step_name(series, step);
    if (series.targets.size() > 1) *style.title += " on " + shortened(target.target.name, 20);
    if (target.unit == "W/m2") {
        const double kilo = 1e-3;
        style.subtitle = fmt::format("{}, peak {} kW/m²",
                                     power_text(target.power_w),
                                     significant(kilo * target.peak_flux_w_m2, 3));
        if (!std::isfinite(target.peak_flux_w_m2)) style.subtitle = power_text(target.power_w);
    }
    return std::make_unique<OwnMapPanel>(std::move(target), style, measure);
}

}  // namespace

PlotPage series_page(const SeriesResult& series,
                     const ReadStep& read_step,
                     const PlotOptions& options) {
    if (options.cuts)
        throw InputError(Problem{"--cuts",
                                 "the picture of a whole series has no cuts",
                                 "they belong to one flux map",
                                 "choose a step with --time"});
    PlotPage page;
    page.title = options.title.value_or(scenario_title(series.provenance, "Series"));
    page.subtitle = series_summary_text(series);
    page.footer = origin_text(series.provenance);
    page.columns = 1;
    Canvas measure;
    std::vector<std::unique_ptr<Panel>> graphs;
    graphs.push_back(power_graph(series, kGraphWidth, measure));
    graphs.push_back(efficiency_graph(series, kGraphWidth, measure));
    page.panels.push_back(std::make_unique<RowPanel>(std::move(graphs)));

    const RunResult first = read_step(0);
    check_targets(first, options.targets, "--target");
    const std::vector<std::string> names = drawn_targets(series, options);
    double shared = 0.0;
    for (const std::string& name : names)
        shared = std::max(shared, largest_flux(find_series_target(series, name)));
    const std::vector<std::size_t> steps =
        choose_steps(series, names.size() == 1 ? 2 * kMapsOfRow : kMapsOfRow);
    std::vector<RunResult> results;
    for (const std::size_t step : steps) results.push_back(read_step(step));
    for (const std::string& name : names) {
        const double own = largest_flux(find_series_target(series, name));
        std::vector<std::unique_ptr<Panel>> row;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            const TargetResult* target = find_target(results[i], name);
            row.push_back(small_map(
                series, steps[i], *target, options.shared_scale ? shared : own, options, measure));
            if (row.size() < kMapsOfRow && i + 1 < steps.size()) continue;
            page.panels.push_back(std::make_unique<RowPanel>(std::exchange(row, {})));
        }
    }
    return page;
}

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace

std::vector<HeliostatQuantity> energy_quantities(const std::string& period) {
    std::vector<HeliostatQuantity> all = heliostat_quantities();
    for (HeliostatQuantity& quantity : all) {
        // A run has powers, a period has energies.
        quantity.name = replaced(quantity.name, "_power", "_energy");
        quantity.title = replaced(quantity.title, "power", "energy");
        quantity.description = "Over " + period + ": " + quantity.description;
        if (quantity.name == "target_energy") quantity.title = "Energy on the target";
    }
    return all;
}

std::vector<HeliostatQuantity> series_quantities(const SeriesResult& series) {
    const auto durations = series_durations(series);
    if (!durations) {
        std::vector<HeliostatQuantity> all = heliostat_quantities();
        for (HeliostatQuantity& quantity : all)
            quantity.description = "Mean over the steps: " + quantity.description;
        return all;
    }
    return energy_quantities(durations->days.size() == 1 ? "the day" : "all days");
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Creates the content of the report about a series.
#include "app/output/report/series_report.h"

#include "app/output/plot/drawing/flux_image.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/plot/panels/step_axis.h"
#include "app/output/report/report_parts.h"
#include "app/output/summary/peak_text.h"
#include "app/output/summary/run_context.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/light_warnings.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace helioray {

namespace {

constexpr std::size_t kMostMapsOfSeries = 25;

std::string share_text(double part, double whole) {
    return whole > 0.0 ? percent(part / whole) : "-";
}

std::string energy_cards(const SeriesResult& series, const SeriesDurations& durations) {
    SeriesEnergy sum;
    for (const SeriesDay& day : durations.days) {
        const SeriesEnergy energy = energy_on_targets(series, durations, day);
        sum.value += energy.value;
        sum.std_error += energy.std_error;
        sum.step_error += energy.step_error;
    }
    return card(durations.days.size() == 1
                    ? "Energy of the day"
                    : fmt::format("Energy of {} days", durations.days.size()),
                energy_text(sum.value),
                fmt::format("± {} from rays, ± {} from steps",
                            share_text(sum.std_error, sum.value),
                            share_text(sum.step_error, sum.value)));
}

std::string make_cards(const SeriesResult& series,
                       const std::optional<SeriesDurations>& durations,
                       const RunResult& plan) {
    std::string out;
    if (durations) out += energy_cards(series, *durations);
    const std::size_t strongest = series.strongest_step();
    const double power = series.power(strongest);
    if (energy_unit(plan) != "1")
        out += card("Highest power",
                    power_text(power),
                    fmt::format("± {}, {}",
                                share_text(power_std_error(series, strongest), power),
                                short_step_name(series, strongest)));
    const EnergyTerms total = total_energy(plan);
    if (total.solar_power > 0.0)
        out += card("Efficiency",
                    fmt::format("{:.2f} %", 100.0 * total.target_power / total.solar_power),
                    "of the direct sun on the mirrors' area in all steps");
    for (const SeriesTarget& target : series.targets) {
        const auto peak = std::ranges::max_element(target.peak_flux_w_m2);
        if (peak == target.peak_flux_w_m2.end() || !(*peak > 0.0)) continue;
        const auto step = static_cast<std::size_t>(peak - target.peak_flux_w_m2.begin());
        out += card("Highest flux on " + target.name,
                    with_error(*peak / 1e3, target.peak_flux_std_error_w_m2[step] / 1e3) + " kW/m²",
                    short_step_name(series, step));
    }
    return out + card("Heliostats",
                      grouped(static_cast<std::int64_t>(series.heliostats.size())),
                      count_text(series.provenance.rays) + " rays");
}

std::string make_graphs(const SeriesResult& series) {
    Canvas measure;
    PlotPage power;
    power.panels.push_back(power_graph(series, kGraphWidth, measure));
    PlotPage efficiency;
    efficiency.panels.push_back(efficiency_graph(series, kGraphWidth, measure));
    return "<figure>\n" + picture_element(power, "graph", "Power on the targets by step") +
           picture_element(efficiency, "graph", "Efficiency of the field by step") + "</figure>\n";
}

std::string step_maps(const SeriesResult& series, const RunResult& step) {
    std::string out;
    Canvas measure;
    for (const TargetResult& target : step.targets) {
        const auto light =
            std::ranges::find(series.targets, target.target.name, &SeriesTarget::name);
        const double full = largest_flux(*light);
        if (!(full > 0.0)) continue;
        out += map_figure(target, full, measure);
    }
    return out;
}

/// Returns the maps of chosen steps; a slider shows one of them.
std::string make_maps(const SeriesResult& series, const ReadStep& read_step) {
    const std::vector<std::size_t> steps = choose_steps(series, kMostMapsOfSeries);
    const std::size_t strongest = series.strongest_step();
    const auto shown =
        static_cast<std::size_t>(std::ranges::find(steps, strongest) - steps.begin());
    std::vector<SliderStep> parts;
    for (const std::size_t i : steps) {
        const RunResult step = read_step(i);
        parts.push_back({step.step + "  ·  Sun " + sun_text(step.provenance.sun_direction),
                         step_maps(series, step)});
    }
    return make_slider(parts, shown);
}

std::string make_table(const SeriesResult& series) {
    const bool has_times = std::ranges::any_of(
        series.steps, [](const SeriesStep& step) { return !step.time.empty(); });
    std::vector<std::string> headers{"Step"};
    if (has_times) headers.emplace_back("Time");
    for (const char* name : {"Azimuth (°)", "Elevation (°)", "DNI (W/m²)"})
        headers.emplace_back(name);
    const bool has_temperatures = series.has_temperatures();
    if (has_temperatures) headers.emplace_back("Temperature (°C)");
    for (const char* name : {"Power (kW)", "± (kW)", "Efficiency (%)", "Peak flux (kW/m²)"})
        headers.emplace_back(name);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < series.steps.size(); ++i) {
        const SeriesStep& step = series.steps[i];
        const EnergyTerms energy = series.field_energy(i);
        double peak = 0.0;
        for (const SeriesTarget& target : series.targets)
            peak = std::max(peak, target.peak_flux_w_m2[i]);
        std::vector<std::string> row{std::to_string(i)};
        if (has_times) row.push_back(step.time);
        row.push_back(fmt::format("{:.2f}", step.azimuth_deg));
        row.push_back(fmt::format("{:.2f}", step.elevation_deg));
        row.push_back(significant(step.dni_w_m2, 4));
        if (has_temperatures) row.push_back(fmt::format("{:.1f}", *step.temperature_c));
        row.push_back(fmt::format("{:.3f}", series.power(i) / 1e3));
        row.push_back(significant(power_std_error(series, i) / 1e3, 2));
        row.push_back(energy.solar_power > 0.0
                          ? fmt::format("{:.2f}", 100.0 * energy.target_power / energy.solar_power)
                          : "-");
        row.push_back(significant(peak / 1e3, 4));
        rows.push_back(std::move(row));
    }
    return table_markup(headers, rows);
}

OriginRows make_origin(const SeriesResult& series) {
    const Provenance& p = series.provenance;
    OriginRows rows = common_origin(p);
    rows.insert(rows.end(),
                {{"Steps", std::to_string(series.steps.size())},
                 {"Rays", grouped(p.rays)},
                 {"Seed", std::to_string(p.seed)},
                 {"Device", device_text(p)}});
    return rows;
}

}  // namespace

std::string series_report(const SeriesResult& series,
                          const ReadStep& read_step,
                          const std::optional<std::string>& title) {
    const auto durations = series_durations(series);
    const RunResult plan = series_plan(series, durations, read_step(series.strongest_step()));
    ReportContent content;
    content.title = title.value_or(scenario_title(series.provenance, "Series"));
    content.subtitle = series_summary_text(series);
    content.cards = make_cards(series, durations, plan);
    content.figures_title = "Power and efficiency";
    content.figures = make_graphs(series) + "<h2>Flux</h2>\n" + make_maps(series, read_step) +
                      "<h2>Steps</h2>\n" + make_table(series);
    content.quantities = series_quantities(series);
    content.origin = make_origin(series);
    content.warnings = light_warnings(series);
    return report_document(content, plan);
}

}  // namespace helioray

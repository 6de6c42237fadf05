// SPDX-License-Identifier: MIT
// Creates the content of the reports about runs and years.
#include "app/output/report/html_report.h"

#include "app/output/plot/annual_plot.h"
#include "app/output/plot/drawing/flux_image.h"
#include "app/output/plot/drawing/plot_page.h"
#include "app/output/plot/maps/incident_maps.h"
#include "app/output/report/report_parts.h"
#include "app/output/summary/peak_text.h"
#include "app/output/summary/run_context.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/light_warnings.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace helioray {

namespace {

std::string target_card(const TargetResult& t) {
    const FluxUnit unit = flux_unit(t);
    const std::string peak =
        "peak " + (t.unit == "W/m2"
                       ? peak_text(t, unit.name)
                       : significant(largest_flux(t) / unit.factor, 4) + " " + unit.name);
    if (t.unit != "W/m2") {
        const double sum = total_flux(t);
        return card(t.target.name, t.unit == "W" ? power_text(sum) : significant(sum, 5), peak);
    }
    std::string small = peak;
    if (t.power_w > 0.0 && t.power_std_error_w > 0.0) {
        small = fmt::format(
            "± {} %, {}", significant(100.0 * t.power_std_error_w / t.power_w, 2), peak);
    }
    return card(t.target.name, power_text(t.power_w), small);
}

std::string headline(const RunResult& result) {
    std::string out;
    for (const TargetResult& t : result.targets)
        if (t.target.receiver.empty()) out += target_card(t);
    for (const ReceiverResult& receiver : receiver_results(result))
        out += card(receiver.name,
                    power_text(receiver.power_w),
                    fmt::format("peak {} kW/m²", significant(receiver.peak_flux_w_m2 / 1e3, 4)));
    const EnergyTerms total = total_energy(result);
    if (total.solar_power > 0.0) {
        const bool watts = energy_unit(result) == "W";
        out += card("Field efficiency",
                    fmt::format("{:.2f} %", 100.0 * total.target_power / total.solar_power),
                    watts ? power_text(total.target_power) + " of " +
                                power_text(total.solar_power) + " on the mirrors' area"
                          : "of the rays' weight");
    }
    const auto count = static_cast<std::int64_t>(result.heliostats.size());
    out += card("Heliostats", grouped(count), count_text(result.provenance.rays) + " rays");
    return out;
}

}  // namespace

std::string html_report(const RunResult& result, const std::optional<std::string>& title) {
    const Provenance& p = result.provenance;
    ReportContent content;
    content.title = title.value_or(scenario_title(p, "Flux"));
    content.subtitle = run_text(result);
    content.cards = headline(result);
    content.figures_title = "Flux";
    content.figures = flux_figures(result);
    if (has_reflection(result))
        content.figures += "<h3>Incident flux, before absorption</h3>\n" +
                           flux_figures(with_incident_maps(result, ""));
    content.quantities = heliostat_quantities();
    content.origin = run_origin(result);
    content.warnings = light_warnings(result);
    return report_document(content, result);
}

namespace {

constexpr double kKilowattHour = 3.6e6;

std::string two_digit_share(double part, double whole) {
    return whole > 0.0 ? significant(100.0 * part / whole, 2) + " %" : "-";
}

std::string energy_card(const std::string& title, const YearEnergy& energy) {
    return card(title,
                energy_text(energy.value),
                fmt::format("± {} from rays, ± {} from sun positions",
                            two_digit_share(energy.std_error, energy.value),
                            two_digit_share(energy.quadrature_error, energy.value)));
}

std::string make_cards(const AnnualYield& yield) {
    std::string out;
    for (const AnnualTarget& target : yield.targets) out += energy_card(target.name, target.energy);
    if (yield.targets.size() > 1) out += energy_card("All targets", yield.on_targets);
    if (yield.energy.solar_power > 0.0) {
        out +=
            card("Efficiency of the year",
                 fmt::format("{:.2f} %", 100.0 * yield.on_targets.value / yield.energy.solar_power),
                 "of the sun on the mirrors' area");
    }
    out += card("Direct insolation",
                fmt::format("{:.0f} kWh/m²", yield.usable.value / kKilowattHour),
                fmt::format("with the sun above {:.4g}°, of {:.0f} in all",
                            yield.min_elevation_deg,
                            yield.insolation / kKilowattHour));
    if (yield.aiming) {
        out += card("Defocused energy",
                    energy_text(yield.defocus_loss),
                    "of heliostats that flux limits turn off");
    }
    if (yield.state) {
        out +=
            card("Lost to soiling",
                 energy_text(yield.soiling_loss),
                 fmt::format("by a mean soiling of {:.2f} %", 100.0 * yield.state->mean_soiling));
        out += card(
            "Lost to outages",
            energy_text(yield.outage_loss),
            fmt::format("on {:.2f} % of the heliostats' days", 100.0 * yield.state->outage_share));
    }
    out += card("Heliostats",
                grouped(static_cast<std::int64_t>(yield.heliostats.size())),
                count_text(yield.provenance.rays) + " rays");
    return out;
}

std::string make_months(const AnnualYield& yield) {
    PlotPage page;
    Canvas measure;
    page.panels.push_back(std::make_unique<MonthsPanel>(yield, measure));
    std::string out = "<figure>\n" +
                      picture_element(page, "year", "Energy and direct insolation by month") +
                      "</figure>\n";
    for (const std::string& note : yield.notes)
        out += "<p class=\"quiet\">" + markup_text(note) + "</p>\n";
    return out;
}

OriginRows make_origin(const AnnualYield& yield) {
    const Provenance& p = yield.provenance;
    OriginRows rows = common_origin(p);
    rows.insert(rows.end(),
                {
                    {"Plant",
                     fmt::format("latitude {:.4f}°, longitude {:.4f}°, {:.0f} m above the sea",
                                 yield.plant.latitude_deg,
                                 yield.plant.longitude_deg,
                                 yield.plant.altitude_m)},
                    {"Irradiance", yield.irradiance},
                    {"Sun positions",
                     fmt::format("{} ({} declinations x {} hour angles)",
                                 yield.nodes.size(),
                                 yield.declinations,
                                 yield.hours)},
                    {"Rays", grouped(p.rays)},
                    {"Seed", std::to_string(p.seed)},
                    {"Not modelled", not_modelled(yield)},
                });
    if (yield.aiming) rows.insert(rows.end() - 1, {"Aim points", aim_points_of_year(yield)});
    return rows;
}

}  // namespace

std::string annual_report(const AnnualYield& yield,
                          const std::optional<std::string>& title,
                          const std::string& where) {
    const RunResult& plan = find_plan(yield, where);
    ReportContent content;
    content.title = title.value_or(scenario_title(yield.provenance, "Year"));
    content.subtitle = year_text(yield);
    content.cards = make_cards(yield);
    content.figures_title = "Months";
    content.figures = make_months(yield);
    content.quantities = annual_quantities();
    content.origin = make_origin(yield);
    content.warnings = light_warnings(yield);
    return report_document(content, plan);
}

}  // namespace helioray

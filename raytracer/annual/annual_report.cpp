// SPDX-License-Identifier: MIT
#include "raytracer/annual/annual_report.h"

#include "raytracer/annual/annual_plot.h"
#include "raytracer/annual/months_panel.h"
#include "raytracer/output/number_text.h"
#include "raytracer/output/report/report_parts.h"
#include "raytracer/output/text_encoding.h"

#include <fmt/format.h>

namespace helioray {

namespace {

constexpr double kKilowattHour = 3.6e6;

std::string share_text(double part, double whole) {
    return whole > 0.0 ? significant(100.0 * part / whole, 2) + " %" : "-";
}

std::string energy_card(const std::string& title, const YearEnergy& energy) {
    return card(title,
                energy_text(energy.value),
                fmt::format("± {} from rays, ± {} from sun positions",
                            share_text(energy.std_error, energy.value),
                            share_text(energy.quadrature_error, energy.value)));
}

std::string cards_of(const AnnualYield& yield) {
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
    out += card("Heliostats",
                grouped(static_cast<std::int64_t>(yield.heliostats.size())),
                count_text(yield.provenance.rays) + " rays");
    return out;
}

std::string months_of(const AnnualYield& yield) {
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

std::vector<std::pair<std::string, std::string>> origin_of(const AnnualYield& yield) {
    const Provenance& p = yield.provenance;
    return {
        {"Created", p.created},
        {"HelioRay", p.helioray_version + " (" + p.git_commit + ")"},
        {"Fingerprint", p.fingerprint},
        {"Scenario", p.scenario_file},
        {"Scenario SHA-256", p.scenario_sha256},
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
        {"Not modelled", "start, shut-down and defocusing of receivers; wind; cleaning"},
    };
}

}  // namespace

std::string annual_report(const AnnualYield& yield,
                          const std::optional<std::string>& title,
                          const std::string& where) {
    const RunResult& plan = plan_of(yield, where);
    ReportContent content;
    content.title = title.value_or(scenario_title(yield.provenance, "Year"));
    content.subtitle = year_text(yield);
    content.cards = cards_of(yield);
    content.figures_title = "Months";
    content.figures = months_of(yield);
    content.quantities = annual_quantities();
    content.origin = origin_of(yield);
    return report_document(content, plan);
}

}  // namespace helioray

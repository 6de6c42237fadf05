// SPDX-License-Identifier: MIT
// The report of a run.
#include "raytracer/output/report/html_report.h"

#include "raytracer/output/flux_image.h"
#include "raytracer/output/heliostat_quantity.h"
#include "raytracer/output/number_text.h"
#include "raytracer/output/plot_page.h"
#include "raytracer/output/report/report_parts.h"
#include "raytracer/output/summary.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace helioray {

namespace {

std::string target_card(const TargetResult& t) {
    const FluxUnit unit = flux_unit(t);
    const std::string peak =
        "peak " + significant(largest_flux(t) / unit.factor, 4) + " " + unit.name;
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
    for (const TargetResult& t : result.targets) out += target_card(t);
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

std::vector<std::pair<std::string, std::string>> origin_of(const Provenance& p) {
    return {
        {"Created", p.created},
        {"HelioRay", p.helioray_version + " (" + p.git_commit + ")"},
        {"Fingerprint", p.fingerprint},
        {"Scenario", p.scenario_file},
        {"Scenario SHA-256", p.scenario_sha256},
        {"Sun", sun_text(p.sun_direction)},
        {"Rays", grouped(p.rays)},
        {"Seed", std::to_string(p.seed)},
        {"Device", device_text(p)},
        {"Processes", fmt::format("{} ({}), backend {}", p.world_size, p.launcher, p.backend)},
    };
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
    content.quantities = heliostat_quantities();
    content.origin = origin_of(p);
    return report_document(content, result);
}

}  // namespace helioray

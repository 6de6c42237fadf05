// SPDX-License-Identifier: MIT
// Creates the content of the report about aim points.
#include "app/output/report/aiming_report.h"

#include "app/output/plot/aiming_plot.h"
#include "app/output/report/report_parts.h"
#include "app/output/summary/peak_text.h"
#include "app/output/summary/run_context.h"
#include "raytracer/results/heliostat_quantity.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

namespace helioray {

namespace {

using aiming::AimingResult;

std::string headline(const AimingResult& result) {
    std::string small = before_text(result) + ": " + power_text(power_on_targets(result.before));
    if (result.power > 0.0 && result.power_std_error > 0.0) {
        small = fmt::format(
            "± {} %, {}", significant(100.0 * result.power_std_error / result.power, 2), small);
    }
    std::string out = card("Power", power_text(result.power), small);
    if (result.power_bound) {
        const auto gap = result.gap();
        out += card("Bound",
                    power_text(*result.power_bound),
                    gap ? fmt::format("at most {:.2f} % could still be gained{}",
                                      100.0 * *gap,
                                      result.shares.empty() ? "" : " with these targets")
                        : "no aim points bring more");
    }
    const std::string flux =
        with_error(result.peak_flux / 1e3, result.peak_flux_std_error / 1e3) + " kW/m²";
    const std::string peak = "peak " + flux;
    if (result.worst_limit_share) {
        const double error = result.worst_limit_share_std_error.value_or(0.0);
        out += card("Largest flux",
                    fmt::format("{:.1f} %", 100.0 * *result.worst_limit_share),
                    fmt::format("of its limit, {}{}",
                                error > 0.0 ? fmt::format("± {:.1f} %, ", 100.0 * error) : "",
                                peak));
    } else {
        out += card("Peak flux", flux, "no limit");
    }
    if (const double price = price_of_limits(result); price > 0.0) {
        out +=
            card("Price of the limits", price_text(price), "more power for 1 % more on all limits");
    }
    for (const aiming::TargetShare& share : result.shares)
        out += card("Share of " + share.target,
                    fmt::format("{:.2f} %", 100.0 * share.reached),
                    fmt::format("of the power, {:.4g} % wanted", 100.0 * share.wanted));
    const auto count = static_cast<std::int64_t>(result.points.size());
    out += card("Heliostats",
                grouped(count),
                result.heliostats_off == 0 ? "none turned off"
                                           : grouped(result.heliostats_off) + " turned off");
    return out;
}

std::string names_off(const AimingResult& result, const Scenario& scenario) {
    constexpr int kMost = 60;
    std::string names;
    int count = 0;
    for (const aiming::AimedPoint& point : result.points) {
        if (point.active) continue;
        if (++count > kMost) continue;
        names += (names.empty() ? "" : ", ") + scenario.heliostats[point.aim.heliostat].name;
    }
    if (names.empty()) return "";
    if (count > kMost) names += fmt::format(" and {} more", count - kMost);
    return "<p>Turned off: " + markup_text(names) + "</p>\n";
}

std::string figures(const AimingResult& result, const Scenario& scenario) {
    std::string out;
    if (!result.violation.empty())
        out += fmt::format(
            "<p><strong>{}:</strong> {}</p>\n", unkept_text(result), markup_text(result.violation));
    for (AimingPart& part : aiming_parts(result, scenario)) {
        if (part.panels.empty()) continue;
        PlotPage page;
        page.panels = std::move(part.panels);
        // Three upright maps fit beside each other.
        const Panel& first = *page.panels.front();
        page.columns = page.panels.size() == 3 && first.width() < 1.5 * first.height() ? 3 : 2;
        // Thousands of dots and mirrors are much smaller as pixels than as outlines.
        out += panel_figure(std::move(page), part.description, PictureFormat::png);
    }
    out += names_off(result, scenario);
    return out + "<h2>Flux</h2>\n" + flux_figures(result.after);
}

}  // namespace

std::string aiming_report(const AimingResult& result,
                          const RunConfig& config,
                          const Scenario& scenario,
                          const std::optional<std::string>& title) {
    const Provenance& p = result.after.provenance;
    ReportContent content;
    content.title = title.value_or(scenario_title(p, "Aiming"));
    content.subtitle = strategy_text(config.aiming) + "  ·  " + run_text(result.before);
    content.cards = headline(result);
    content.figures_title = "Aiming";
    content.figures = figures(result, scenario);
    content.quantities = heliostat_quantities();
    content.origin = run_origin(result.after);
    return report_document(content, result.after);
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// The page around figures, map and table.
#include "raytracer/output/report/html_report.h"

#include "raytracer/output/flux_image.h"
#include "raytracer/output/heliostat_quantity.h"
#include "raytracer/output/number_text.h"
#include "raytracer/output/plot_page.h"
#include "raytracer/output/report/report_parts.h"
#include "raytracer/output/summary.h"
#include "raytracer/output/text_encoding.h"

#include <fmt/format.h>

#include <vector>

namespace helioray {

namespace {

std::string card(const std::string& title, const std::string& big, const std::string& small) {
    return fmt::format(
        "<div class=\"card\"><h3>{}</h3><div class=\"big\">{}</div><p "
        "class=\"quiet\">{}</p></div>\n",
        markup_text(title),
        markup_text(big),
        markup_text(small));
}

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
    std::string out = "<section class=\"cards\">\n";
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
    return out + "</section>\n";
}

std::string provenance_list(const Provenance& p) {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"Created", p.created},
        {"HelioRay", p.helioray_version + " (" + p.git_commit + ")"},
        {"Fingerprint", p.fingerprint},
        {"Scenario", p.scenario_file},
        {"Scenario SHA-256", p.scenario_sha256},
        {"Sun", sun_text(p.sun_direction)},
        {"Rays", grouped(p.rays)},
        {"Seed", std::to_string(p.seed)},
        {"Device", p.device},
        {"Processes", fmt::format("{} ({}), backend {}", p.world_size, p.launcher, p.backend)},
    };
    std::string out = "<dl class=\"card\">\n";
    for (const auto& [key, value] : rows) {
        out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", markup_text(key), markup_text(value));
    }
    return out + "</dl>\n";
}

constexpr const char* kFieldAndTable = R"(<section>
<h2>Field</h2>
<noscript><p>The field map and the table of heliostats need JavaScript.</p></noscript>
<div class="controls">
<label>Quantity <select id="quantity"></select></label>
<label class="screen">in <select id="unit"><option value="percent">% of solar power</option><option value="power">power</option></select></label>
<span id="meaning" class="quiet"></span>
</div>
<div id="field" class="card"><div id="map"></div><div id="tip"></div></div>
</section>
<h2>Heliostats</h2>
<div class="controls screen">
<label>Filter <input id="filter" type="search" placeholder="name or target"></label>
<button id="back" type="button">&larr; Back</button><button id="on" type="button">Next &rarr;</button>
<span id="place" class="quiet"></span>
</div>
<div class="card long scroll"><table><thead id="head"></thead><tbody id="rows"></tbody></table></div>
)";

}  // namespace

std::string html_report(const RunResult& result, const std::optional<std::string>& title) {
    const Provenance& p = result.provenance;
    const std::string name = markup_text(title.value_or(scenario_title(p, "Flux")));
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0} - HelioRay report</title>\n<style>\n{1}</style>\n</head>\n<body>\n<main>\n"
        "<header><div><h1>{0}</h1><p class=\"quiet\">{2}</p></div>"
        "<button id=\"theme\" class=\"screen\" type=\"button\">Light / dark</button></header>\n",
        name,
        kReportStyle,
        markup_text(run_text(result)));
    out += headline(result);
    out += "<h2>Flux</h2>\n" + flux_figures(result);
    out += "<section>\n<h2>Energy</h2>\n<div class=\"card\">\n" + energy_waterfall(result) +
           "</div>\n</section>\n";
    out += kFieldAndTable;
    out += "<h2>Configuration</h2>\n<div class=\"card long\"><pre>" + markup_text(p.config) +
           "</pre></div>\n";
    out += "<h2>How this was made</h2>\n" + provenance_list(p);
    out += "<footer>" + markup_text(origin_text(p)) + "</footer>\n</main>\n";
    out += "<script id=\"data\" type=\"application/json\">" + report_data(result) + "</script>\n";
    out += std::string("<script>\n") + kReportScript + "</script>\n</body>\n</html>\n";
    return out;
}

}  // namespace helioray

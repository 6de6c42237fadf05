// SPDX-License-Identifier: MIT
// Creates the data, figures and markup of reports.
#include "app/output/report/report_parts.h"

#include "app/output/plot/drawing/colors.h"
#include "app/output/plot/drawing/plot_page.h"
#include "app/output/plot/panels/cut_panel.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/result_columns.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/job/mirror_outline.h"
#include "scenario/files/columns_json.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

using nlohmann::json;

// Rounds to tenths of a millimetre, which are sufficient for places, and short.
double rounded(double metres) {
    constexpr double kTenth = 1e4;
    return std::round(metres * kTenth) / kTenth;
}

// Returns a short title, because columns have little space.
std::string short_title(const HeliostatQuantity& quantity) {
    if (quantity.name.ends_with("_std_error")) return "±";
    if (quantity.name.starts_with("solar_")) return "Solar";
    if (quantity.name.starts_with("target_")) return "On target";
    const size_t loss = quantity.title.find(" loss");
    return quantity.title.substr(0, loss);
}

json quantities_json(const std::vector<HeliostatQuantity>& quantities) {
    json out = json::array();
    for (const HeliostatQuantity& q : quantities) {
        const bool share = q.kind == HeliostatQuantity::Kind::share;
        out.push_back({{"name", q.name},
                       {"title", q.title},
                       {"short", short_title(q)},
                       {"description", q.description},
                       {"kind", share ? "share" : "power"}});
    }
    return out;
}

// Returns the outline of the target at half its height, seen from above.
json plan_json(const Target& target) {
    const double width = surface_extent(target)[0];
    const int steps = is_flat(target) ? 1 : 32;
    json plan = json::array();
    for (int i = 0; i <= steps; ++i) {
        const Vec3 p = surface_point(target, (static_cast<double>(i) / steps - 0.5) * width, 0.0);
        plan.push_back({rounded(p[0]), rounded(p[1])});
    }
    return plan;
}

json targets_json(const RunResult& result) {
    json out = json::array();
    for (const TargetResult& t : result.targets) {
        json target = json_of(t, target_columns());
        target.erase("centroid_m");  // pages do not show it
        target["name"] = valid_utf8(t.target.name);
        target["plan"] = plan_json(t.target);
        target["unit"] = t.unit;
        out.push_back(std::move(target));
    }
    return out;
}

json heliostats_json(const RunResult& result, const std::vector<HeliostatQuantity>& quantities) {
    json out{{"name", json::array()},
             {"target", json::array()},
             {"east", json::array()},
             {"north", json::array()},
             {"distance", json::array()}};
    for (const HeliostatQuantity& q : quantities) out[q.name] = json::array();
    for (const HeliostatResult& h : result.heliostats) {
        const auto target = std::find_if(result.targets.begin(),
                                         result.targets.end(),
                                         [&](const auto& t) { return t.target.name == h.target; });
        const Vec3 origin = mirror_origin(h);
        out["name"].push_back(valid_utf8(h.name));
        out["target"].push_back(target - result.targets.begin());
        out["east"].push_back(rounded(origin[0]));
        out["north"].push_back(rounded(origin[1]));
        out["distance"].push_back(rounded(norm(subtract(h.aim_point, origin))));
        for (const HeliostatQuantity& q : quantities) {
            out[q.name].push_back(q.value(h));
        }
    }
    return out;
}

json outlines_json(const RunResult& result) {
    json out = json::array();
    for (const HeliostatResult& h : result.heliostats) {
        if (!h.mirror_outline) return nullptr;
        json corners = json::array();
        for (const Vec3& corner : outline_in_field(h)) {
            corners.push_back(rounded(corner[0]));
            corners.push_back(rounded(corner[1]));
        }
        out.push_back(std::move(corners));
    }
    return out;
}

}  // namespace

std::string report_data(const RunResult& result, const std::vector<HeliostatQuantity>& quantities) {
    const UnitScale unit = report_unit(result);
    const bool year = energy_unit(result) == "J";
    json data{{"quantities", quantities_json(quantities)},
              {"energy_unit", energy_unit(result)},
              {"terms",
               {{"factor", 1.0 / unit.factor},
                {"unit", unit.unit.empty() ? "ray weights" : unit.unit},
                {"solar", year ? "solar_energy" : "solar_power"}}},
              {"targets", targets_json(result)},
              {"heliostats", heliostats_json(result, quantities)},
              {"outlines", outlines_json(result)},
              {"sun", result.provenance.sun_direction},
              {"colors", json::array()}};
    constexpr int kColors = 64;
    for (int i = 0; i < kColors; ++i) {
        const auto [r, g, b] = field_color((i + 0.5) / kColors);
        data["colors"].push_back(fmt::format("#{:02x}{:02x}{:02x}", r, g, b));
    }
    // Heliostats may aim at a target that the result does not list (files written by hand).
    data["targets"].push_back({{"name", "?"}, {"plan", json::array()}});
    std::string text = data.dump(-1, ' ', false, json::error_handler_t::replace);
    // "</script>" and "<!--" in a name must not end or change the element.
    for (size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at)) {
        text.replace(at, 1, "\\u003c");
    }
    return text;
}

namespace {

// Averages maps with very many pixels over blocks, since a screen cannot show more.
TargetResult for_screen(const TargetResult& t) {
    constexpr int64_t kMost = 512;
    if (std::max(t.width, t.height) <= kMost) return t;
    BlockMap blocks = block_means(t, kMost);
    // Blocks that are cut at an edge would distort the map.
    if (t.width % blocks.step != 0 || t.height % blocks.step != 0) return t;
    TargetResult coarse = t;
    coarse.width = blocks.width;
    coarse.height = blocks.height;
    coarse.flux = std::move(blocks.values);
    coarse.flux_std_error.clear();
    return coarse;
}

std::string figure(const TargetResult& t) {
    const TargetResult screen_map = for_screen(t);
    Canvas measure;
    FluxPanelStyle style;
    style.contours = true;
    style.mark_cuts = true;
    style.shrink = 0.9;
    style.full_scale = largest_flux(t);
    PlotPage map;
    map.panels.push_back(std::make_unique<FluxPanel>(screen_map, style, measure));
    PlotPage cuts;
    for (const auto direction : {CutDirection::horizontal, CutDirection::vertical}) {
        cuts.panels.push_back(
            std::make_unique<CutPanel>(t, direction, largest_flux(t), style.scale, 0.66, measure));
    }
    cuts.columns = 1;
    const std::string name = t.target.name;
    return "<figure>\n" + picture_element(map, "map", "Flux map of target " + name) +
           picture_element(
               cuts, "cuts", "Horizontal and vertical cut through the peak on target " + name) +
           "</figure>\n";
}

}  // namespace

std::string picture_element(const PlotPage& page,
                            const std::string& kind,
                            const std::string& description,
                            PictureFormat format) {
    const bool pixels = format == PictureFormat::png;
    return fmt::format("<img class=\"{}\" alt=\"{}\" src=\"data:image/{};base64,{}\">\n",
                       kind,
                       markup_text(description),
                       pixels ? "png" : "svg+xml",
                       base64(draw_page(page, format, pixels ? 2.0 : 1.0)));
}

UnitScale report_unit(const RunResult& result) {
    constexpr double kMegawattHour = 3.6e9;
    const std::string unit = energy_unit(result);
    if (unit == "J") return {kMegawattHour, "MWh"};
    return unit == "W" ? UnitScale{1e3, "kW"} : UnitScale{1.0, ""};
}

std::string flux_figures(const RunResult& result) {
    std::string out;
    for (const TargetResult& t : result.targets) out += figure(t);
    return out;
}

std::string energy_waterfall(const RunResult& result) {
    const EnergyTerms total = total_energy(result);
    if (!(total.solar_power > 0.0)) return "<p>No sun fell on the field.</p>\n";
    const UnitScale unit = report_unit(result);
    const bool year = energy_unit(result) == "J";
    std::string out = "<div class=\"waterfall\">\n";
    double lost = 0.0;  // per cent of the solar power taken by the losses so far
    const auto add = [&](const EnergyTermInfo& info, double value, bool whole) {
        const double percent = 100.0 * value / total.solar_power;
        // Losses are cut off the right end; the target power remains.
        const double start = whole ? 0.0 : 100.0 - lost - percent;
        if (!whole) lost += percent;
        std::string title = info.name;
        if (const size_t at = title.find("_power"); year && at != std::string::npos)
            title.replace(at, std::string::npos, "_energy");
        std::replace(title.begin(), title.end(), '_', ' ');
        out += fmt::format(
            "<div class=\"row{}\" data-term=\"{}\" data-value=\"{}\">"
            "<div title=\"{}\">{}</div>"
            "<div class=\"track\"><div class=\"bar\" style=\"left:{:.3f}%;width:{:.3f}%\"></div>"
            "</div><div class=\"number\">{:.3f} {}</div><div class=\"number\">{:.2f} %</div>"
            "</div>\n",
            whole ? " whole" : "",
            info.name,
            value,
            markup_text(info.description),
            title,
            std::clamp(start, 0.0, 100.0),
            std::clamp(percent, 0.0, 100.0),
            value / unit.factor,
            unit.unit,
            percent);
    };
    double defocused = 0.0;
    for (const HeliostatResult& heliostat : result.heliostats) defocused += heliostat.defocus_loss;
    for (const EnergyTermInfo& info : energy_term_infos()) {
        const bool solar = info.member == &EnergyTerms::solar_power;
        const bool last = info.member == &EnergyTerms::target_power;
        if (last && defocused != 0.0)
            add({"defocus_loss", "Not used because flux limits turn heliostats off.", nullptr},
                defocused,
                false);
        add(info, total.*info.member, solar || last);
    }
    return out + "</div>\n";
}

namespace {

// {0} is the kind of the terms, power or energy.
constexpr const char* kFieldAndTable = R"(<section>
<h2>Field</h2>
<noscript><p>The field map and the table of heliostats need JavaScript.</p></noscript>
<div class="controls">
<label>Quantity <select id="quantity"></select></label>
<label class="screen">in <select id="unit"><option value="percent">% of solar {0}</option><option value="power">{0}</option></select></label>
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

std::string origin_list(const ReportContent& content) {
    std::string out = "<dl class=\"card\">\n";
    for (const auto& [key, value] : content.origin) {
        out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", markup_text(key), markup_text(value));
    }
    return out + "</dl>\n";
}

}  // namespace

OriginRows common_origin(const Provenance& p) {
    return {
        {"Created", p.created},
        {"HelioRay", p.helioray_version + " (" + p.git_commit + ")"},
        {"Fingerprint", p.fingerprint},
        {"Scenario", p.scenario_file},
        {"Scenario SHA-256", p.scenario_sha256},
    };
}

OriginRows run_origin(const Provenance& p) {
    OriginRows rows = common_origin(p);
    rows.insert(
        rows.end(),
        {
            {"Sun", sun_text(p.sun_direction)},
            {"Rays", grouped(p.rays)},
            {"Seed", std::to_string(p.seed)},
            {"Device", device_text(p)},
            {"Processes", fmt::format("{} ({}), backend {}", p.world_size, p.launcher, p.backend)},
        });
    return rows;
}

std::string card(const std::string& title, const std::string& big, const std::string& small) {
    return fmt::format(
        "<div class=\"card\"><h3>{}</h3><div class=\"big\">{}</div><p "
        "class=\"quiet\">{}</p></div>\n",
        markup_text(title),
        markup_text(big),
        markup_text(small));
}

std::string table_markup(const std::vector<std::string>& headers,
                         const std::vector<std::vector<std::string>>& rows) {
    // Find the columns after the first with a cell that does not begin like a number.
    std::vector<bool> words(headers.size(), false);
    for (const auto& row : rows) {
        for (size_t i = 1; i < std::min(row.size(), words.size()); ++i)
            if (!row[i].empty() && row[i].find_first_of("0123456789+-\u00b1") != 0) words[i] = true;
    }
    std::string out = "<div class=\"card scroll\"><table><thead>";
    const auto add = [&](const std::vector<std::string>& cells, const char* element) {
        out += "<tr>";
        for (size_t i = 0; i < cells.size(); ++i)
            out += fmt::format("<{0}{1}>{2}</{0}>",
                               element,
                               i == 0     ? " class=\"text\""
                               : words[i] ? " class=\"words\""
                                          : "",
                               markup_text(cells[i]));
        out += "</tr>\n";
    };
    add(headers, "th");
    out += "</thead><tbody>\n";
    for (const auto& row : rows) add(row, "td");
    return out + "</tbody></table></div>\n";
}

std::string report_page(const ReportPage& page) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0} - HelioRay report</title>\n<style>\n{1}</style>\n</head>\n<body>\n<main>\n"
        "<header><div><h1>{0}</h1><p class=\"quiet\">{2}</p></div>"
        "<button id=\"theme\" class=\"screen\" type=\"button\">Light / dark</button></header>\n",
        markup_text(page.title),
        kReportStyle,
        markup_text(page.subtitle));
    if (!page.cards.empty()) out += "<section class=\"cards\">\n" + page.cards + "</section>\n";
    out += page.body;
    out += "<footer>" + markup_text(page.footer) + "</footer>\n</main>\n" + page.script;
    return out + "<script>\n" + kReportScript + "</script>\n</body>\n</html>\n";
}

std::string report_document(const ReportContent& content, const RunResult& result) {
    const Provenance& p = result.provenance;
    const bool year = energy_unit(result) == "J";
    ReportPage page{content.title, content.subtitle, content.cards, {}, origin_text(p), {}};
    for (const std::string& warning : content.warnings)
        page.body += "<p class=\"warning\">Warning: " + markup_text(warning) + "</p>\n";
    page.body += "<h2>" + markup_text(content.figures_title) + "</h2>\n" + content.figures;
    page.body += "<section>\n<h2>Energy</h2>\n<div class=\"card\">\n" + energy_waterfall(result) +
                 "</div>\n</section>\n";
    page.body += fmt::format(fmt::runtime(kFieldAndTable), year ? "energy" : "power");
    page.body += "<h2>Configuration</h2>\n<div class=\"card long\"><pre>" + markup_text(p.config) +
                 "</pre></div>\n";
    page.body += "<h2>How this was made</h2>\n" + origin_list(content);
    page.script = "<script id=\"data\" type=\"application/json\">" +
                  report_data(result, content.quantities) + "</script>\n";
    return report_page(page);
}

}  // namespace helioray

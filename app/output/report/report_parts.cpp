// SPDX-License-Identifier: MIT
// Creates the figures and the markup of reports.
#include "app/output/report/report_parts.h"

#include "app/output/plot/drawing/plot_page.h"
#include "app/output/plot/maps/joined_maps.h"
#include "app/output/plot/panels/cut_panel.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/report/plant_view.h"
#include "app/output/report/themed_picture.h"
#include "app/output/summary/run_context.h"
#include "app/output/summary/summary.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/studies/annual/annual.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace helioray {

namespace {

// Averages maps with more than `most` pixels along an edge over blocks: a screen cannot show more,
// and pages of many maps would be large.
TargetResult for_screen(const TargetResult& t, int64_t most) {
    if (std::max(t.width, t.height) <= most) return t;
    BlockMap blocks = block_means(t, most);
    // Blocks that are cut at an edge would distort the map.
    if (t.width % blocks.step != 0 || t.height % blocks.step != 0) return t;
    TargetResult coarse = t;
    coarse.width = blocks.width;
    coarse.height = blocks.height;
    coarse.flux = std::move(blocks.values);
    coarse.flux_std_error.clear();
    return coarse;
}

/// Returns the name of a target with its numbers, above the pictures, where text has the size of
/// the page's.
std::string caption(const FluxPanel& panel) {
    return fmt::format("<figcaption><h3>{}</h3><p class=\"quiet\">{}</p></figcaption>\n",
                       markup_text(panel.title()),
                       markup_text(panel.subtitle()));
}

/// Returns the map without titles, which are in the caption.
std::string map_picture(const TargetResult& t,
                        FluxPanelStyle style,
                        int64_t most_pixels,
                        Canvas& measure) {
    const TargetResult screen_map = for_screen(t, most_pixels);
    style.title = style.subtitle = "";
    PlotPage map;
    map.panels.push_back(std::make_unique<FluxPanel>(screen_map, style, measure));
    return picture_element(map, "map", "Flux map of target " + t.target.name);
}

constexpr int64_t kMostPixels = 512;
constexpr int64_t kMostPixelsOfMany = 128;

FluxPanelStyle map_style(double full_scale) {
    FluxPanelStyle style;
    style.contours = true;
    style.shrink = 0.66;
    style.full_scale = full_scale;
    return style;
}

std::string figure(const TargetResult& t) {
    Canvas measure;
    FluxPanelStyle style = map_style(largest_flux(t));
    style.mark_cuts = true;
    PlotPage cuts;
    for (const auto direction : {CutDirection::horizontal, CutDirection::vertical}) {
        cuts.panels.push_back(
            std::make_unique<CutPanel>(t, direction, largest_flux(t), style.scale, 0.66, measure));
    }
    cuts.columns = 1;
    return "<figure>\n" + caption(FluxPanel(t, style, measure)) +
           map_picture(t, style, kMostPixels, measure) +
           picture_element(
               cuts,
               "cuts",
               "Horizontal and vertical cut through the peak on target " + t.target.name) +
           "</figure>\n";
}

}  // namespace

std::string picture_element(const PlotPage& page,
                            const std::string& kind,
                            const std::string& description,
                            PictureFormat format) {
    if (format == PictureFormat::svg)
        return themed_picture(draw_page(page, format, 1.0, Theme::light),
                              draw_page(page, format, 1.0, Theme::dark),
                              kind,
                              description);
    std::string out;
    for (const auto& [theme, ground] : {std::pair{Theme::light, "light"}, {Theme::dark, "dark"}})
        out += fmt::format("<img class=\"{} on-{}\" alt=\"{}\" src=\"data:image/png;base64,{}\">\n",
                           kind,
                           ground,
                           markup_text(description),
                           base64(draw_page(page, format, 2.0, theme)));
    return out;
}

std::string panel_figure(PlotPage page, const std::string& description, PictureFormat format) {
    if (page.panels.empty()) return "";
    const std::size_t columns = page.columns > 0 ? page.columns : 2;
    std::string out = fmt::format("<figure class=\"panels\" style=\"--columns: {}\">\n",
                                  std::min(columns, page.panels.size()));
    for (std::unique_ptr<Panel>& panel : page.panels) {
        PlotPage own;
        own.panels.push_back(std::move(panel));
        out += picture_element(own, "panel", description, format);
    }
    return out + "</figure>\n";
}

UnitScale report_unit(const RunResult& result) {
    constexpr double kMegawattHour = 3.6e9;
    const std::string unit = energy_unit(result);
    if (unit != "J") return unit == "W" ? UnitScale{1e3, "kW"} : UnitScale{1.0, ""};
    // Single heliostats have the unit of the field.
    const UnitScale scale = energy_scale(total_energy(result).solar_power);
    return scale.factor > kMegawattHour ? UnitScale{kMegawattHour, "MWh"} : scale;
}

std::string flux_figures(const RunResult& result) {
    std::string out;
    for (const auto& map : joined_maps(result)) out += figure(*map);
    return out;
}

std::string map_figure(const TargetResult& target,
                       double full_scale,
                       Canvas& measure,
                       const std::optional<std::string>& label) {
    FluxPanelStyle style = map_style(full_scale);
    style.label = label;
    return "<figure>\n" + caption(FluxPanel(target, style, measure)) +
           map_picture(target, style, kMostPixelsOfMany, measure) + "</figure>\n";
}

namespace {

/// Returns the unit of the field's energy terms; that of single heliostats may be smaller.
UnitScale field_unit(const RunResult& result, const EnergyTerms& total) {
    constexpr double kMegawatt = 1e6;
    const std::string unit = energy_unit(result);
    if (unit == "J") return energy_scale(total.solar_power);
    if (unit == "W" && total.solar_power >= kMegawatt) return {kMegawatt, "MW"};
    return report_unit(result);
}

}  // namespace

std::string energy_waterfall(const RunResult& result) {
    const EnergyTerms total = total_energy(result);
    if (!(total.solar_power > 0.0)) return "<p>No sun fell on the field.</p>\n";
    const UnitScale unit = field_unit(result, total);
    const bool year = energy_unit(result) == "J";
    std::string out = "<div class=\"waterfall\">\n";
    double lost = 0.0;  // per cent of the solar power taken by the losses so far
    const auto add = [&](const EnergyTermInfo& info, double value, bool whole) {
        const double percent = 100.0 * value / total.solar_power;
        // Losses are cut off the right end; the target power remains.
        const double start = whole ? 0.0 : 100.0 - lost - percent;
        if (!whole) lost += percent;
        const std::string title = with_spaces(year ? energy_name(info.name) : info.name);
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
    const auto add_losses = [&] {
        for (const YearLoss& loss : year_losses()) {
            double sum = 0.0;
            for (const HeliostatResult& heliostat : result.heliostats) sum += heliostat.*loss.plan;
            if (sum != 0.0) add({loss.name, loss.report_description, nullptr}, sum, false);
        }
    };
    for (const EnergyTermInfo& info : energy_terms_of(result)) {
        const bool solar = info.member == &EnergyTerms::solar_power;
        const bool last = info.member == &EnergyTerms::target_power;
        if (last) add_losses();
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

}  // namespace

std::string origin_list(const OriginRows& rows) {
    std::string out = "<dl class=\"card\">\n";
    for (const auto& [key, value] : rows)
        out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", markup_text(key), markup_text(value));
    return out + "</dl>\n";
}

std::string make_slider(const std::vector<SliderStep>& steps, std::size_t shown) {
    std::string out = "<div id=\"steps\">\n";
    if (steps.size() > 1)
        out += fmt::format(
            "<div class=\"controls screen\"><label>Step <input id=\"step\" type=\"range\" "
            "min=\"0\" max=\"{}\" value=\"{}\"></label></div>\n",
            steps.size() - 1,
            shown);
    for (std::size_t i = 0; i < steps.size(); ++i)
        out += fmt::format("<div class=\"step\"{}>\n<h3>{}</h3>\n{}</div>\n",
                           i == shown ? "" : " hidden",
                           markup_text(steps[i].label),
                           steps[i].figures);
    return out + "</div>\n";
}

OriginRows common_origin(const Provenance& p) {
    return {
        {"Created", p.created},
        {"HelioRay", p.helioray_version + " (" + p.git_commit + ")"},
        {"Fingerprint", p.fingerprint},
        {"Scenario", p.scenario_file},
        {"Scenario SHA-256", p.scenario_sha256},
    };
}

OriginRows run_origin(const RunResult& result) {
    const Provenance& p = result.provenance;
    OriginRows rows = common_origin(p);
    rows.insert(
        rows.end(),
        {
            {"Light", light_text(result)},
            {"Sun", sun_text(p.sun_direction)},
            {"Field", field_extent_text(result)},
            {"Idle", idle_text(read_surroundings(result))},
            {"Rays", grouped(p.rays)},
            {"Seed", std::to_string(p.seed)},
            {"Device", device_text(p)},
            {"Processes", fmt::format("{} ({}), backend {}", p.world_size, p.launcher, p.backend)},
        });
    std::erase_if(rows, [](const auto& row) { return row.second.empty(); });
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
    constexpr size_t kLong = 48;  // longer texts have several lines
    std::string out = "<div class=\"card scroll\"><table><thead>";
    const auto add = [&](const std::vector<std::string>& cells, const char* element) {
        out += "<tr>";
        for (size_t i = 0; i < cells.size(); ++i)
            out += fmt::format("<{0}{1}>{2}</{0}>",
                               element,
                               i == 0                    ? " class=\"text\""
                               : !words[i]               ? ""
                               : cells[i].size() > kLong ? " class=\"words long\""
                                                         : " class=\"words\"",
                               markup_text(cells[i]));
        out += "</tr>\n";
    };
    add(headers, "th");
    out += "</thead><tbody>\n";
    for (const auto& row : rows) add(row, "td");
    return out + "</tbody></table></div>\n";
}

namespace {

/// Returns a quiet paragraph for each line.
std::string quiet_lines(const std::string& text) {
    std::string out;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        out += "<p class=\"quiet\">" + markup_text(line) + "</p>";
    return out;
}

}  // namespace

std::string report_page(const ReportPage& page) {
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0} - HelioRay report</title>\n<style>\n{1}{3}</style>\n</head>\n<body>\n<main>\n"
        "<header><div><h1>{0}</h1>{2}</div>"
        "<button id=\"theme\" class=\"screen\" type=\"button\">Light / dark</button></header>\n",
        markup_text(page.title),
        kReportStyle,
        quiet_lines(page.subtitle),
        themed_colors(page.body));
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
    page.body += plant_view(result);
    page.body += fmt::format(fmt::runtime(kFieldAndTable), year ? "energy" : "power");
    page.body += "<h2>Configuration</h2>\n<div class=\"card long\"><pre>" + markup_text(p.config) +
                 "</pre></div>\n";
    page.body += "<h2>How this was made</h2>\n" + origin_list(content.origin);
    const Surroundings surroundings = read_surroundings(result);
    page.script = "<script id=\"data\" type=\"application/json\">" +
                  report_data(result, content.quantities, surroundings) + "</script>\n" +
                  plant_view_data(result, surroundings);
    return report_page(page);
}

}  // namespace helioray

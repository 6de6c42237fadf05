// SPDX-License-Identifier: MIT
// The page around figures, map and table.
#include "raytracer/output/report/report_parts.h"
#include "raytracer/output/text_encoding.h"

#include <fmt/format.h>

namespace helioray {

namespace {

// {0}: what the terms are.
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

std::string card(const std::string& title, const std::string& big, const std::string& small) {
    return fmt::format(
        "<div class=\"card\"><h3>{}</h3><div class=\"big\">{}</div><p "
        "class=\"quiet\">{}</p></div>\n",
        markup_text(title),
        markup_text(big),
        markup_text(small));
}

std::string report_document(const ReportContent& content, const RunResult& result) {
    const Provenance& p = result.provenance;
    std::string out = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{0} - HelioRay report</title>\n<style>\n{1}</style>\n</head>\n<body>\n<main>\n"
        "<header><div><h1>{0}</h1><p class=\"quiet\">{2}</p></div>"
        "<button id=\"theme\" class=\"screen\" type=\"button\">Light / dark</button></header>\n",
        markup_text(content.title),
        kReportStyle,
        markup_text(content.subtitle));
    out += "<section class=\"cards\">\n" + content.cards + "</section>\n";
    out += "<h2>" + markup_text(content.figures_title) + "</h2>\n" + content.figures;
    out += "<section>\n<h2>Energy</h2>\n<div class=\"card\">\n" + energy_waterfall(result) +
           "</div>\n</section>\n";
    const bool year = energy_unit(result) == "J";
    out += fmt::format(fmt::runtime(kFieldAndTable), year ? "energy" : "power");
    out += "<h2>Configuration</h2>\n<div class=\"card long\"><pre>" + markup_text(p.config) +
           "</pre></div>\n";
    out += "<h2>How this was made</h2>\n" + origin_list(content);
    out += "<footer>" + markup_text(origin_text(p)) + "</footer>\n</main>\n";
    out += "<script id=\"data\" type=\"application/json\">" +
           report_data(result, content.quantities) + "</script>\n";
    out += std::string("<script>\n") + kReportScript + "</script>\n</body>\n</html>\n";
    return out;
}

}  // namespace helioray

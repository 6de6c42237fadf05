// SPDX-License-Identifier: MIT
// Flux maps with cuts, and the waterfall of energy.
#include "raytracer/output/cut_panel.h"
#include "raytracer/output/flux_panel.h"
#include "raytracer/output/heliostat_quantity.h"
#include "raytracer/output/number_text.h"
#include "raytracer/output/plot_page.h"
#include "raytracer/output/report/report_parts.h"
#include "raytracer/output/summary.h"
#include "raytracer/output/text_encoding.h"

#include <fmt/format.h>

#include <algorithm>

namespace helioray {

namespace {

// Maps with very many pixels are averaged over blocks: nobody sees more on a screen.
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
    const TargetResult shown = for_screen(t);
    Canvas measure;
    FluxPanelStyle style;
    style.contours = true;
    style.mark_cuts = true;
    style.shrink = 0.9;
    style.full_scale = largest_flux(t);
    PlotPage map;
    map.panels.push_back(std::make_unique<FluxPanel>(shown, style, measure));
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
                            const std::string& description) {
    return fmt::format("<img class=\"{}\" alt=\"{}\" src=\"data:image/svg+xml;base64,{}\">\n",
                       kind,
                       markup_text(description),
                       base64(draw_page(page, PictureFormat::svg, 1.0)));
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
    double left = 0.0;  // percent from the left edge that losses have taken from the right
    for (const EnergyTermInfo& info : energy_term_infos()) {
        const double value = total.*info.member;
        const double percent = 100.0 * value / total.solar_power;
        const bool solar = info.member == &EnergyTerms::solar_power;
        const bool whole = solar || info.member == &EnergyTerms::target_power;
        // Losses are cut off the right end, target power is what is left.
        const double start = whole ? 0.0 : 100.0 - left - percent;
        if (!whole) left += percent;
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
    }
    return out + "</div>\n";
}

}  // namespace helioray

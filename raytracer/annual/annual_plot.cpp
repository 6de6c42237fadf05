// SPDX-License-Identifier: MIT
#include "raytracer/annual/annual_plot.h"

#include "raytracer/annual/energy_name.h"
#include "raytracer/annual/months_panel.h"
#include "raytracer/output/number_text.h"
#include "scenario/error.h"

#include <fmt/format.h>

namespace helioray {

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

std::vector<HeliostatQuantity> make_quantities() {
    std::vector<HeliostatQuantity> all = heliostat_quantities();
    for (HeliostatQuantity& quantity : all) {
        // What was power in a run is energy in a year.
        quantity.name = replaced(quantity.name, "_power", "_energy");
        quantity.title = replaced(quantity.title, "power", "energy");
        quantity.description = "Over the year: " + quantity.description;
        if (quantity.name == "target_energy") quantity.title = "Energy on the target";
    }
    return all;
}

}  // namespace

const std::vector<HeliostatQuantity>& annual_quantities() {
    static const std::vector<HeliostatQuantity> all = make_quantities();
    return all;
}

std::string year_text(const AnnualYield& yield) {
    const size_t count = yield.heliostats.size();
    return fmt::format("{}  ·  {} heliostat{}  ·  {} rays",
                       yield.irradiance,
                       grouped(static_cast<std::int64_t>(count)),
                       count == 1 ? "" : "s",
                       count_text(yield.provenance.rays));
}

PlotPage months_page(const AnnualYield& yield) {
    PlotPage page;
    page.title = scenario_title(yield.provenance, "Year");
    page.subtitle = year_text(yield);
    page.footer = origin_text(yield.provenance);
    Canvas measure;
    page.panels.push_back(std::make_unique<MonthsPanel>(yield, measure));
    return page;
}

const RunResult& plan_of(const AnnualYield& yield, const std::string& where) {
    if (yield.plan) return *yield.plan;
    throw InputError(Problem{where,
                             "the file does not say where the heliostats stand",
                             "an earlier version wrote it",
                             "run 'helioray annual' again"});
}

}  // namespace helioray

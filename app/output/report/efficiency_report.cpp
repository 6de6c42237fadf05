// SPDX-License-Identifier: MIT
// Creates the content of the report about an efficiency table.
#include "app/output/plot/drawing/flux_image.h"
#include "app/output/plot/sky_plot.h"
#include "app/output/report/report_parts.h"
#include "app/output/report/study_report.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/studies/efficiency/sky_coverage.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"
#include "scenario/files/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace helioray {

namespace {

constexpr std::size_t kMostMapsOfTable = 12;
constexpr double kSkyRadius = 160.0;

std::string degrees(double radians) {
    return fmt::format("{:.6g}°", radians / kRadiansPerDegree);
}

/// Returns a fraction in percent with two decimals; rounding errors below 0 are 0.
std::string fixed_percent(double share) {
    constexpr double kHalf = 0.5e-4;
    return fmt::format("{:.2f}", std::abs(share) < kHalf ? 0.0 : 100.0 * share);
}

/// Returns the entries that the sun reaches.
std::vector<std::size_t> lit_entries(const EfficiencyTable& table) {
    std::vector<std::size_t> entries;
    for (std::size_t i = 0; i < table.suns.size(); ++i)
        if (table.reached[i]) entries.push_back(i);
    return entries;
}

double largest(const EfficiencyTable& table, const std::vector<double>& values) {
    double found = 0.0;
    for (const std::size_t entry : lit_entries(table)) found = std::max(found, values[entry]);
    return found;
}

std::string make_cards(const EfficiencyTable& table) {
    const auto points = [](double share) { return significant(100.0 * share, 2) + " points"; };
    std::string out;
    const std::vector<std::size_t> entries = lit_entries(table);
    if (!entries.empty()) {
        const std::size_t best = *std::ranges::max_element(
            entries, {}, [&](std::size_t i) { return table.shares[i].target_power; });
        const auto [azimuth, elevation] = table.suns.sun(best);
        out += card("Highest efficiency",
                    fmt::format("{:.2f} %", 100.0 * table.shares[best].target_power),
                    fmt::format("azimuth {}, elevation {}", degrees(azimuth), degrees(elevation)));
    }
    out += card("Errors",
                "± " + points(largest(table, table.std_error)),
                fmt::format("from rays at most, ± {} from interpolation",
                            points(largest(table, table.interpolation_error))));
    out += card("Positions of the sun",
                grouped(static_cast<std::int64_t>(table.positions)),
                fmt::format("{} entries", table.suns.size()));
    return out + card("Heliostats",
                      grouped(table.heliostats),
                      fmt::format("{} m² of mirrors, {} rays",
                                  significant(table.mirror_area, 4),
                                  count_text(table.provenance.rays)));
}

/// Returns the normalised flux map of an entry as the map of a target.
TargetResult make_map(const EfficiencyTarget& target, std::size_t entry) {
    TargetResult map;
    map.target = target.target;
    map.width = target.width;
    map.height = target.height;
    map.unit = "1";
    const auto pixels = static_cast<std::ptrdiff_t>(target.width * target.height);
    const auto first = target.flux_share.begin() + static_cast<std::ptrdiff_t>(entry) * pixels;
    map.flux.assign(first, first + pixels);
    return map;
}

std::string make_maps(const EfficiencyTable& table) {
    const std::vector<std::size_t> entries = lit_entries(table);
    const std::size_t count = std::min(entries.size(), kMostMapsOfTable);
    std::vector<SliderStep> steps;
    Canvas measure;
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t entry = entries[count > 1 ? i * (entries.size() - 1) / (count - 1) : 0];
        const auto [azimuth, elevation] = table.suns.sun(entry);
        SliderStep step{fmt::format("Sun at azimuth {}, elevation {}: efficiency {:.2f} %",
                                    degrees(azimuth),
                                    degrees(elevation),
                                    100.0 * table.shares[entry].target_power),
                        {}};
        for (const EfficiencyTarget& target : table.targets) {
            const TargetResult map = make_map(target, entry);
            const double full = largest_flux(map);
            if (full > 0.0)
                step.figures += map_figure(map, full, measure, "Fraction of the power per pixel");
        }
        steps.push_back(std::move(step));
    }
    return make_slider(steps, steps.size() / 2);
}

std::string matrix(const EfficiencyTable& table) {
    std::vector<std::string> headers{"Elevation"};
    for (const double azimuth : table.suns.azimuths()) headers.push_back(degrees(azimuth));
    const auto& elevations = table.suns.elevations();
    std::vector<std::vector<std::string>> rows;
    for (std::size_t k = elevations.size(); k-- > 0;) {
        std::vector<std::string> row{degrees(elevations[k])};
        for (std::size_t i = 0; i < table.suns.azimuths().size(); ++i) {
            const std::size_t entry = i * elevations.size() + k;
            row.push_back(table.reached[entry]
                              ? fmt::format("{:.2f}", 100.0 * table.shares[entry].target_power)
                              : "");
        }
        rows.push_back(std::move(row));
    }
    return table_markup(headers, rows);
}

/// Returns the losses at the entries with the lowest, the middle and the highest efficiency.
std::string losses(const EfficiencyTable& table) {
    std::vector<std::size_t> entries = lit_entries(table);
    if (entries.empty()) return {};
    std::ranges::sort(entries, {}, [&](std::size_t i) { return table.shares[i].target_power; });
    const std::vector<std::size_t> shown{
        entries.front(), entries[entries.size() / 2], entries.back()};
    std::vector<std::string> headers{"% of the sun on the mirrors"};
    for (const char* name : {"Lowest efficiency", "Middle", "Highest efficiency"})
        headers.emplace_back(name);
    std::vector<std::vector<std::string>> rows{{"sun"}};
    for (const std::size_t entry : shown) {
        const auto [azimuth, elevation] = table.suns.sun(entry);
        rows.front().push_back(degrees(azimuth) + ", " + degrees(elevation));
    }
    const EnergyTerms shares = summed_shares(table);
    for (const EnergyTermInfo& term : energy_term_infos()) {
        if (term.member == &EnergyTerms::solar_power || !is_shown(term, shares)) continue;
        std::vector<std::string> row{
            term.member == &EnergyTerms::target_power ? "efficiency" : with_spaces(term.name)};
        for (const std::size_t entry : shown)
            row.push_back(fixed_percent(table.shares[entry].*term.member));
        rows.push_back(std::move(row));
    }
    return "<h2>Losses</h2>\n" + table_markup(headers, rows);
}

}  // namespace

std::string efficiency_report(const EfficiencyTable& table,
                              const std::optional<std::string>& title) {
    const Provenance& p = table.provenance;
    // On a small disc, texts have a readable size on narrow screens.
    PlotPage sky = sky_page(table, kSkyRadius);
    ReportPage page;
    page.title = title.value_or(scenario_title(p, "Efficiency"));
    page.subtitle = sky.subtitle;
    page.cards = make_cards(table);
    page.footer = origin_text(p);
    sky.title = sky.subtitle = sky.footer = "";
    std::vector<std::string> warnings = light_warnings(table);
    if (std::string warning = coverage_warning(table.suns, table.latitude); !warning.empty())
        warnings.push_back(std::move(warning));
    for (const std::string& warning : warnings)
        page.body += "<p class=\"warning\">Warning: " + markup_text(warning) + "</p>\n";
    page.body += "<h2>Efficiency</h2>\n<figure>\n" +
                 picture_element(sky, "sky", "Efficiency over the sky") + "</figure>\n";
    page.body += "<h2>Normalised flux</h2>\n" + make_maps(table);
    page.body += "<h2>Efficiency in % by azimuth and elevation of the sun</h2>\n" + matrix(table);
    page.body += losses(table);
    page.body += "<h2>Configuration</h2>\n<div class=\"card long\"><pre>" + markup_text(p.config) +
                 "</pre></div>\n";
    OriginRows rows = common_origin(p);
    rows.insert(rows.end(), {{"Rays", grouped(p.rays)}, {"Seed", std::to_string(p.seed)}});
    page.body += "<h2>How this was made</h2>\n" + origin_list(rows);
    return report_page(page);
}

}  // namespace helioray

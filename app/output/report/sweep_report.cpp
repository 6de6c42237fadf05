// SPDX-License-Identifier: MIT
// Creates the content of the report about a sweep.
#include "app/output/plot/panels/curve_panel.h"
#include "app/output/report/report_parts.h"
#include "app/output/report/study_report.h"
#include "app/output/summary/peak_text.h"
#include "scenario/files/number_text.h"
#include "scenario/files/text_encoding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace helioray {

namespace {

using sweep::StoredSweep;
using sweep::SweptColumn;
using sweep::SweptKey;
using sweep::SweptNumber;
using sweep::SweptTarget;

constexpr std::size_t kMostRows = 1000;
constexpr std::array<Color, 6> kColors{Color{0.0, 0.447, 0.698},
                                       Color{0.835, 0.369, 0.0},
                                       Color{0.0, 0.620, 0.451},
                                       Color{0.800, 0.475, 0.655},
                                       Color{0.902, 0.624, 0.0},
                                       Color{0.337, 0.706, 0.914}};

/// A number of every variant with its error, for graphs.
struct Quantity {
    std::string title, label;
    SweptNumber number;
    double factor;  // displayed = value * factor
};

std::vector<Quantity> find_quantities(const StoredSweep& table) {
    std::vector<Quantity> found;
    if (const SweptNumber efficiency = table.efficiency(); efficiency.values != nullptr)
        found.push_back({"Efficiency of the field", "Efficiency (%)", efficiency, 100.0});
    if (table.target_power() == nullptr) return found;
    for (const SweptTarget& target : table.targets())
        if (target.peak_flux.values != nullptr)
            found.push_back({"Peak flux on " + shortened(target.name, 24),
                             "Peak flux (kW/m²)",
                             target.peak_flux,
                             1e-3});
    return found;
}

/// Returns the last part of a key, "slope_error_mrad".
std::string short_name(const SweptKey& key) {
    return key.key.substr(key.key.rfind('.') + 1);
}

/// Returns the values of all keys but one, as the name of a curve.
std::string other_keys(const StoredSweep& table, std::size_t variant, const SweptKey& along) {
    std::vector<std::string> parts;
    for (const SweptKey& key : table.keys) {
        if (&key == &along) continue;
        parts.push_back(short_name(key) + " " + shortened(key.values[variant], 16));
    }
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::unique_ptr<Panel> make_graph(const StoredSweep& table,
                                  const SweptKey& along,
                                  const Quantity& quantity,
                                  Canvas& measure) {
    const std::set<double> sorted(along.numbers.begin(), along.numbers.end());
    CurveGraph graph;
    graph.places.assign(sorted.begin(), sorted.end());
    const double low = graph.places.front();
    const double high = graph.places.back();
    const double margin = 0.03 * (high - low);
    graph.steps = {nice_ticks(low - margin, high + margin, 8), along.key, [=](double at) {
                       return (at - low + margin) / (high - low + 2.0 * margin);
                   }};
    graph.title = quantity.title;
    graph.subtitle = quantity.number.errors != nullptr ? "bars: ± 1 standard error" : "";
    graph.label = quantity.label;
    graph.from_zero = false;
    graph.width = kGraphWidth;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    std::vector<StepCurve> curves;
    std::map<std::string, std::size_t> curve_of;
    for (std::size_t variant = 0; variant < table.size(); ++variant) {
        const std::string name = other_keys(table, variant, along);
        if (!curve_of.contains(name)) {
            if (curves.size() == kColors.size()) continue;
            curve_of[name] = curves.size();
            const std::vector<double> none(graph.places.size(), kNone);
            curves.push_back({name, none, none, kColors[curves.size()]});
        }
        StepCurve& curve = curves[curve_of[name]];
        const auto place = static_cast<std::size_t>(
            std::ranges::lower_bound(graph.places, along.numbers[variant]) - graph.places.begin());
        curve.values[place] = quantity.factor * quantity.number.values->numbers[variant];
        if (quantity.number.errors != nullptr)
            curve.errors[place] = quantity.factor * quantity.number.errors->numbers[variant];
    }
    return std::make_unique<CurvePanel>(std::move(graph), std::move(curves), measure);
}

std::string make_graphs(const StoredSweep& table) {
    std::string out;
    Canvas measure;
    for (const SweptKey& key : table.keys) {
        const std::set<double> different(key.numbers.begin(), key.numbers.end());
        if (different.size() < 2) continue;
        out += "<figure>\n";
        for (const Quantity& quantity : find_quantities(table)) {
            PlotPage page;
            page.panels.push_back(make_graph(table, key, quantity, measure));
            out += picture_element(page, "graph", quantity.title + " by " + key.key);
        }
        out += "</figure>\n";
    }
    return out;
}

/// Returns "key value, key value" of a variant.
std::string settings_text(const StoredSweep& table, std::size_t variant) {
    std::vector<std::string> parts;
    for (const SweptKey& key : table.keys)
        parts.push_back(fmt::format("{} {}", short_name(key), shortened(key.values[variant], 40)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string make_cards(const StoredSweep& table) {
    std::string out = card("Variants", grouped(std::ssize(table.fingerprints)), "");
    const auto add_best = [&](const char* title, const SweptColumn* column, const auto& text_of) {
        if (column == nullptr) return;
        const auto largest = std::ranges::max_element(column->numbers);
        const auto variant = static_cast<std::size_t>(largest - column->numbers.begin());
        out += card(title, text_of(*largest), settings_text(table, variant));
    };
    add_best("Highest efficiency", table.efficiency().values, [](double efficiency) {
        return fmt::format("{:.2f} %", 100.0 * efficiency);
    });
    add_best("Highest power", table.target_power(), [](double power) { return power_text(power); });
    return out;
}

/// A column of the table with the numbers of the variants.
struct ShownColumn {
    std::string header;
    const SweptColumn* values;
    double factor;  // displayed = value * factor
    int digits;
};

std::vector<ShownColumn> choose_columns(const StoredSweep& table) {
    constexpr int kDigits = 5;
    constexpr int kErrorDigits = 2;
    std::vector<ShownColumn> shown;
    const auto add = [&](const SweptColumn* column, std::string header, double factor, int digits) {
        if (column != nullptr) shown.push_back({std::move(header), column, factor, digits});
    };
    add(table.efficiency().values, "Efficiency (%)", 100.0, kDigits);
    add(table.efficiency().errors, "± (%)", 100.0, kErrorDigits);
    add(table.target_power(), "Power (kW)", 1e-3, kDigits);
    // Model artist may have numbers without a unit.
    const bool is_power = table.target_power() != nullptr;
    const double factor = is_power ? 1e-3 : 1.0;
    const std::string kilowatts = is_power ? " (kW)" : "";
    const std::string unit = is_power ? " (kW/m²)" : "";
    for (const SweptTarget& target : table.targets()) {
        const std::string name = shortened(target.name, 24);
        add(target.power.values, "Power on " + name + kilowatts, factor, kDigits);
        add(target.power.errors, "±" + kilowatts, factor, kErrorDigits);
        add(target.peak_flux.values, "Peak flux on " + name + unit, factor, kDigits);
        add(target.peak_flux.errors, "±" + unit, factor, kErrorDigits);
    }
    return shown;
}

std::string make_table(const StoredSweep& table) {
    std::vector<std::string> headers{"Variant"};
    for (const SweptKey& key : table.keys) headers.push_back(key.key);
    const std::vector<ShownColumn> shown = choose_columns(table);
    for (const ShownColumn& column : shown) headers.push_back(column.header);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t variant = 0; variant < std::min(table.size(), kMostRows); ++variant) {
        std::vector<std::string> row{std::to_string(variant)};
        for (const SweptKey& key : table.keys) row.push_back(shortened(key.values[variant], 40));
        for (const ShownColumn& column : shown)
            row.push_back(
                significant(column.factor * column.values->numbers[variant], column.digits));
        rows.push_back(std::move(row));
    }
    std::string out = table_markup(headers, rows);
    if (table.size() > kMostRows)
        out += fmt::format("<p class=\"quiet\">The first {} of {} variants.</p>\n",
                           kMostRows,
                           grouped(std::ssize(table.fingerprints)));
    return out;
}

}  // namespace

std::string sweep_report(const StoredSweep& table,
                         const std::string& name,
                         const std::optional<std::string>& title) {
    ReportPage page;
    page.title = title.value_or(name);
    std::vector<std::string> keys;
    for (const SweptKey& key : table.keys) keys.push_back(key.key);
    page.subtitle = fmt::format("Variants of {}", fmt::join(keys, ", "));
    page.cards = make_cards(table);
    const std::string graphs = make_graphs(table);
    if (!graphs.empty()) page.body += "<h2>By key</h2>\n" + graphs;
    page.body += "<h2>Variants</h2>\n" + make_table(table);
    page.footer =
        "All variants have the same random numbers, so that differences between them are more "
        "accurate than the single numbers.";
    return report_page(page);
}

}  // namespace helioray

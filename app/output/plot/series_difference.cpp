// SPDX-License-Identifier: MIT
// Draws the difference of two series.
#include "app/output/plot/series_difference.h"

#include "app/output/plot/drawing/panel_style.h"
#include "app/output/plot/flux_difference.h"
#include "app/output/plot/panels/curve_panel.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/plot/panels/row_panel.h"
#include "app/output/plot/panels/step_axis.h"
#include "app/output/summary/text_table.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray {

namespace {

constexpr double kWideGraph = 760.0;
constexpr double kMapShrink = 0.38;
constexpr std::size_t kMostMaps = 4;

std::string in_std_errors(double value, double error) {
    return error > 0.0 ? fmt::format("{:+.1f}", value / error) : "-";
}

}  // namespace

SeriesDifference series_difference(const NamedSeries& first, const NamedSeries& second) {
    const std::size_t count = first.series.steps.size();
    if (second.series.steps.size() != count)
        throw InputError(Problem{first.name,
                                 fmt::format("{} has {} and {} has {}",
                                             first.name,
                                             counted(count, "step"),
                                             second.name,
                                             counted(second.series.steps.size(), "step")),
                                 "series are compared step by step",
                                 "choose one step of both with --time"});
    const std::vector<double> instants = step_instants(first.series);
    const std::vector<double> others = step_instants(second.series);
    if (!instants.empty() && !others.empty() && instants != others)
        throw InputError(Problem{first.name,
                                 "the steps have other times than those of " + second.name,
                                 "series are compared step by step",
                                 "choose one step of both with --time"});
    SeriesDifference difference;
    for (std::size_t step = 0; step < count; ++step) {
        difference.power_w.push_back(first.series.power(step) - second.series.power(step));
        difference.std_error_w.push_back(
            std::hypot(power_std_error(first.series, step), power_std_error(second.series, step)));
    }
    return difference;
}

PlotPage series_difference_page(const NamedSeries& first,
                                const NamedSeries& second,
                                const std::vector<std::string>& targets) {
    const SeriesDifference difference = series_difference(first, second);
    PlotPage page;
    const std::string a = scenario_title(first.series.provenance, "Series");
    const std::string b = scenario_title(second.series.provenance, "series");
    page.title = a == b ? "Difference of two series of " + a : a + " minus " + b;
    page.subtitle =
        fmt::format("{} minus {}\n{}", first.name, second.name, series_summary_text(first.series));
    page.footer =
        origin_text(first.series.provenance) + "  −  " + second.series.provenance.fingerprint;
    page.columns = 1;

    double largest = 0.0;
    for (const double watts : difference.power_w) largest = std::max(largest, std::abs(watts));
    const UnitScale scale = power_scale(largest);
    StepCurve curve{"difference", difference.power_w, difference.std_error_w, panel_style::kCurve};
    for (double& value : curve.values) value /= scale.factor;
    for (double& error : curve.errors) error /= scale.factor;
    StepAxis steps = make_step_axis(first.series, kWideGraph);
    CurveGraph graph;
    graph.title = "Difference of the power on the targets";
    graph.subtitle = "bars: ± 1 standard error of the difference of independent runs";
    graph.label = fmt::format("Difference ({})", scale.unit);
    graph.steps = std::move(steps.axis);
    graph.places = std::move(steps.places);
    graph.breaks = std::move(steps.breaks);
    graph.from_zero = true;
    graph.width = kWideGraph;
    Canvas measure;
    std::vector<StepCurve> curves;
    curves.push_back(std::move(curve));
    page.panels.push_back(
        std::make_unique<CurvePanel>(std::move(graph), std::move(curves), measure));

    std::vector<std::vector<FluxDifference>> maps;
    double reach = 0.0;
    const std::vector<std::size_t> chosen = choose_steps(first.series, kMostMaps);
    for (const std::size_t step : chosen) {
        maps.push_back(flux_differences(
            first.read_step(step), second.read_step(step), targets, first.name, second.name));
        for (const FluxDifference& map : maps.back())
            reach = std::max(reach, std::abs(map.largest));
    }
    for (std::size_t target = 0; target < maps.front().size(); ++target) {
        std::vector<std::unique_ptr<Panel>> row;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const FluxDifference& map = maps[i][target];
            FluxPanelStyle style;
            style.scale = FluxPanelStyle::Scale::difference;
            style.shrink = kMapShrink;
            style.full_scale = reach;
            style.title = short_step_name(first.series, chosen[i]);
            if (maps[i].size() > 1) *style.title += " on " + shortened(map.map.target.name, 20);
            style.subtitle =
                map.rms_in_std_errors
                    ? fmt::format("rms {} standard errors", significant(*map.rms_in_std_errors, 3))
                    : "";
            row.push_back(std::make_unique<OwnMapPanel>(map.map, style, measure));
        }
        page.panels.push_back(std::make_unique<RowPanel>(std::move(row)));
    }
    return page;
}

std::string series_difference_table(const NamedSeries& first, const NamedSeries& second) {
    const SeriesDifference difference = series_difference(first, second);
    TextTable table({{"step"},
                     {"time", Align::left},
                     {"power"},
                     {"other power"},
                     {"difference"},
                     {"± std error"},
                     {"in std errors"}});
    for (std::size_t step = 0; step < difference.power_w.size(); ++step) {
        table.add_row({std::to_string(step),
                       first.series.steps[step].time,
                       power_text(first.series.power(step)),
                       power_text(second.series.power(step)),
                       power_text(difference.power_w[step]),
                       power_text(difference.std_error_w[step]),
                       in_std_errors(difference.power_w[step], difference.std_error_w[step])});
    }
    return table.str();
}

}  // namespace helioray

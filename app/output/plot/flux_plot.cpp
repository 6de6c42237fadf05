// SPDX-License-Identifier: MIT
// Chooses targets and panels for pictures of flux.
#include "app/output/plot/flux_plot.h"

#include "app/output/plot/maps/joined_maps.h"
#include "app/output/plot/panels/cut_panel.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/summary/run_context.h"
#include "scenario/files/error.h"

#include <algorithm>
#include <memory>

namespace helioray {

namespace {

using DrawnMap = std::shared_ptr<const TargetResult>;

/// Returns the maps to draw. Named surfaces have separate maps; a named receiver has all of its
/// maps.
std::vector<DrawnMap> collect_target_maps(const RunResult& result, const PlotOptions& options) {
    const auto is_named = [&](const std::string& name) {
        return std::ranges::find(options.targets, name) != options.targets.end();
    };
    const std::vector<DrawnMap> all = joined_maps(result);
    std::vector<DrawnMap> drawn;
    if (!options.targets.empty()) {
        for (const TargetResult& target : result.targets)
            if (is_named(target.target.name)) drawn.emplace_back(DrawnMap(), &target);
        for (const DrawnMap& map : all)
            if (!map->target.receiver.empty() && is_named(map->target.receiver))
                drawn.push_back(map);
        return drawn;
    }
    for (const DrawnMap& map : all)
        if (options.all_targets || largest_flux(*map) > 0.0) drawn.push_back(map);
    return drawn.empty() ? all : drawn;
}

}  // namespace

void check_picture_path(const std::filesystem::path& picture) {
    picture_format(picture);
}

void check_targets(const RunResult& result,
                   const std::vector<std::string>& names,
                   const std::string& where) {
    std::vector<std::string> valid;
    for (const TargetResult& target : result.targets) valid.push_back(target.target.name);
    for (const ReceiverResult& receiver : receiver_results(result)) valid.push_back(receiver.name);
    std::vector<Problem> problems;
    for (const std::string& name : names) {
        if (std::count(valid.begin(), valid.end(), name) > 0) continue;
        problems.push_back(
            {where, "the result has no target '" + name + "'", "", suggest(name, valid)});
    }
    if (!problems.empty()) throw InputError(problems);
}

PlotPage flux_page(const RunResult& result, const PlotOptions& options) {
    check_targets(result, options.targets, "plot");
    const auto targets = collect_target_maps(result, options);
    FluxPanelStyle style;
    if (options.logarithmic) style.scale = FluxPanelStyle::Scale::logarithmic;
    style.contours = options.contours;
    style.mark_cuts = options.cuts;
    // Cuts are beside their map, so that a row is about as wide as a screen.
    style.shrink = targets.size() == 1   ? (options.cuts ? 0.8 : 1.0)
                   : targets.size() <= 4 ? 0.72
                                         : 0.58;
    double shared = 0.0;
    for (const DrawnMap& target : targets) shared = std::max(shared, largest_flux(*target));

    PlotPage page;
    page.title = options.title.value_or(scenario_title(result.provenance, "Flux"));
    page.subtitle = run_text(result);
    page.footer = origin_text(result.provenance);
    Canvas measure;
    for (const DrawnMap& target : targets) {
        const double reach = options.shared_scale ? shared : largest_flux(*target);
        style.full_scale = reach;
        // The page outlives joined maps.
        if (target.use_count() > 0)
            page.panels.push_back(std::make_unique<OwnMapPanel>(*target, style, measure));
        else
            page.panels.push_back(std::make_unique<FluxPanel>(*target, style, measure));
        if (!options.cuts) continue;
        for (const auto direction : {CutDirection::horizontal, CutDirection::vertical}) {
            page.panels.push_back(std::make_unique<CutPanel>(
                *target, direction, reach, style.scale, style.shrink, measure));
        }
    }
    constexpr size_t kWithCuts = 3;
    if (options.cuts) page.columns = kWithCuts;
    return page;
}

void plot_flux(const RunResult& result,
               const std::filesystem::path& picture,
               const PlotOptions& options) {
    check_picture_path(picture);
    if (result.targets.empty()) {
        throw InputError(Problem{picture.string(),
                                 "the result has no targets",
                                 "there is nothing to draw",
                                 "plot the result of a run"});
    }
    store_page(flux_page(result, options), picture, options.pixels_per_point);
}

}  // namespace helioray

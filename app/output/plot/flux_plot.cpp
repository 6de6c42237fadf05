// SPDX-License-Identifier: MIT
// Chooses targets and panels for pictures of flux.
#include "app/output/plot/flux_plot.h"

#include "app/output/plot/panels/cut_panel.h"
#include "app/output/plot/panels/flux_panel.h"
#include "app/output/summary/run_context.h"
#include "scenario/files/error.h"

#include <algorithm>

namespace helioray {

namespace {

std::vector<const TargetResult*> collect_target_maps(const RunResult& result,
                                                     const PlotOptions& options) {
    std::vector<const TargetResult*> drawn;
    for (const TargetResult& target : result.targets) {
        const bool named =
            std::count(options.targets.begin(), options.targets.end(), target.target.name) > 0;
        const bool wanted =
            options.targets.empty() ? options.all_targets || largest_flux(target) > 0.0 : named;
        if (wanted) drawn.push_back(&target);
    }
    if (drawn.empty()) {
        for (const TargetResult& target : result.targets) drawn.push_back(&target);
    }
    return drawn;
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
    for (const auto* target : targets) shared = std::max(shared, largest_flux(*target));

    PlotPage page;
    page.title = options.title.value_or(scenario_title(result.provenance, "Flux"));
    page.subtitle = run_text(result);
    page.footer = origin_text(result.provenance);
    Canvas measure;
    for (const auto* target : targets) {
        const double reach = options.shared_scale ? shared : largest_flux(*target);
        style.full_scale = reach;
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

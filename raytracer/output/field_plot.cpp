// SPDX-License-Identifier: MIT
#include "raytracer/output/field_plot.h"

#include "scenario/error.h"

namespace helioray {

PlotPage field_page(const RunResult& result, const HeliostatQuantity& quantity, FieldUnit unit) {
    if (result.heliostats.empty()) {
        throw InputError(Problem{"/heliostats",
                                 "the result has no heliostats",
                                 "there is nothing to draw",
                                 "plot the result of a run"});
    }
    PlotPage page;
    page.title = scenario_title(result.provenance, "Field");
    page.subtitle = run_text(result);
    page.footer = origin_text(result.provenance);
    Canvas measure;
    page.panels.push_back(std::make_unique<FieldPanel>(result, quantity, unit, measure));
    return page;
}

}  // namespace helioray

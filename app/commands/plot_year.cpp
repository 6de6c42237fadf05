// SPDX-License-Identifier: MIT
// The plot command for the yield of a year.
#include "app/commands/plot_options.h"
#include "raytracer/annual/annual_output.h"
#include "raytracer/annual/annual_plot.h"
#include "raytracer/output/field_plot.h"
#include "scenario/error.h"

#include <vector>

namespace helioray::app {

namespace {

/// Every option that belongs to flux maps at once.
void check_options(const PlotCommandOptions& options) {
    const PlotOptions& maps = options.maps;
    std::vector<Problem> problems;
    const auto refuse = [&](bool given, const char* option) {
        if (!given) return;
        problems.push_back({option,
                            "is not for the yield of a year",
                            "it holds energies, no flux maps and no steps",
                            "leave it out: a year is drawn by months, with --field as a plan"});
    };
    refuse(!options.time.empty(), "--time");
    refuse(!options.other.empty(), "--difference");
    refuse(!options.scale.empty(), "--scale");
    refuse(maps.shared_scale, "--shared-scale");
    refuse(maps.all_targets, "--all-targets");
    refuse(maps.contours, "--contours");
    refuse(maps.cuts, "--cuts");
    refuse(!maps.targets.empty(), "--target");
    if (!problems.empty()) throw InputError(std::move(problems));
}

PlotPage field_of_year(const PlotCommandOptions& options,
                       const AnnualYield& yield,
                       const HeliostatQuantity& quantity) {
    // As shares these two would say what the efficiency does.
    const bool whole = quantity.name.ends_with("_energy");
    const FieldUnit unit =
        field_unit(options, "energy", whole ? FieldUnit::power : FieldUnit::percent);
    return field_page(plan_of(yield, options.result), quantity, unit);
}

}  // namespace

int plot_year(const PlotCommandOptions& options) {
    check_options(options);
    const HeliostatQuantity* quantity =
        options.field.empty() ? nullptr
                              : &heliostat_quantity(options.field, "--field", annual_quantities());
    const AnnualYield yield = read_annual(options.result);
    PlotPage page =
        quantity != nullptr ? field_of_year(options, yield, *quantity) : months_page(yield);
    if (options.maps.title) page.title = *options.maps.title;
    store_page(page, options.picture, options.maps.pixels_per_point);
    print_picture(options);
    return 0;
}

}  // namespace helioray::app

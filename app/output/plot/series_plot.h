// SPDX-License-Identifier: MIT
// Draws a series as a whole: power and efficiency over its steps, and the flux maps of chosen
// steps beside each other.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "app/output/plot/flux_plot.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/results/result_file.h"
#include "raytracer/results/series/series.h"
#include "raytracer/results/series/series_energy.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace helioray {

/// Returns at most `most` (>= 2) steps, ascending, spread over the series; the step with the
/// highest power is one of them.
std::vector<std::size_t> choose_steps(const SeriesResult& series, std::size_t most);

/// Returns a graph of the power on the targets with standard errors, also by target if there are
/// several.
std::unique_ptr<Panel> power_graph(const SeriesResult& series, double width, Canvas& measure);

/// Returns a graph of the efficiency of the field: power on targets over the irradiance on the area
/// of all mirrors.
std::unique_ptr<Panel> efficiency_graph(const SeriesResult& series, double width, Canvas& measure);

/// Returns the largest pixel of a target in all steps, in the unit of its maps.
double largest_flux(const SeriesTarget& target);

/// Returns "Energy of the day 12.3 MWh (± 0.1 % from rays, ± 0.4 % from steps)" for each day; empty
/// without times. Of more than three days, it gives the number and the sum.
std::string energy_of_days_text(const SeriesResult& series);

/// Returns lines with the span of time, the number of steps and heliostats, the rays, and the
/// energy.
std::string series_summary_text(const SeriesResult& series);

/// Returns the page of a series: graphs of power and efficiency, and maps of chosen steps, on one
/// scale for each target. Throws InputError for unknown targets, and for options.cuts, which only
/// single steps have.
PlotPage series_page(const SeriesResult& series,
                     const ReadStep& read_step,
                     const PlotOptions& options = {});

/// Returns the quantities of heliostats with the names of energies: efficiency, solar_energy, the
/// losses, target_energy, target_energy_std_error. `period` is for descriptions: "the day".
std::vector<HeliostatQuantity> energy_quantities(const std::string& period);

/// Returns the quantities of series_plan(): energies, or powers that are means over the steps.
std::vector<HeliostatQuantity> series_quantities(const SeriesResult& series);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Parts from which reports are built.
#pragma once

#include "app/output/plot/drawing/plot_page.h"
#include "app/output/summary/run_context.h"
#include "raytracer/results/heliostat_quantity.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/files/number_text.h"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// Width of each of several graphs beside each other, points.
inline constexpr double kGraphWidth = 320.0;

/// Contents of the style sheets and scripts of reports.
extern const char* const kReportStyle;
extern const char* const kReportScript;

/// Returns a figure with a picture of each panel in the columns of the page (2 by default), in
/// fewer on narrow screens.
std::string panel_figure(PlotPage page, const std::string& description, PictureFormat format);

/// Returns the data of the script, as JSON that is safe inside a script element: quantities with
/// titles and meanings, targets with their plan, heliostats as columns (W, fractions, metres),
/// outlines seen from above, bodies and heliostats that are off, colours. `quantities` are those of
/// the map and the table.
std::string report_data(const RunResult& result,
                        const std::vector<HeliostatQuantity>& quantities,
                        const Surroundings& surroundings = {});

/// Returns the unit of energy terms in reports: kW, kWh or MWh for days and years, no unit for rays
/// of model artist.
UnitScale report_unit(const RunResult& result);

/// Returns figures of all targets: map with contours and both cuts, as pictures inside the page.
std::string flux_figures(const RunResult& result);

/// Returns the figure of one map with contours on a scale up to `full_scale` (unit of the map).
/// `label` is that of the colours; empty: that of flux.
std::string map_figure(const TargetResult& target,
                       double full_scale,
                       Canvas& measure,
                       const std::optional<std::string>& label = {});

/// Returns solar power, losses and target power of the field as bars below each other.
std::string energy_waterfall(const RunResult& result);

/// Returns the picture, SVG or PNG, as elements that include its glyphs and pixels: one for light
/// pages and one for dark ones. `kind` is their class.
std::string picture_element(const PlotPage& page,
                            const std::string& kind,
                            const std::string& description,
                            PictureFormat format = PictureFormat::svg);

/// Keys and values as plain text.
using OriginRows = std::vector<std::pair<std::string, std::string>>;

/// Returns the program and the scenario of a result.
OriginRows common_origin(const Provenance& p);

/// Returns the keys and values as a list.
std::string origin_list(const OriginRows& rows);

/// The pictures of one step behind a slider.
struct SliderStep {
    std::string label;    ///< plain text above the pictures
    std::string figures;  ///< markup
};

/// Returns a slider that shows the pictures of one step; without scripts only step `shown` is
/// visible.
std::string make_slider(const std::vector<SliderStep>& steps, std::size_t shown);

/// Returns the provenance of a run: common_origin(), light, field, rays and machine.
OriginRows run_origin(const RunResult& result);

/// Returns a box with one large text. All arguments are plain text.
std::string card(const std::string& title, const std::string& big, const std::string& small);

/// The parts in which reports of runs and years differ. Titles are plain text, the rest is markup.
struct ReportContent {
    std::string title, subtitle;
    std::string cards;
    std::string figures_title, figures;
    std::vector<HeliostatQuantity> quantities;
    OriginRows origin;
    std::vector<std::string> warnings;  ///< plain text
};

/// The content of any page: a title and markup below it. Titles are plain text.
struct ReportPage {
    std::string title, subtitle;
    std::string cards;   ///< markup; empty: none
    std::string body;    ///< markup
    std::string footer;  ///< plain text
    std::string script;  ///< markup before the script, with the data for it
};

/// Returns the whole document with style and script.
std::string report_page(const ReportPage& page);

/// Returns a table of texts. Numbers are aligned to the right, words to the left. The first column
/// contains names.
std::string table_markup(const std::vector<std::string>& headers,
                         const std::vector<std::vector<std::string>>& rows);

/// Returns the whole document: cards, figures, energy, field and heliostats, configuration,
/// provenance.
std::string report_document(const ReportContent& content, const RunResult& result);

}  // namespace helioray

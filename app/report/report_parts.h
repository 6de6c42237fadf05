// SPDX-License-Identifier: MIT
// Pieces that reports are made of.
#pragma once

#include "app/plot/plot_page.h"
#include "raytracer/job/result.h"
#include "raytracer/results/heliostat_quantity.h"
#include "scenario/files/number_text.h"

#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// report.css and report.js.
extern const char* const kReportStyle;
extern const char* const kReportScript;

/// The data of the script, as JSON that is safe inside a script element: quantities with titles and
/// meanings, targets with their plan, heliostats as columns (W, shares of 1, metres),
/// outlines seen from above, colours. `quantities` are those of the map and the table.
std::string report_data(const RunResult& result, const std::vector<HeliostatQuantity>& quantities);

/// The unit of energy terms in reports: kW, for a year MWh, for rays of model artist nothing.
UnitScale report_unit(const RunResult& result);

/// Figures of all targets: map with contours and both cuts, as pictures inside the page.
std::string flux_figures(const RunResult& result);

/// Solar power, losses and target power of the field as bars below each other.
std::string energy_waterfall(const RunResult& result);

/// The picture, SVG or PNG, as an element; its glyphs and pixels are part of it. `kind` is its
/// class.
std::string picture_element(const PlotPage& page,
                            const std::string& kind,
                            const std::string& description,
                            PictureFormat format = PictureFormat::svg);

/// Keys and values, plain text.
using OriginRows = std::vector<std::pair<std::string, std::string>>;

/// How a result was made: by which program, from which scenario.
OriginRows common_origin(const Provenance& p);

/// How a run was made: common_origin(), sun, rays and machine.
OriginRows run_origin(const Provenance& p);

/// A box with one large text. All are plain text.
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

/// A page of its own content: a title and markup below it. Titles are plain text.
struct ReportPage {
    std::string title, subtitle;
    std::string cards;   ///< markup; empty: none
    std::string body;    ///< markup
    std::string footer;  ///< plain text
    std::string script;  ///< markup before the script; the data that it works on
};

/// The whole document with style and script.
std::string report_page(const ReportPage& page);

/// A table of texts: numbers stand to the right of their columns, words to the left. The first
/// column holds names.
std::string table_markup(const std::vector<std::string>& headers,
                         const std::vector<std::vector<std::string>>& rows);

/// The whole document: cards, figures, energy, field and heliostats, configuration, origin.
std::string report_document(const ReportContent& content, const RunResult& result);

}  // namespace helioray

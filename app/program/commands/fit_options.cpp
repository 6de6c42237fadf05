// SPDX-License-Identifier: MIT
// Adds options of surface fits and prints their reports.
#include "app/program/commands/fit_options.h"

#include "scenario/files/number_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace helioray::app {

std::array<int64_t, 2> FitOptions::control_point_counts() const {
    return {control_points.front(), control_points.back()};
}

SurfaceFitOptions FitOptions::surface_fit() const {
    SurfaceFitOptions options;
    options.num_control_points = control_point_counts();
    options.data = data == "points"    ? FitData::points
                   : data == "normals" ? FitData::normals
                                       : FitData::both;
    options.region = region == "measured" ? FitRegion::measured : FitRegion::facet;
    options.every = every;
    if (!noise.empty()) {
        options.height_noise = 1e-6 * noise[0];
        options.slope_noise = 1e-3 * noise[1];
    }
    return options;
}

void add_fit_options(Command command, FitOptions& options) {
    command
        .add_option("--control-points",
                    options.control_points,
                    "Control points of each facet per direction, or along east and north "
                    "(default 10)")
        .type_name("N[,M]")
        .delimiter(',')
        .expected(1, 2)
        .range(4, 1000);
    command
        .add_option("--fit",
                    options.data,
                    "Measurements to fit surfaces to: points, normals or both (default)")
        .type_name("WHAT")
        .accept_only({"points", "normals", "both"});
    command
        .add_option("--region",
                    options.region,
                    "Extent of fitted facets: the whole facet (default), or the rectangle around "
                    "the measured points")
        .type_name("facet|measured")
        .accept_only({"facet", "measured"});
    command.add_option("--every", options.every, "Use every N-th measured sample (default 1)")
        .type_name("N")
        .range(1, 1'000'000);
    command
        .add_option("--noise",
                    options.noise,
                    "Standard deviations of heights in um and slopes in mrad, the weights of "
                    "'both' (default: from the residuals)")
        .type_name("UM,MRAD")
        .delimiter(',')
        .expected(2)
        .positive();
}

std::string describe_worst_fits(const std::vector<FacetFit>& fits) {
    size_t samples = 0, unseen = 0;
    double height = 0.0, slope = 0.0, coverage = 1.0;
    for (const FacetFit& fit : fits) {
        samples += fit.num_samples;
        unseen += fit.num_unseen;
        height = std::max(height, fit.rms_height);
        slope = std::max(slope, fit.rms_slope);
        coverage = std::min(coverage, fit.coverage);
    }
    std::string text = fmt::format(
        "{} facets fitted to {} samples, residuals up to {} um in height and {} mrad in slope, at "
        "least {:.1f} % of each facet measured",
        fits.size(),
        grouped(static_cast<int64_t>(samples)),
        significant(1e6 * height, 3),
        significant(1e3 * slope, 3),
        100.0 * coverage);
    if (unseen > 0) {
        text += fmt::format(", {} control points follow from smoothness alone", unseen);
    }
    return text;
}

nlohmann::json fits_json(const std::vector<FacetFit>& fits) {
    nlohmann::json list = nlohmann::json::array();
    for (const FacetFit& fit : fits) {
        list.push_back({{"facet", fit.facet},
                        {"samples", fit.num_samples},
                        {"samples_outside", fit.num_outside},
                        {"rms_height_m", fit.rms_height},
                        {"rms_slope_rad", fit.rms_slope},
                        {"coverage", fit.coverage},
                        {"unseen_control_points", fit.num_unseen}});
    }
    return list;
}

}  // namespace helioray::app

// SPDX-License-Identifier: MIT
// Options of commands that fit surfaces to measurements.
#pragma once

#include "app/program/common/command.h"
#include "raytracer/solvers/surface_fit/fit_surface.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <string>
#include <vector>

namespace helioray::app {

struct FitOptions {
    std::vector<int64_t> control_points{10};  ///< one number, or one for each direction
    std::string data = "both";
    std::string region = "facet";
    int64_t every = 1;
    std::vector<double> noise;  ///< noise of points (micrometres) and normals (milliradians)

    std::array<int64_t, 2> control_point_counts() const;
    SurfaceFitOptions surface_fit() const;
};

/// Adds --control-points, --fit, --region, --every and --noise.
void add_fit_options(Command command, FitOptions& options);

/// Returns one line about the fits of a heliostat: the number of facets and the largest residuals.
std::string describe_worst_fits(const std::vector<FacetFit>& fits);

/// Returns the fits of all facets of a heliostat for --json.
nlohmann::json fits_json(const std::vector<FacetFit>& fits);

}  // namespace helioray::app

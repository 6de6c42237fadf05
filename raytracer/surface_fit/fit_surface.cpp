// SPDX-License-Identifier: MIT
// Mirror surfaces from measured points and normals.
#include "raytracer/surface_fit/fit_surface.h"

#include "raytracer/output/number_text.h"
#include "raytracer/surface_fit/facet_samples.h"
#include "raytracer/surface_fit/height_spline.h"
#include "scenario/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray {

namespace {

// Where heights do not count they still hold the spline's one open constant.
constexpr double kHoldingWeight = 1e-9;
// Noise below these cannot be told from rounding of float32 files.
constexpr double kLeastHeightNoise = 1e-7;  // metres
constexpr double kLeastSlopeNoise = 1e-7;   // radians
// Weights where one kind of sample alone does not determine the surface.
constexpr double kUsualHeightNoise = 1e-4;  // metres
constexpr double kUsualSlopeNoise = 1e-3;   // radians

std::vector<double> require(std::vector<double> heights, const std::string& where) {
    if (heights.empty()) {
        throw InputError(Problem{where,
                                 "the samples do not determine a surface",
                                 "they lie on a line or at one point",
                                 "check the file"});
    }
    return heights;
}

std::vector<double> fit_normals(const HeightSpline& spline, const std::string& where) {
    std::vector<double> heights = require(spline.solve(kHoldingWeight, 1.0), where);
    const double shift = spline.residuals(heights).mean_height;
    for (double& height : heights) height += shift;
    return heights;
}

std::vector<double> fit_points(const HeightSpline& spline, const std::string& where) {
    return require(spline.solve(1.0, 0.0), where);
}

/// Standard deviation from the residuals of `equations` with `unknowns`.
double noise(double rms, double equations, double unknowns, double least) {
    return std::max(least, rms * std::sqrt(equations / std::max(1.0, equations - unknowns)));
}

std::vector<double> fit_both(const HeightSpline& spline,
                             const SurfaceFitOptions& options,
                             const std::string& where,
                             FacetFit& fit) {
    const auto samples = static_cast<double>(fit.num_samples);
    const auto unknowns =
        static_cast<double>(options.num_control_points[0] * options.num_control_points[1]);
    // Residuals tell the noise only of what is well overdetermined.
    const bool enough = samples >= 2.0 * unknowns;
    fit.height_noise = options.height_noise.value_or(kUsualHeightNoise);
    fit.slope_noise = options.slope_noise.value_or(kUsualSlopeNoise);
    if (!options.height_noise && enough) {
        const double rms = spline.residuals(fit_points(spline, where)).height;
        fit.height_noise = noise(rms, samples, unknowns, kLeastHeightNoise);
    }
    if (!options.slope_noise && enough) {
        const double rms = spline.residuals(fit_normals(spline, where)).slope;
        fit.slope_noise = noise(rms, 2.0 * samples, unknowns, kLeastSlopeNoise);
    }
    // Weights relative to one of them keep the numbers near 1.
    const double ratio = fit.height_noise / fit.slope_noise;
    return require(spline.solve(1.0, ratio * ratio), where);
}

void require_samples(size_t samples, const SurfaceFitOptions& options, const std::string& where) {
    const auto unknowns =
        static_cast<size_t>(options.num_control_points[0] * options.num_control_points[1]);
    const size_t per_sample =
        options.data == FitData::points ? 1 : (options.data == FitData::normals ? 2 : 3);
    if (per_sample * samples >= unknowns) return;
    throw InputError(Problem{
        where,
        fmt::format("{} samples are too few for {} x {} control points",
                    samples,
                    options.num_control_points[0],
                    options.num_control_points[1]),
        fmt::format("they give {} equations for {} unknowns", per_sample * samples, unknowns),
        "choose fewer control points, or use more of the samples"});
}

Facet fit_facet(const MeasuredFacet& measured,
                const Facet& ideal,
                const SurfaceFitOptions& options,
                FacetFit& fit) {
    const FacetSamples facet = samples_in_facet_frame(measured, ideal, options);
    const std::string place = measured.where + " for " + ideal.name;
    require_samples(facet.samples.x.size(), options, place);
    fit.facet = ideal.name;
    fit.num_samples = facet.samples.x.size();
    fit.num_outside = facet.num_outside;
    fit.coverage = facet.coverage;

    const SplineGrid grid{facet.low, facet.high, options.num_control_points, options.degrees};
    const HeightSpline spline(grid, facet.samples);
    const std::vector<double> heights = options.data == FitData::points ? fit_points(spline, place)
                                        : options.data == FitData::normals
                                            ? fit_normals(spline, place)
                                            : fit_both(spline, options, place, fit);
    const HeightSpline::Residuals residuals = spline.residuals(heights);
    fit.rms_height = residuals.height;
    fit.rms_slope = residuals.slope;
    fit.num_unseen = spline.num_unseen();

    Facet fitted = ideal;
    fitted.shape = FacetShape::bspline;
    fitted.focal_length = 0.0;
    fitted.num_control_points = options.num_control_points;
    fitted.degrees = options.degrees;
    fitted.control_points.clear();
    const FacetFrame frame(ideal);
    const std::vector<double> x = grid.abscissae(0), y = grid.abscissae(1);
    for (size_t i = 0; i < x.size(); ++i) {
        for (size_t j = 0; j < y.size(); ++j) {
            const Vec3 point = frame.point_to_mirror({x[i], y[j], heights[i * y.size() + j]});
            fitted.control_points.insert(fitted.control_points.end(), point.begin(), point.end());
        }
    }
    return fitted;
}

}  // namespace

Surface fit_surface(const MeasuredSurface& measured,
                    const Surface& ideal,
                    const SurfaceFitOptions& options,
                    std::vector<FacetFit>* fits) {
    if (measured.facets.size() != ideal.facets.size()) {
        throw InputError(Problem{measured.facets.empty() ? "" : measured.facets.front().where,
                                 fmt::format("{} facets were measured, the heliostat has {}",
                                             measured.facets.size(),
                                             ideal.facets.size()),
                                 "a fitted surface needs all of them",
                                 "check that the file belongs to this heliostat"});
    }
    ReadLog log;
    Surface surface;
    for (size_t i = 0; i < ideal.facets.size(); ++i) {
        log.attempt([&] {
            FacetFit fit;
            surface.facets.push_back(fit_facet(measured.facets[i], ideal.facets[i], options, fit));
            if (fits) fits->push_back(fit);
        });
    }
    log.throw_if_any();
    // A surface of height 0 throughout would be read as ideal, and moved by its translation again;
    // a nanometre at one corner tells them apart.
    if (!surface.is_fitted()) surface.facets[0].control_points[2] = 1e-9;
    return surface;
}

std::string to_string(const FacetFit& fit) {
    std::string text = fmt::format("{}: {} samples, residuals {} um in height and {} mrad in slope",
                                   fit.facet,
                                   grouped(static_cast<int64_t>(fit.num_samples)),
                                   significant(1e6 * fit.rms_height, 3),
                                   significant(1e3 * fit.rms_slope, 3));
    if (fit.height_noise > 0.0) {
        text += fmt::format(", weighted with {} um and {} mrad",
                            significant(1e6 * fit.height_noise, 3),
                            significant(1e3 * fit.slope_noise, 3));
    }
    text += fmt::format(", {:.1f} % of the rectangle measured", 100.0 * fit.coverage);
    if (fit.num_unseen > 0) {
        text += fmt::format(", {} control points follow from smoothness alone", fit.num_unseen);
    }
    if (fit.num_outside > 0) {
        text += fmt::format(", {} points outside of it left out", fit.num_outside);
    }
    return text;
}

}  // namespace helioray

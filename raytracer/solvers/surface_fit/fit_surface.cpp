// SPDX-License-Identifier: MIT
// Fits mirror surfaces to measured points and normals.
#include "raytracer/solvers/surface_fit/fit_surface.h"

#include "raytracer/solvers/surface_fit/height_spline.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/error.h"
#include "scenario/files/number_text.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray {

namespace {

/// Samples of a facet that the fit uses.
struct FacetSamples {
    HeightSamples samples;
    std::array<double, 2> low{}, high{};  ///< corners of the rectangle, metres in the facet's frame
    size_t num_outside = 0;               ///< samples outside the rectangle
    double coverage = 0.0;                ///< measured fraction of the rectangle
};

constexpr double kMostOutside = 0.05;     // fraction of the samples
constexpr double kLeastCoverage = 0.5;    // fraction of the rectangle
constexpr double kLeastUp = 0.1;          // smallest component of a normal along the facet's normal
constexpr double kRoundingMargin = 1e-6;  // metres; rounding of points in float32 files
constexpr double kSamplesPerCell = 9.0;
constexpr size_t kMostCells = 64;  // number of cells along an axis

/// Returns the fraction of the cells of a raster over the rectangle that contain a sample. The
/// raster is coarse enough that evenly spread samples reach every cell.
double coverage(const FacetSamples& facet) {
    const HeightSamples& s = facet.samples;
    const auto cells = std::clamp(
        static_cast<size_t>(std::sqrt(static_cast<double>(s.x.size()) / kSamplesPerCell)),
        size_t{1},
        kMostCells);
    std::vector<bool> hit(cells * cells, false);
    const auto cell = [&](double x, size_t axis) {
        const double t = (x - facet.low[axis]) / (facet.high[axis] - facet.low[axis]);
        return std::min(cells - 1, static_cast<size_t>(t * static_cast<double>(cells)));
    };
    for (size_t i = 0; i < s.x.size(); ++i) hit[cell(s.x[i], 0) * cells + cell(s.y[i], 1)] = true;
    return static_cast<double>(std::count(hit.begin(), hit.end(), true)) /
           static_cast<double>(hit.size());
}

void choose_rectangle(const std::vector<Vec3>& points,
                      const Facet& facet,
                      FitRegion region,
                      FacetSamples& result) {
    if (region == FitRegion::facet) {
        result.high = {norm(facet.canting_e), norm(facet.canting_n)};
        result.low = {-result.high[0], -result.high[1]};
        return;
    }
    result.low.fill(std::numeric_limits<double>::infinity());
    result.high.fill(-std::numeric_limits<double>::infinity());
    for (const Vec3& p : points) {
        for (size_t axis = 0; axis < 2; ++axis) {
            result.low[axis] = std::min(result.low[axis], p[axis]);
            result.high[axis] = std::max(result.high[axis], p[axis]);
        }
    }
}

/// Returns a facet's frame relative to its mirror: e along canting_e, u perpendicular to both
/// canting vectors.
TargetFrame facet_frame(const Facet& facet) {
    return {canting_axes(facet), facet.translation};
}

/// Chooses the rectangle, converts the samples to its frame and thins them. Throws InputError if
/// more than 5 % of the samples lie outside the rectangle, if normals are nearly perpendicular to
/// the facet's own, or if less than half of the rectangle was measured.
FacetSamples samples_in_facet_frame(const MeasuredFacet& measured,
                                    const Facet& facet,
                                    const SurfaceFitOptions& options) {
    const TargetFrame frame = facet_frame(facet);
    std::vector<Vec3> points;
    for (const Vec3& p : measured.points) points.push_back(frame.point_to_frame(p));

    FacetSamples result;
    choose_rectangle(points, facet, options.region, result);
    const auto outside = [&](const Vec3& p, double margin) {
        return p[0] < result.low[0] - margin || p[0] > result.high[0] + margin ||
               p[1] < result.low[1] - margin || p[1] > result.high[1] + margin;
    };
    size_t steep = 0;
    HeightSamples& s = result.samples;
    for (size_t i = 0; i < points.size(); ++i) {
        const Vec3& p = points[i];
        if (outside(p, kRoundingMargin)) {
            ++result.num_outside;
            continue;
        }
        if (i % static_cast<size_t>(options.every) != 0) continue;
        const Vec3 normal = frame.direction_to_frame(measured.normals[i]);
        if (normal[2] < kLeastUp) {
            ++steep;
            continue;
        }
        s.x.push_back(std::clamp(p[0], result.low[0], result.high[0]));
        s.y.push_back(std::clamp(p[1], result.low[1], result.high[1]));
        s.z.push_back(p[2]);
        s.slope_x.push_back(-normal[0] / normal[2]);
        s.slope_y.push_back(-normal[1] / normal[2]);
    }

    const std::string place = measured.where + " for " + facet.name;
    if (steep > 0) {
        throw InputError(Problem{place,
                                 fmt::format("{} normals stand across the facet's own", steep),
                                 "a mirror is nearly even",
                                 "check the canting vectors and the order of the facets"});
    }
    const auto total = static_cast<double>(points.size());
    if (static_cast<double>(result.num_outside) > kMostOutside * total) {
        throw InputError(Problem{
            place,
            fmt::format(
                "{} of {} points lie outside of the facet", result.num_outside, points.size()),
            "they are expected in the frame of the whole mirror, facet by facet",
            "check that the file belongs to this heliostat; to take the rectangle around "
            "the points instead, ask for it (--region measured)"});
    }
    result.coverage = s.x.empty() ? 0.0 : coverage(result);
    if (result.coverage < kLeastCoverage) {
        throw InputError(
            Problem{place,
                    fmt::format("only {:.0f} % of the facet was measured", 100.0 * result.coverage),
                    "the rest of it would be a guess",
                    "to take the rectangle around the points instead, ask for it "
                    "(--region measured)"});
    }
    return result;
}

// Weight of the heights in a fit to slopes: it only determines the constant that slopes leave open.
constexpr double kHoldingWeight = 1e-9;
// Smallest noise; smaller values are rounding of float32 files.
constexpr double kLeastHeightNoise = 1e-7;  // metres
constexpr double kLeastSlopeNoise = 1e-7;   // radians
// Weights used if one kind of sample alone does not determine the surface.
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

/// Returns the standard deviation of the samples from the residuals of `equations` with `unknowns`.
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
    // Residuals measure the noise only in well overdetermined fits.
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
    // Relative weights keep the numbers near 1.
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
    const TargetFrame frame = facet_frame(ideal);
    const std::vector<double> x = grid.abscissae(0), y = grid.abscissae(1);
    for (size_t i = 0; i < x.size(); ++i) {
        for (size_t j = 0; j < y.size(); ++j) {
            const Vec3 point =
                along_axes(frame.origin, frame.axes, {x[i], y[j], heights[i * y.size() + j]});
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
        const Facet& facet = ideal.facets[i];
        if (facet.outline.kind != FacetOutlineKind::rectangle &&
            options.region != FitRegion::facet) {
            log.problem(measured.facets[i].where,
                        fmt::format("{} is not a rectangle", facet.name),
                        "its outline refers to the whole facet, not to the measured part",
                        "choose the region facet");
            continue;
        }
        log.attempt([&] {
            FacetFit fit;
            surface.facets.push_back(fit_facet(measured.facets[i], ideal.facets[i], options, fit));
            if (fits) fits->push_back(fit);
        });
    }
    log.throw_if_any();
    // A surface of height 0 throughout would be read as ideal and would be translated again; a
    // nanometre at one corner distinguishes them.
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

// SPDX-License-Identifier: MIT
// Fitted surfaces against the closed form that was sampled: exact samples, noisy ones, poor ones.
#include "raytracer/solvers/surface_fit/fit_surface.h"
#include "raytracer/tracing/surface/surface.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"
#include "tests/raytracer/tracing/kinematics/canted_facet.h"
#include "tests/support/catch2.h"

using namespace helioray;
using namespace helioray::test;

namespace {

/// Root mean squares of what a fitted facet differs from the truth, over a grid of its own.
struct Errors {
    double height = 0.0;  // metres, along the facet's normal
    double slope = 0.0;   // radians, per axis
    double largest_height = 0.0;
    double largest_slope = 0.0;
};

Errors errors_of(const Surface& surface, const CantedFacet& truth) {
    REQUIRE(surface.facets.size() == 1);
    REQUIRE(surface.is_fitted());
    // Parameters are linear in x and y: that is what the Greville abscissae are for.
    const int num = 37;
    const std::vector<FacetPoint> fitted =
        evaluate_facet(surface.facets[0], control_point_frame(surface), evaluation_grid(num, num));
    const Vec3 up = truth.to_mirror({0, 0, 1});
    Errors errors;
    for (int i = 0; i < num; ++i) {
        for (int j = 0; j < num; ++j) {
            const double x = truth.low[0] + (truth.high[0] - truth.low[0]) * i / (num - 1);
            const double y = truth.low[1] + (truth.high[1] - truth.low[1]) * j / (num - 1);
            const FacetPoint& at = fitted[static_cast<size_t>(i * num + j)];
            const Vec3 gap = subtract(at.point, truth.point(x, y));
            const double height = dot(gap, up);
            CHECK(norm(add_scaled(gap, -height, up)) < 1e-9);
            const double angle = norm(cross(at.normal, truth.normal(x, y)));
            errors.height += height * height;
            errors.slope += 0.5 * angle * angle;
            errors.largest_height = std::max(errors.largest_height, std::abs(height));
            errors.largest_slope = std::max(errors.largest_slope, angle);
        }
    }
    errors.height = std::sqrt(errors.height / (num * num));
    errors.slope = std::sqrt(errors.slope / (num * num));
    return errors;
}

Surface fit(const CantedFacet& truth,
            const MeasuredFacet& samples,
            const SurfaceFitOptions& options,
            FacetFit* report = nullptr) {
    std::vector<FacetFit> fits;
    const Surface surface =
        fit_surface(MeasuredSurface{{samples}}, Surface{{truth.ideal()}}, options, &fits);
    REQUIRE(fits.size() == 1);
    if (report) *report = fits[0];
    return surface;
}

SurfaceFitOptions with(FitData data) {
    SurfaceFitOptions options;
    options.data = data;
    return options;
}

std::string refusal(const MeasuredFacet& samples, const SurfaceFitOptions& options) {
    try {
        fit_surface(MeasuredSurface{{samples}}, Surface{{CantedFacet{}.ideal()}}, options, nullptr);
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("surface fit: exact samples give the surface back") {
    const CantedFacet truth;
    const FitData data = GENERATE(FitData::points, FitData::normals, FitData::both);
    INFO("data " << static_cast<int>(data));
    FacetFit report;
    const Surface surface = fit(truth, truth.measure(60), with(data), &report);
    const Errors errors = errors_of(surface, truth);
    CHECK(errors.largest_height < 1e-9);
    CHECK(errors.largest_slope < 1e-7);
    CHECK(report.rms_height < 1e-9);
    CHECK(report.rms_slope < 1e-7);
    CHECK(report.num_samples == 3600);
    CHECK(report.coverage == 1.0);
    CHECK(report.num_unseen == 0);
}

TEST_CASE("surface fit: a region off the facet's centre") {
    CantedFacet truth;
    truth.low = {-0.3, -0.2};
    truth.high = {0.75, 0.5};
    SurfaceFitOptions options = with(GENERATE(FitData::points, FitData::normals, FitData::both));
    MeasuredFacet samples = truth.measure(50);
    // Corners of the region, so that the rectangle around the points is the whole of it.
    for (const double x : {truth.low[0], truth.high[0]}) {
        for (const double y : {truth.low[1], truth.high[1]}) {
            samples.points.push_back(truth.point(x, y));
            samples.normals.push_back(truth.normal(x, y));
        }
    }
    options.region = FitRegion::measured;
    const Errors errors = errors_of(fit(truth, samples, options), truth);
    CHECK(errors.largest_height < 1e-9);
    CHECK(errors.largest_slope < 1e-7);

    // The whole facet would be a guess by two thirds.
    options.region = FitRegion::facet;
    CHECK_THAT(refusal(samples, options), ContainsSubstring("% of the facet was measured"));
}

TEST_CASE("surface fit: noisy heights") {
    const CantedFacet truth;
    const double sigma = 50e-6;
    FacetFit report;
    const Surface surface = fit(truth, truth.measure(80, sigma), with(FitData::points), &report);
    // 100 unknowns from 6400 heights. An estimate from n numbers errs by 1 / sqrt(2 n): 0.9 % of
    // the residual, 7 % of the surface's error.
    CHECK(report.rms_height == Approx(sigma * std::sqrt(1 - 100.0 / 6400)).epsilon(0.04));
    const double expected = sigma * std::sqrt(100.0 / 6400);
    const double error = errors_of(surface, truth).height;
    CHECK(error > 0.7 * expected);
    CHECK(error < 1.4 * expected);
}

TEST_CASE("surface fit: noisy slopes") {
    const CantedFacet truth;
    const double sigma = 0.3e-3;
    FacetFit report;
    const Surface surface =
        fit(truth, truth.measure(80, 0, sigma), with(FitData::normals), &report);
    CHECK(report.rms_slope == Approx(sigma * std::sqrt(1 - 99.0 / 12800)).epsilon(0.03));
    const double expected = sigma * std::sqrt(99.0 / 12800);
    const double error = errors_of(surface, truth).slope;
    CHECK(error > 0.7 * expected);
    CHECK(error < 1.4 * expected);
}

TEST_CASE("surface fit: noisy heights and slopes together beat either alone") {
    const CantedFacet truth;
    const double height_noise = 40e-6, slope_noise = 0.4e-3;
    const MeasuredFacet samples = truth.measure(80, height_noise, slope_noise);
    FacetFit report;
    const Errors both = errors_of(fit(truth, samples, with(FitData::both), &report), truth);
    const Errors points = errors_of(fit(truth, samples, with(FitData::points)), truth);
    const Errors normals = errors_of(fit(truth, samples, with(FitData::normals)), truth);
    CHECK(report.height_noise == Approx(height_noise).epsilon(0.04));
    CHECK(report.slope_noise == Approx(slope_noise).epsilon(0.03));
    CHECK(both.height < points.height);
    CHECK(both.slope < points.slope);
    CHECK(both.slope < 1.02 * normals.slope);
    // Heights err by less than those of the heights alone would.
    CHECK(both.height < height_noise * std::sqrt(100.0 / 6400));
    // Stated noise is taken at its word.
    SurfaceFitOptions stated = with(FitData::both);
    stated.height_noise = 1.0;
    stated.slope_noise = 1e-6;
    const Errors by_slopes = errors_of(fit(truth, samples, stated, &report), truth);
    CHECK(report.height_noise == 1.0);
    CHECK(by_slopes.slope == Approx(normals.slope).epsilon(0.01));
}

TEST_CASE("surface fit: other degrees and numbers of control points") {
    CantedFacet truth;
    truth.ripple = 0.0;
    SurfaceFitOptions options = with(GENERATE(FitData::points, FitData::normals, FitData::both));
    options.degrees = {2, 4};
    options.num_control_points = {3, 9};
    const Surface surface = fit(truth, truth.measure(30), options);
    CHECK(surface.facets[0].num_control_points == std::array<int64_t, 2>{3, 9});
    CHECK(surface.facets[0].degrees == std::array<int64_t, 2>{2, 4});
    const Errors errors = errors_of(surface, truth);
    CHECK(errors.largest_height < 1e-9);
    CHECK(errors.largest_slope < 1e-7);
}

TEST_CASE("surface fit: every n-th sample") {
    const CantedFacet truth;
    SurfaceFitOptions options = with(FitData::both);
    options.every = 7;
    FacetFit report;
    const Surface surface = fit(truth, truth.measure(60), options, &report);
    CHECK(report.num_samples == 515);
    CHECK(errors_of(surface, truth).largest_height < 1e-8);
}

TEST_CASE("surface fit: a hole is closed smoothly and reported") {
    const CantedFacet truth;
    const MeasuredFacet whole = truth.measure(100);
    MeasuredFacet samples;
    samples.where = "samples";
    // Without the corner of 0.45 by 0.45 m: it holds the support of a control point.
    for (size_t i = 0; i < whole.points.size(); ++i) {
        const double x = -0.8 + 1.6 * (static_cast<double>(i / 100) + 0.5) / 100;
        const double y = -0.6 + 1.2 * (static_cast<double>(i % 100) + 0.5) / 100;
        if (x < -0.35 && y < -0.15) continue;
        samples.points.push_back(whole.points[i]);
        samples.normals.push_back(whole.normals[i]);
    }
    const FitData data = GENERATE(FitData::points, FitData::normals, FitData::both);
    FacetFit report;
    const Surface surface = fit(truth, samples, with(data), &report);
    // 1 - 0.45^2 / (1.6 * 1.2), to a raster of about 31 cells.
    CHECK(report.coverage == Approx(0.8945).margin(0.03));
    CHECK(report.num_unseen > 0);
    CHECK_THAT(to_string(report), ContainsSubstring("follow from smoothness alone"));
    // No better than a guess there, but no worse than the facet's own curvature.
    CHECK(errors_of(surface, truth).largest_height < 2e-3);
}

TEST_CASE("surface fit: samples that cannot make a surface are refused") {
    const CantedFacet truth;
    SurfaceFitOptions options = with(FitData::points);
    CHECK_THAT(refusal(truth.measure(9), options),
               ContainsSubstring("81 samples are too few for 10 x 10 control points"));
    options.data = FitData::normals;
    CHECK(refusal(truth.measure(9), options) == "accepted");

    CantedFacet elsewhere;
    elsewhere.translation[0] += 1.8;
    CHECK_THAT(refusal(elsewhere.measure(40), options),
               ContainsSubstring("1600 of 1600 points lie outside of the facet"));
    CantedFacet upright;
    upright.tilt_e += 1.55;
    MeasuredFacet samples = truth.measure(40);
    samples.normals = upright.measure(40).normals;
    CHECK_THAT(refusal(samples, options), ContainsSubstring("stand across the facet's own"));

    try {
        fit_surface(MeasuredSurface{{truth.measure(40)}},
                    Surface{{truth.ideal(), truth.ideal()}},
                    options,
                    nullptr);
        FAIL("accepted");
    } catch (const InputError& error) {
        CHECK_THAT(error.what(), ContainsSubstring("1 facets were measured, the heliostat has 2"));
    }
}

TEST_CASE("surface fit: all samples on a line") {
    const CantedFacet truth;
    SurfaceFitOptions options = with(FitData::points);
    options.region = FitRegion::measured;
    MeasuredFacet samples;
    samples.where = "samples";
    for (int i = 0; i < 500; ++i) {
        const double t = -0.5 + i / 500.0;
        samples.points.push_back(truth.point(t, t));
        samples.normals.push_back(truth.normal(t, t));
    }
    CHECK(refusal(samples, options) != "accepted");
}

TEST_CASE("surface fit: a mirror that is perfectly even stays a fitted one") {
    CantedFacet truth;
    truth.focal_length = INFINITY;
    truth.ripple = truth.tilt_e = truth.tilt_n = truth.translation[2] = 0.0;
    const Surface surface = fit(truth, truth.measure(40), with(FitData::both));
    const Errors errors = errors_of(surface, truth);
    CHECK(errors.largest_height <= 1.1e-9);
}

// SPDX-License-Identifier: MIT
// Measured samples of a facet in its own frame.
#include "raytracer/surface_fit/facet_samples.h"

#include "raytracer/canting_frame.h"
#include "scenario/error.h"
#include "scenario/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace helioray {

namespace {

constexpr double kMostOutside = 0.05;     // share of the samples
constexpr double kLeastCoverage = 0.5;    // share of the rectangle
constexpr double kLeastUp = 0.1;          // component of a normal along the facet's own
constexpr double kRoundingMargin = 1e-6;  // metres; float32 files place points that well
constexpr double kSamplesPerCell = 9.0;
constexpr size_t kMostCells = 64;  // along an axis

/// Share of the cells of a raster over the rectangle that hold a sample. The raster is coarse
/// enough for evenly spread samples to meet every cell.
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

}  // namespace

FacetFrame::FacetFrame(const Facet& facet) : axes(canting_axes(facet)), origin(facet.translation) {}

Vec3 FacetFrame::direction_to_facet(const Vec3& v) const {
    return {dot(axes[0], v), dot(axes[1], v), dot(axes[2], v)};
}

Vec3 FacetFrame::point_to_facet(const Vec3& p) const {
    return direction_to_facet(subtract(p, origin));
}

Vec3 FacetFrame::point_to_mirror(const Vec3& p) const {
    return along_axes(origin, axes, p);
}

FacetSamples samples_in_facet_frame(const MeasuredFacet& measured,
                                    const Facet& facet,
                                    const SurfaceFitOptions& options) {
    const FacetFrame frame(facet);
    std::vector<Vec3> points;
    for (const Vec3& p : measured.points) points.push_back(frame.point_to_facet(p));

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
        const Vec3 normal = frame.direction_to_facet(measured.normals[i]);
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

}  // namespace helioray

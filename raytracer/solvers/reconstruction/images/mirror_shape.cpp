// SPDX-License-Identifier: MIT
// Evaluates polynomials on facets, and fits B-splines to them.
#include "raytracer/solvers/reconstruction/images/mirror_shape.h"

#include "raytracer/solvers/surface_fit/fit_surface.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/surface/surface.h"
#include "scenario/files/error.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace helioray::reconstruction {

namespace {

// Number of points along each edge of a facet: denser than the pixels of an image for facets of 1.6
// m.
constexpr int64_t kPointsAlongEdge = 14;
// Number of control points along each edge. Splines are fitted to twice as many samples.
constexpr int64_t kControlPoints = 10;
constexpr int64_t kSamplesAlongEdge = 24;

// Prior standard deviations, radians, from deflectometry of the 16 facets of AA28, AA31, AA39 and
// AC43 (Juelich) minus nominal facets. Tilts toward or away from the middle of the mirror that all
// facets share are 1.0 (east) and 0.7 mrad (north), and single facets differ from these by 0.3
// mrad; terms of the second order are 0.5 mrad, mostly shared; third and fourth order 0.3 and 0.5
// mrad. Images of more heliostats show larger differences of single facets.
constexpr std::array<double, 4> kOwn{0.5e-3, 0.4e-3, 0.3e-3, 0.3e-3};  // by order
constexpr double kCommonCanting = 1.2e-3;
constexpr double kCommonSecondOrder = 0.4e-3;

/// Returns the highest order of the polynomials. Four facets have 56 unknowns; many facets are
/// small, so that their separate shapes matter less.
int order_for(size_t facets) {
    if (facets <= 8) return 4;
    return facets <= 32 ? 2 : 1;
}

double power(double x, int exponent) {
    double result = 1.0;
    for (int i = 0; i < exponent; ++i) result *= x;
    return result;
}

/// Returns the parameters at the centres of n x n equal cells, east index outermost.
std::vector<FacetParameters> cell_centres(int64_t n) {
    return evaluation_grid(n, n, 0.5 / static_cast<double>(n));
}

/// Points on a facet, metres from its centre along its edges.
using Places = std::vector<std::array<double, 2>>;

/// Returns the centres of n x n equal cells.
Places places_of_cells(const Facet& facet, int64_t n) {
    Places places;
    for (const auto& [u, v] : cell_centres(n))
        places.push_back(
            {(2.0 * u - 1.0) * norm(facet.canting_e), (2.0 * v - 1.0) * norm(facet.canting_n)});
    return places;
}

/// Evaluates a facet at points. The parameters of a spline need not be proportional to the
/// positions, so they are found by iteration.
std::vector<FacetPoint> points_at(const Facet& facet,
                                  ControlPointFrame frame,
                                  const Places& places) {
    const auto axes = canting_axes(facet);
    std::vector<FacetParameters> parameters(places.size(), {0.5, 0.5});
    std::vector<FacetPoint> points = evaluate_facet(facet, frame, parameters);
    for (int pass = 0; pass < 8; ++pass) {
        for (size_t i = 0; i < places.size(); ++i) {
            const Vec3 offset = subtract(points[i].point, facet.translation);
            const std::array<Vec3, 2> tangents{points[i].tangent_u, points[i].tangent_v};
            for (size_t axis = 0; axis < 2; ++axis) {
                const double step =
                    (places[i][axis] - dot(offset, axes[axis])) / dot(tangents[axis], axes[axis]);
                // Splines of other programs may not cover their whole facet.
                parameters[i][axis] = std::clamp(parameters[i][axis] + step, 0.0, 1.0);
            }
        }
        points = evaluate_facet(facet, frame, parameters);
    }
    return points;
}

}  // namespace

MirrorShape::MirrorShape(const Surface& start, int most_order) : start_(start) {
    const int order = std::min(most_order, order_for(start.facets.size()));
    for (int total = 1; total <= order; ++total)
        for (int i = total; i >= 0; --i) powers_.push_back({i, total - i});
    const ControlPointFrame frame = control_point_frame(start);
    for (size_t f = 0; f < start.facets.size(); ++f) {
        const Facet& facet = start.facets[f];
        facets_.push_back(
            {canting_axes(facet), 0.5 * (norm(facet.canting_e) + norm(facet.canting_n)), {}, 0.0});
        for (const FacetPoint& at :
             points_at(facet, frame, places_of_cells(facet, kPointsAlongEdge)))
            facets_[f].points.push_back(shape_point(f, at.point, at.normal));
        facets_[f].point_area = 4.0 * norm(cross(facet.canting_e, facet.canting_n)) /
                                static_cast<double>(facets_[f].points.size());
    }
}

MirrorShape::Effects MirrorShape::effects_at(size_t facet, double x, double y) const {
    const double h = facets_[facet].half;
    x /= h;
    y /= h;
    Effects effects;
    for (const auto& [i, j] : powers_) {
        effects.push_back({h * power(x, i) * power(y, j),
                           i > 0 ? i * power(x, i - 1) * power(y, j) : 0.0,
                           j > 0 ? j * power(x, i) * power(y, j - 1) : 0.0});
    }
    return effects;
}

ShapePoint MirrorShape::shape_point(size_t facet, const Vec3& point, const Vec3& normal) const {
    const auto& [e, n, u] = facets_[facet].axes;
    const Vec3 offset = subtract(point, start_.facets[facet].translation);
    ShapePoint result;
    result.point = point;
    result.slope = {-dot(normal, e) / dot(normal, u), -dot(normal, n) / dot(normal, u)};
    result.effect = effects_at(facet, dot(offset, e), dot(offset, n));
    return result;
}

MirrorShape::Places MirrorShape::facet_places() const {
    Places places;
    std::array<double, 2> square{};
    for (const Facet& facet : start_.facets) {
        places.push_back({facet.translation[0], facet.translation[1]});
        for (size_t axis = 0; axis < 2; ++axis)
            square[axis] += places.back()[axis] * places.back()[axis];
    }
    for (size_t axis = 0; axis < 2; ++axis) {
        const double rms = std::sqrt(square[axis] / static_cast<double>(places.size()));
        // Facets in a line have no canting across it.
        for (auto& place : places) place[axis] = rms > 1e-6 ? place[axis] / rms : 0.0;
    }
    return places;
}

std::vector<ErrorMode> MirrorShape::common_modes() const {
    const size_t count = num_coefficients();
    const Places places = facet_places();
    std::vector<ErrorMode> modes;
    const auto add = [&](ErrorKind kind, size_t coefficient, const auto& value_of) {
        ErrorMode& mode = modes.emplace_back(kind, std::vector<double>(num_unknowns(), 0.0));
        for (size_t f = 0; f < num_facets(); ++f)
            mode.unknowns[f * count + coefficient] = value_of(f);
    };
    for (size_t axis = 0; axis < 2; ++axis)
        add(common_canting, axis, [&](size_t f) { return kCommonCanting * places[f][axis]; });
    for (size_t k = 2; k < std::min<size_t>(count, 5); ++k)
        add(common_curvature, k, [](size_t) { return kCommonSecondOrder; });
    return modes;
}

std::vector<ErrorMode> MirrorShape::error_modes() const {
    constexpr std::array<ErrorKind, 4> kKinds{own_canting, own_curvature, own_waves, own_waves};
    std::vector<ErrorMode> modes = common_modes();
    for (size_t i = 0; i < num_unknowns(); ++i) {
        const auto [east, north] = powers_[i % num_coefficients()];
        const auto order = static_cast<size_t>(east + north - 1);
        modes.emplace_back(kKinds[order], std::vector<double>(num_unknowns(), 0.0));
        modes.back().unknowns[i] = kOwn[order];
    }
    return modes;
}

std::vector<double> MirrorShape::expected_covariance(const ErrorScales& scales) const {
    const size_t all = num_unknowns();
    std::vector<double> covariance(all * all, 0.0);
    for (const auto& [kind, unknowns] : error_modes()) {
        const double square = scales[kind] * scales[kind];
        for (size_t i = 0; i < all; ++i) {
            if (unknowns[i] == 0.0) continue;
            for (size_t j = 0; j < all; ++j)
                covariance[i * all + j] += square * unknowns[i] * unknowns[j];
        }
    }
    return covariance;
}

std::vector<std::vector<double>> MirrorShape::cantings_to_try(double far) const {
    const std::vector<ErrorMode> modes = common_modes();
    std::vector<std::vector<double>> cantings;
    for (const double east : {-far, far}) {
        for (const double north : {-far, far}) {
            std::vector<double>& canting = cantings.emplace_back();
            for (size_t i = 0; i < num_unknowns(); ++i)
                canting.push_back(east * modes[0].unknowns[i] + north * modes[1].unknowns[i]);
        }
    }
    return cantings;
}

double MirrorShape::canting_of(const std::vector<double>& unknowns) const {
    const std::vector<ErrorMode> modes = common_modes();
    double largest = 0.0;
    for (size_t axis = 0; axis < 2; ++axis) {
        const std::vector<double>& mode = modes[axis].unknowns;
        const double square = std::inner_product(mode.begin(), mode.end(), mode.begin(), 0.0);
        if (square == 0.0) continue;
        const double part = std::inner_product(mode.begin(), mode.end(), unknowns.begin(), 0.0);
        largest = std::max(largest, std::abs(part) / square);
    }
    return largest;
}

std::array<double, 2> MirrorShape::deviation(const Effects& effects,
                                             size_t facet,
                                             std::span<const double> covariance,
                                             double unresolved) const {
    const size_t count = num_coefficients(), all = num_unknowns(), first = facet * count;
    const double besides = 0.5 * unresolved * unresolved;
    std::array<double, 2> variance{};
    for (size_t a = 0; a < count; ++a) {
        for (size_t b = 0; b < count; ++b) {
            const double c = covariance[(first + a) * all + first + b];
            for (size_t axis = 0; axis < 2; ++axis)
                variance[axis] += c * effects[a][axis + 1] * effects[b][axis + 1];
        }
    }
    return {std::sqrt(std::max(0.0, variance[0]) + besides),
            std::sqrt(std::max(0.0, variance[1]) + besides)};
}

double MirrorShape::slope_deviation(std::span<const double> covariance, double unresolved) const {
    double sum = 0.0, count = 0.0;
    for (size_t facet = 0; facet < facets_.size(); ++facet) {
        for (const ShapePoint& point : facets_[facet].points) {
            const auto [e, n] = deviation(point.effect, facet, covariance, unresolved);
            sum += e * e + n * n;
            count += 1.0;
        }
    }
    return std::sqrt(sum / count);
}

Surface MirrorShape::surface(std::span<const double> unknowns,
                             std::span<const double> covariance,
                             double unresolved) const {
    const ControlPointFrame frame = control_point_frame(start_);
    MeasuredSurface samples;
    for (size_t f = 0; f < facets_.size(); ++f) {
        MeasuredFacet& made = samples.facets.emplace_back();
        made.where = start_.facets[f].name;
        const auto& [e, n, u] = facets_[f].axes;
        for (const FacetPoint& at : evaluate_facet(
                 start_.facets[f], frame, evaluation_grid(kSamplesAlongEdge, kSamplesAlongEdge))) {
            const ShapePoint point = shape_point(f, at.point, at.normal);
            double height = 0.0, slope_e = point.slope[0], slope_n = point.slope[1];
            for (size_t k = 0; k < num_coefficients(); ++k) {
                const double coefficient = unknowns[f * num_coefficients() + k];
                height += coefficient * point.effect[k][0];
                slope_e += coefficient * point.effect[k][1];
                slope_n += coefficient * point.effect[k][2];
            }
            made.points.push_back(add_scaled(at.point, height, u));
            made.normals.push_back(normalized(add_scaled(add_scaled(u, -slope_e, e), -slope_n, n)));
        }
    }
    SurfaceFitOptions options;
    options.num_control_points = {kControlPoints, kControlPoints};
    // Preserve the resolution of start surfaces that are splines.
    for (const Facet& facet : start_.facets) {
        if (facet.shape != FacetShape::bspline) continue;
        for (size_t axis = 0; axis < 2; ++axis)
            options.num_control_points[axis] =
                std::max(options.num_control_points[axis], facet.num_control_points[axis]);
    }
    Surface result = fit_surface(samples, start_, options);
    for (size_t f = 0; f < facets_.size(); ++f) {
        Facet& facet = result.facets[f];
        facet.slope_deviation.clear();  // remove that of the start
        for (const auto& [x, y] : places_of_cells(facet, Facet::kDeviationsAlongEdge)) {
            const auto both = deviation(effects_at(f, x, y), f, covariance, unresolved);
            facet.slope_deviation.insert(facet.slope_deviation.end(), both.begin(), both.end());
        }
    }
    return result;
}

namespace {

void check_same_facets(const Surface& a, const Surface& b) {
    if (a.facets.size() == b.facets.size()) return;
    throw InputError(Problem{"mirror",
                             fmt::format("there are {} facets on one and {} on the other mirror",
                                         a.facets.size(),
                                         b.facets.size()),
                             "slopes are compared facet by facet",
                             "compare scenarios of the same heliostats"});
}

/// Returns du/de and du/dn in the mirror frame.
std::array<double, 2> compute_slopes(const FacetPoint& at) {
    return {-at.normal[0] / at.normal[2], -at.normal[1] / at.normal[2]};
}

/// Returns the deviation of both slopes in the cell of a point; 0 if the facet has no deviations.
double deviation_in(const Facet& facet, const std::array<double, 2>& place) {
    if (facet.slope_deviation.empty()) return 0.0;
    constexpr int64_t kCells = Facet::kDeviationsAlongEdge;
    const auto cell = [&](double x, const Vec3& half) {
        const double share = 0.5 * (x / norm(half) + 1.0);
        return std::clamp(static_cast<int64_t>(share * kCells), int64_t{0}, kCells - 1);
    };
    const auto at = static_cast<size_t>(
        2 * (cell(place[0], facet.canting_e) * kCells + cell(place[1], facet.canting_n)));
    return std::hypot(facet.slope_deviation[at], facet.slope_deviation[at + 1]);
}

}  // namespace

SlopeMap slope_map(const Surface& mirror, const Surface& other) {
    check_same_facets(mirror, other);
    std::array<double, 2> low{1e9, 1e9}, high{-1e9, -1e9};
    for (const Facet& facet : mirror.facets) {
        for (size_t axis = 0; axis < 2; ++axis) {
            const double reach = std::abs(facet.canting_e[axis]) + std::abs(facet.canting_n[axis]);
            low[axis] = std::min(low[axis], facet.translation[axis] - reach);
            high[axis] = std::max(high[axis], facet.translation[axis] + reach);
        }
    }
    constexpr int kLongerEdge = 96;
    SlopeMap map;
    map.extent = {high[0] - low[0], high[1] - low[1]};
    const double pixel = std::max(map.extent[0], map.extent[1]) / kLongerEdge;
    map.width = std::max(1, static_cast<int>(std::lround(map.extent[0] / pixel)));
    map.height = std::max(1, static_cast<int>(std::lround(map.extent[1] / pixel)));
    const auto size = static_cast<size_t>(map.width) * static_cast<size_t>(map.height);
    map.east.assign(size, std::numeric_limits<double>::quiet_NaN());
    map.north = map.deviation = map.east;
    for (size_t f = 0; f < mirror.facets.size(); ++f) {
        const Facet& facet = mirror.facets[f];
        const auto axes = canting_axes(facet);
        Places places;
        std::vector<size_t> pixels;
        for (size_t i = 0; i < size; ++i) {
            const size_t in_row = i % static_cast<size_t>(map.width);
            const size_t rows = i / static_cast<size_t>(map.width);
            const auto column = static_cast<double>(in_row), row = static_cast<double>(rows);
            const Vec3 offset{
                low[0] + (column + 0.5) / map.width * map.extent[0] - facet.translation[0],
                high[1] - (row + 0.5) / map.height * map.extent[1] - facet.translation[1],
                0.0};
            const std::array<double, 2> place{dot(offset, axes[0]), dot(offset, axes[1])};
            if (std::abs(place[0]) > norm(facet.canting_e) ||
                std::abs(place[1]) > norm(facet.canting_n))
                continue;
            places.push_back(place);
            pixels.push_back(i);
        }
        const auto first = points_at(facet, control_point_frame(mirror), places);
        const auto second = points_at(other.facets[f], control_point_frame(other), places);
        for (size_t i = 0; i < pixels.size(); ++i) {
            const auto a = compute_slopes(first[i]), b = compute_slopes(second[i]);
            map.east[pixels[i]] = a[0] - b[0];
            map.north[pixels[i]] = a[1] - b[1];
            map.deviation[pixels[i]] = deviation_in(facet, places[i]);
        }
    }
    return map;
}

double slope_difference(const Surface& mirror, const Surface& truth) {
    check_same_facets(mirror, truth);
    double sum = 0.0, count = 0.0;
    for (size_t f = 0; f < mirror.facets.size(); ++f) {
        const Facet& facet = truth.facets[f];
        const auto second =
            evaluate_facet(facet, control_point_frame(truth), cell_centres(kPointsAlongEdge));
        const auto axes = canting_axes(facet);
        Places places;
        for (const FacetPoint& at : second) {
            const Vec3 offset = subtract(at.point, facet.translation);
            places.push_back({dot(offset, axes[0]), dot(offset, axes[1])});
        }
        const auto first = points_at(mirror.facets[f], control_point_frame(mirror), places);
        for (size_t i = 0; i < first.size(); ++i) {
            const auto p = compute_slopes(first[i]), q = compute_slopes(second[i]);
            sum += std::pow(p[0] - q[0], 2) + std::pow(p[1] - q[1], 2);
            count += 1.0;
        }
    }
    return std::sqrt(sum / count);
}

}  // namespace helioray::reconstruction

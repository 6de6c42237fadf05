// SPDX-License-Identifier: MIT
// Triangles and sides of outlines, and areas by quadrature over them.
#include "raytracer/tracing/physical/records/facet_outlines.h"

#include "kernels/core/quadrature.h"
#include "raytracer/tracing/surface/surface.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace helioray::physical {

namespace {

using Point = std::array<double, 2>;

/// Triangle from the common point of all triangles to a side.
struct Triangle {
    Point common, from, to;
    double area = 0.0;  ///< area in half extents
};

std::vector<Triangle> fan(const Outline& corners) {
    Point centre{};
    for (const Point& corner : corners) {
        for (size_t i = 0; i < 2; ++i) centre[i] += corner[i] / static_cast<double>(corners.size());
    }
    std::vector<Triangle> triangles;
    for (size_t i = 0; i < corners.size(); ++i) {
        const Point& from = corners[i];
        const Point& to = corners[(i + 1) % corners.size()];
        const double area = 0.5 * ((from[0] - centre[0]) * (to[1] - centre[1]) -
                                   (from[1] - centre[1]) * (to[0] - centre[0]));
        // A corner on a straight side adds no area beyond the triangles of both its sides.
        if (area > 0.0) triangles.push_back({centre, from, to, area});
    }
    return triangles;
}

/// Points of an outline with weights that sum to its area in half extents.
struct WeightedPoints {
    std::vector<FacetParameters> parameters;
    std::vector<double> weights;
    void add(double x, double y, double weight) {
        const auto parameter = [](double t) { return std::clamp(0.5 * (t + 1.0), 0.0, 1.0); };
        parameters.push_back({parameter(x), parameter(y)});
        weights.push_back(weight);
    }
};

// Splines are smooth between knots only, which the nodes do not follow.
constexpr int kPieces = 12;

WeightedPoints ring_points(double hole) {
    WeightedPoints points;
    const kernels::QuadratureNodes nodes = kernels::quadrature_nodes(kPieces);
    // The mean over equal steps of a full turn is exact for all trigonometric polynomials of a
    // lower order.
    constexpr int kSteps = 64;
    for (size_t i = 0; i < nodes.position.size(); ++i) {
        const double radius = hole + (1.0 - hole) * nodes.position[i];
        const double weight =
            nodes.weight[i] * (1.0 - hole) * radius * 2.0 * std::numbers::pi / kSteps;
        for (int k = 0; k < kSteps; ++k) {
            const double angle = 2.0 * std::numbers::pi * (k + 0.5) / kSteps;
            points.add(radius * std::cos(angle), radius * std::sin(angle), weight);
        }
    }
    return points;
}

WeightedPoints polygon_points(const Outline& corners) {
    WeightedPoints points;
    const kernels::QuadratureNodes nodes = kernels::quadrature_nodes(kPieces);
    for (const Triangle& t : fan(corners)) {
        for (size_t i = 0; i < nodes.position.size(); ++i) {
            const double apart = nodes.position[i];
            for (size_t k = 0; k < nodes.position.size(); ++k) {
                const auto at = [&](size_t axis) {
                    const double side =
                        t.from[axis] + nodes.position[k] * (t.to[axis] - t.from[axis]);
                    return t.common[axis] + apart * (side - t.common[axis]);
                };
                points.add(at(0), at(1), 2.0 * t.area * apart * nodes.weight[i] * nodes.weight[k]);
            }
        }
    }
    return points;
}

}  // namespace

size_t num_triangle_floats(const FacetOutline& outline) {
    return outline.kind == FacetOutlineKind::polygon ? 2 + 5 * outline.corners.size() : 0;
}

void add_outline(const FacetOutline& outline,
                 kernels::FacetRecord& record,
                 std::vector<float>& floats) {
    record.outline_fraction = static_cast<float>(outline_fraction(outline));
    if (outline.kind == FacetOutlineKind::round) {
        record.outline = kernels::FacetOutline::ellipse;
        record.hole = static_cast<float>(outline.hole);
    }
    if (outline.kind != FacetOutlineKind::polygon) return;
    record.outline = kernels::FacetOutline::polygon;
    record.triangles = static_cast<int64_t>(floats.size());
    const std::vector<Triangle> triangles = fan(outline.corners);
    record.num_triangles = static_cast<int32_t>(triangles.size());
    double total = 0.0;
    for (const Triangle& triangle : triangles) total += triangle.area;
    const auto append = [&](const Point& point) {
        for (const double coordinate : point) floats.push_back(static_cast<float>(coordinate));
    };
    append(triangles.front().common);
    double sum = 0.0;
    for (const Triangle& triangle : triangles) {
        sum += triangle.area;
        const bool is_last = &triangle == &triangles.back();
        floats.push_back(is_last ? 1.0f : static_cast<float>(sum / total));
        append(triangle.from);
        append(triangle.to);
    }
}

double outlined_area(const Facet& facet) {
    const WeightedPoints points = facet.outline.kind == FacetOutlineKind::round
                                      ? ring_points(facet.outline.hole)
                                      : polygon_points(facet.outline.corners);
    // The frame of control points does not change areas.
    const std::vector<FacetPoint> at =
        evaluate_facet(facet, ControlPointFrame::mirror, points.parameters);
    double area = 0.0;
    for (size_t i = 0; i < at.size(); ++i)
        area += 0.25 * points.weights[i] * norm(cross(at[i].tangent_u, at[i].tangent_v));
    return area;
}

std::vector<float> occluder_outline(const FacetOutline& outline) {
    switch (outline.kind) {
        case FacetOutlineKind::rectangle:
            break;
        case FacetOutlineKind::round:
            return {0.0f, static_cast<float>(outline.hole * outline.hole)};
        case FacetOutlineKind::polygon: {
            std::vector<float> numbers{static_cast<float>(outline.corners.size()), 0.0f};
            for (size_t i = 0; i < outline.corners.size(); ++i) {
                const Point& from = outline.corners[i];
                const Point& to = outline.corners[(i + 1) % outline.corners.size()];
                const double length = std::hypot(to[0] - from[0], to[1] - from[1]);
                const double a = (to[1] - from[1]) / length, b = (from[0] - to[0]) / length;
                for (const double number : {a, b, a * from[0] + b * from[1]})
                    numbers.push_back(static_cast<float>(number));
            }
            return numbers;
        }
    }
    return {};
}

}  // namespace helioray::physical

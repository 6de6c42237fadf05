// SPDX-License-Identifier: MIT
// Traces rays through the pieces of a mirror.
#include "raytracer/solvers/calibration/model/mirror_shift.h"

#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/kinematics/pose.h"
#include "raytracer/tracing/surface/surface.h"

#include <algorithm>
#include <span>

namespace helioray::calibration {

namespace {

constexpr int64_t kElementsAlongEdge = 4;
constexpr int64_t kPointsAlongElement = 6;

/// Returns true if all normals of a facet are equal to that of its plane.
bool is_plane(const Facet& facet, const Surface& surface) {
    if (facet.shape == FacetShape::bspline) return !surface.is_fitted();
    return facet.shape == FacetShape::flat;
}

/// Returns points at the centres of equal cells of all elements, one element after the other.
std::vector<FacetParameters> points_by_element() {
    constexpr int64_t kPoints = kElementsAlongEdge * kPointsAlongElement;
    const std::vector<FacetParameters> grid =
        evaluation_grid(kPoints, kPoints, 0.5 / static_cast<double>(kPoints));
    std::vector<FacetParameters> points;
    for (int64_t e = 0; e < kPoints; e += kPointsAlongElement) {
        for (int64_t n = 0; n < kPoints; n += kPointsAlongElement) {
            for (int64_t i = 0; i < kPointsAlongElement; ++i) {
                const auto row = grid.begin() + (e + i) * kPoints + n;
                points.insert(points.end(), row, row + kPointsAlongElement);
            }
        }
    }
    return points;
}

/// Returns the area-weighted mean of some points of a facet. `share` is the fraction of the facet's
/// parameter range of each point.
MirrorElement compute_mean(std::span<const FacetPoint> points, double share) {
    MirrorElement element;
    Vec3 normals{};
    for (const FacetPoint& at : points) {
        const double area = share * norm(cross(at.tangent_u, at.tangent_v));
        element.centre = add_scaled(element.centre, area, at.point);
        normals = add_scaled(normals, area, at.normal);
        element.area += area;
    }
    element.centre = scaled(1.0 / element.area, element.centre);
    element.normal = normalized(normals);
    return element;
}

}  // namespace

std::vector<MirrorElement> mirror_elements(const Surface& surface) {
    const std::vector<FacetParameters> parameters = points_by_element();
    constexpr size_t kPoints = kPointsAlongElement * kPointsAlongElement;
    const double share = 1.0 / static_cast<double>(parameters.size());
    std::vector<MirrorElement> elements;
    for (const Facet& facet : surface.facets) {
        if (is_plane(facet, surface) && facet.outline.kind == FacetOutlineKind::rectangle) {
            const double area = 4.0 * norm(cross(facet.canting_e, facet.canting_n));
            elements.push_back({facet.translation, canting_axes(facet)[2], area});
            continue;
        }
        const std::vector<FacetPoint> points =
            evaluate_facet(facet, control_point_frame(surface), parameters);
        for (size_t first = 0; first < points.size(); first += kPoints) {
            std::vector<FacetPoint> inside;
            for (size_t i = first; i < first + kPoints; ++i) {
                if (is_in_outline(facet, parameters[i])) inside.push_back(points[i]);
            }
            if (!inside.empty()) elements.push_back(compute_mean(inside, share));
        }
    }
    return elements;
}

Vec3 centroid_shift(const std::vector<MirrorElement>& elements,
                    const KinematicsRecord& kinematics,
                    const SpotRecord& record) {
    if (elements.empty()) return {};
    const Frame<double> mirror =
        motor_pose<double>({kinematics, record.motor_positions, {}}).mirror;
    const auto find_hit = [&](const Vec3& centre, const Vec3& n, double cosine) {
        const Vec3 origin = add(mirror.origin, mirror.outwards(centre));
        const Vec3 direction = add_scaled(scaled(-1.0, record.to_sun), 2.0 * cosine, n);
        return hit({origin, direction, n}, record.plane);
    };
    const auto middle = find_hit({0, 0, 0}, mirror.u, dot(record.to_sun, mirror.u));
    if (!middle) return {};
    Vec3 sum{};
    double power = 0.0;
    for (const MirrorElement& element : elements) {
        const Vec3 n = mirror.outwards(element.normal);
        const double cosine = dot(record.to_sun, n);
        const auto spot = find_hit(element.centre, n, cosine);
        if (!spot) return {};
        const double received = element.area * std::max(0.0, cosine);
        sum = add_scaled(sum, received, subtract(*spot, *middle));
        power += received;
    }
    return power > 0.0 ? scaled(1.0 / power, sum) : Vec3{};
}

}  // namespace helioray::calibration

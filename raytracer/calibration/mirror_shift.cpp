// SPDX-License-Identifier: MIT
// Rays through the pieces of a mirror.
#include "raytracer/calibration/mirror_shift.h"

#include "raytracer/geometry/frames.h"
#include "raytracer/kinematics/pose.h"
#include "raytracer/surface/surface.h"

#include <algorithm>

namespace helioray::calibration {

namespace {

/// Whether all normals of a facet are those of its plane.
bool is_plane(const Facet& facet, const Surface& surface) {
    if (facet.shape == FacetShape::bspline) return !surface.is_fitted();
    return facet.shape == FacetShape::flat;
}

}  // namespace

std::vector<MirrorElement> mirror_elements(const Surface& surface) {
    const std::vector<FacetParameters> middles = evaluation_grid(
        kElementsAlongEdge, kElementsAlongEdge, 0.5 / static_cast<double>(kElementsAlongEdge));
    std::vector<MirrorElement> elements;
    for (const Facet& facet : surface.facets) {
        if (is_plane(facet, surface)) {
            const double area = 4.0 * norm(cross(facet.canting_e, facet.canting_n));
            elements.push_back({facet.translation, canting_axes(facet)[2], area});
            continue;
        }
        const double share = 1.0 / static_cast<double>(middles.size());
        for (const FacetPoint& at : evaluate_facet(facet, control_point_frame(surface), middles)) {
            const double area = share * norm(cross(at.tangent_u, at.tangent_v));
            elements.push_back({at.point, at.normal, area});
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
    const auto hit_of = [&](const Vec3& centre, const Vec3& n, double cosine) {
        const Vec3 origin = add(mirror.origin, mirror.outwards(centre));
        const Vec3 direction = add_scaled(scaled(-1.0, record.to_sun), 2.0 * cosine, n);
        return hit({origin, direction, n}, record.plane);
    };
    const auto middle = hit_of({0, 0, 0}, mirror.u, dot(record.to_sun, mirror.u));
    if (!middle) return {};
    Vec3 sum{};
    double power = 0.0;
    for (const MirrorElement& element : elements) {
        const Vec3 n = mirror.outwards(element.normal);
        const double cosine = dot(record.to_sun, n);
        const auto spot = hit_of(element.centre, n, cosine);
        if (!spot) return {};
        const double received = element.area * std::max(0.0, cosine);
        sum = add_scaled(sum, received, subtract(*spot, *middle));
        power += received;
    }
    return power > 0.0 ? scaled(1.0 / power, sum) : Vec3{};
}

}  // namespace helioray::calibration

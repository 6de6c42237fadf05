// SPDX-License-Identifier: MIT
// Checks facets and kinematics.
#include "scenario/types/components/component_rules.h"

#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>

namespace helioray {

bool spans_area(const Facet& facet) {
    const Vec3& e = facet.canting_e;
    const Vec3& n = facet.canting_n;
    const double area = norm(cross(e, n));
    return area > 1e-9 * norm(e) * norm(n) && area != 0.0;
}

bool is_spline_degree(double degree) {
    return degree >= 1.0 && degree <= 100.0 && degree == std::floor(degree);
}

double facet_reach(const Facet& facet) {
    const double half_e = norm(facet.canting_e), half_n = norm(facet.canting_n);
    if (facet.outline.kind == FacetOutlineKind::round) return std::max(half_e, half_n);
    if (facet.outline.kind == FacetOutlineKind::rectangle) return std::hypot(half_e, half_n);
    double reach = 0.0;
    for (const auto& [x, y] : facet.outline.corners)
        reach = std::max(reach, std::hypot(x * half_e, y * half_n));
    return reach;
}

bool fits_its_sphere(const Facet& facet) {
    return facet.shape != FacetShape::sphere || facet_reach(facet) <= 2.0 * facet.focal_length;
}

bool points_south(const Kinematics& kinematics) {
    const Vec3& v = kinematics.initial_orientation;
    const double length = std::hypot(v[0], v[1], v[2]);
    return length > 0.0 && v[1] < 0.0 && std::hypot(v[0], v[2]) < 1e-5 * length;
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Checks facets and kinematics.
#include "scenario/types/component_rules.h"

#include "scenario/types/vector_math.h"

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

bool fits_its_sphere(const Facet& facet) {
    const double half_diagonal = std::hypot(norm(facet.canting_e), norm(facet.canting_n));
    return facet.shape != FacetShape::sphere || half_diagonal <= 2.0 * facet.focal_length;
}

bool points_south(const Kinematics& kinematics) {
    const Vec3& v = kinematics.initial_orientation;
    const double length = std::hypot(v[0], v[1], v[2]);
    return length > 0.0 && v[1] < 0.0 && std::hypot(v[0], v[2]) < 1e-5 * length;
}

}  // namespace helioray

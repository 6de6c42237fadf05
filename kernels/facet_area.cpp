// SPDX-License-Identifier: MIT
// Areas and sampling tables of facets.
#include "kernels/facet_area.h"

#include "kernels/core/quadrature.h"
#include "kernels/core/scalar.h"
#include "kernels/spline_facets.h"

namespace helioray::kernels {

double bspline_area_and_tables(
    const double* control_points, int num_u, int num_v, int degree_u, int degree_v, float* tables) {
    double area = 0.0;
    SplineFacets(num_u, num_v, degree_u, degree_v)
        .areas_and_tables({&control_points, 1}, &area, &tables);
    return area;
}

double analytic_area(FacetKind kind, const double (&half_extent)[2], double focal_length) {
    if (kind == FacetKind::flat) return 4.0 * half_extent[0] * half_extent[1];
    // The integrand is smooth over the whole facet, so two pieces suffice for full precision.
    const QuadratureNodes nodes = quadrature_nodes(2);
    double mean = 0.0;
    for (size_t i = 0; i < nodes.position.size(); ++i) {
        for (size_t j = 0; j < nodes.position.size(); ++j) {
            const double x = (2.0 * nodes.position[i] - 1.0) * half_extent[0];
            const double y = (2.0 * nodes.position[j] - 1.0) * half_extent[1];
            const double r2 = x * x + y * y;
            const double radius = 2.0 * focal_length;
            // The area element over the rectangle is sqrt(1 + (r / 2f)^2), or R / sqrt(R^2 - r^2).
            const double element = kind == FacetKind::paraboloid
                                       ? sqrt_(1.0 + r2 / (radius * radius))
                                       : radius / sqrt_(radius * radius - r2);
            mean += nodes.weight[i] * nodes.weight[j] * element;
        }
    }
    return mean * 4.0 * half_extent[0] * half_extent[1];
}

}  // namespace helioray::kernels

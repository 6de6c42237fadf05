// SPDX-License-Identifier: MIT
// Outlines of facets as records of the kernels, and the areas that they enclose.
#pragma once

#include "kernels/core/trace_types.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <vector>

namespace helioray::physical {

/// Returns true if the facet is not its whole rectangle.
inline bool has_outline(const Facet& facet) {
    return facet.outline.kind != FacetOutlineKind::rectangle;
}

/// Returns the number of floats that add_outline() appends.
size_t num_triangle_floats(const FacetOutline& outline);

/// Sets the outline of a facet's record, and appends the triangles of a polygon to `floats`.
void add_outline(const FacetOutline& outline,
                 kernels::FacetRecord& record,
                 std::vector<float>& floats);

/// Returns the true area of a facet within its outline, m2, by quadrature. Throws InputError like
/// evaluate_facet().
double outlined_area(const Facet& facet);

/// Returns an outline in the form of FieldView::occluder_outlines; empty for a rectangle.
std::vector<float> occluder_outline(const FacetOutline& outline);

}  // namespace helioray::physical

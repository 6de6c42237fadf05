// SPDX-License-Identifier: MIT
// Assertions that all indices of a work unit are valid: its heliostats, their facets, control
// points, tables and candidates.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/core/macros.h"
#include "kernels/core/trace_types.h"

namespace helioray::kernels {

/// Returns true if elements [first, first + count) are part of an array with `size` elements.
HELIORAY_HD bool is_within(int64_t first, int64_t count, int64_t size) {
    return first >= 0 && count >= 0 && first <= size - count;
}

HELIORAY_HD void assert_table(const FieldView& field, const AngularShape& shape) {
    HELIORAY_ASSERT(
        shape.kind != AngularShape::Kind::table ||
            is_within(shape.table, int64_t{2} * (kRadialTableSize + 1), field.sizes.floats),
        "the knots of a distribution are part of the field's floats");
}

HELIORAY_HD void assert_facets(const FieldView& field, const HeliostatRecord& h) {
    HELIORAY_ASSERT(h.num_facets > 0 && is_within(h.first_facet, h.num_facets, field.sizes.facets),
                    "a heliostat's facets are part of the field's");
    for (int32_t i = 0; i < h.num_facets; ++i) {
        const FacetRecord& facet = field.facets[h.first_facet + i];
        HELIORAY_ASSERT(
            facet.outline != FacetOutline::polygon ||
                (facet.num_triangles > 0 &&
                 is_within(
                     facet.triangles, 2 + int64_t{5} * facet.num_triangles, field.sizes.floats)),
            "the triangles of a facet's outline are part of the field's floats");
        if (facet.kind != FacetKind::bspline) continue;
        for (int k = 0; k < 2; ++k)
            HELIORAY_ASSERT(facet.degrees[k] > 0 && facet.degrees[k] < facet.num_control_points[k],
                            "a facet has more control points than its degree, along u and v");
        HELIORAY_ASSERT(is_within(facet.control_points,
                                  3 * static_cast<int64_t>(facet.num_control_points[0]) *
                                      facet.num_control_points[1],
                                  field.sizes.floats),
                        "a facet's control points are part of the field's floats");
        HELIORAY_ASSERT(
            is_within(
                facet.sampling_tables, int64_t{2} * (kSamplingTableSize + 1), field.sizes.floats),
            "a facet's sampling tables are part of the field's floats");
    }
}

/// Checks the occluders of candidates [first, first + count).
HELIORAY_HD void assert_candidates(const FieldView& field, int64_t first, int32_t count) {
    HELIORAY_ASSERT(is_within(first, count, field.sizes.candidates),
                    "a heliostat's candidates are part of the field's");
    for (int32_t i = 0; i < count; ++i) {
        const int32_t candidate = field.candidates[first + i];
        HELIORAY_ASSERT(is_within(candidate, 1, field.sizes.occluders),
                        "a candidate is one of the field's occluders");
        [[maybe_unused]] const Occluder& occluder = field.occluders[candidate];
        HELIORAY_ASSERT(
            is_within(occluder.first_facet, occluder.num_facets, field.sizes.occluder_facets),
            "an occluder's facets are part of the field's");
        for (int32_t k = 0; k < occluder.num_facets; ++k) {
            [[maybe_unused]] const int32_t outline =
                field.occluder_facets[occluder.first_facet + k].outline;
            HELIORAY_ASSERT(outline == 0 || is_within(outline, 2, field.sizes.occluder_outlines),
                            "an occluder's outline is part of the field's");
        }
    }
}

HELIORAY_HD void assert_target(const FieldView& field, int32_t target) {
    HELIORAY_ASSERT(is_within(target, 1, field.num_targets), "a unit's target is the field's");
    [[maybe_unused]] const TargetRecord& record = field.targets[target];
    HELIORAY_ASSERT(record.num_edges == 0 ||
                        is_within(record.edges, int64_t{3} * record.num_edges, field.sizes.floats),
                    "a target's outline is part of the field's floats");
}

/// Compares every index that the unit's rays use with the sizes of the field's arrays.
HELIORAY_HD void assert_unit(const FieldView& field, const WorkUnit& unit) {
    if constexpr (kAssertions) {
        HELIORAY_ASSERT(is_within(unit.first_heliostat, unit.num_heliostats, field.num_heliostats),
                        "a unit's heliostats are part of the field's");
        HELIORAY_ASSERT(unit.pair >= 0 && unit.rays_per_block >= 0,
                        "a unit's pair and rays are counts");
        assert_target(field, unit.target);
        assert_table(field, field.sun);
        assert_table(field, field.slope_error);
        assert_table(field, field.specularity_error);
        HELIORAY_ASSERT(
            field.has_incidence_table == 0 ||
                is_within(
                    field.incidence_table, int64_t{kIncidenceTableSize} + 1, field.sizes.floats),
            "the reflectivity by incidence is part of the field's floats");
        for (int32_t i = 0; i < unit.num_heliostats; ++i) {
            const HeliostatRecord& h = field.heliostats[unit.first_heliostat + i];
            HELIORAY_ASSERT(h.target == unit.target, "a unit's heliostats have its target");
            assert_facets(field, h);
            if (field.shading != 0) assert_candidates(field, h.first_shader, h.num_shaders);
            if (field.blocking != 0) assert_candidates(field, h.first_blocker, h.num_blockers);
        }
    }
}

}  // namespace helioray::kernels

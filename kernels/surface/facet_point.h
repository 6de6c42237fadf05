// SPDX-License-Identifier: MIT
// A point of a heliostat's mirror, uniformly distributed by true area.
#pragma once

#include "kernels/surface/bspline.h"
#include "kernels/trace_types.h"

namespace helioray::kernels {

/// Where a bundle of rays starts; frame of the heliostat's target.
struct MirrorPoint {
    Vec<float> position;
    Vec<float> normal;     ///< unit, towards the lit side
    Vec<float> tangent_e;  ///< unit, perpendicular to the normal, along the mirror's e axis
    Vec<float> tangent_n;  ///< normal cross tangent_e
    float residual;        ///< true area element / area element of the sampling density; mean 1
};

/// Parameter from a uniform number by a piecewise linear table, and the slope there.
HELIORAY_HD float from_table(const float* table, float uniform, float& slope) {
    const float x = uniform * static_cast<float>(kSamplingTableSize);
    int i = truncate_to_int(x);
    i = i > kSamplingTableSize - 1 ? kSamplingTableSize - 1 : i;
    const float rise = table[i + 1] - table[i];
    slope = rise * static_cast<float>(kSamplingTableSize);
    return fma_(rise, x - static_cast<float>(i), table[i]);
}

/// Point, area-weighted normal and area element per unit square of uniform numbers, in the facet's
/// frame.
HELIORAY_HD void facet_patch(const FacetRecord& facet,
                             const float* floats,
                             float xi,
                             float eta,
                             Vec<float>& point,
                             Vec<float>& normal,
                             float& area) {
    if (facet.kind == FacetKind::bspline) {
        const float* tables = floats + facet.sampling_tables;
        float slope_u, slope_v;
        const float u = from_table(tables, xi, slope_u);
        const float v = from_table(tables + kSamplingTableSize + 1, eta, slope_v);
        const SurfacePatch<float> patch = evaluate_bspline(
            floats + facet.control_points, facet.num_control_points, facet.degrees, u, v);
        point = patch.point;
        normal = cross(patch.tangent_u, patch.tangent_v);
        area = slope_u * slope_v;
        return;
    }
    const float x = fma_(2.0f, xi, -1.0f) * facet.half_extent[0];
    const float y = fma_(2.0f, eta, -1.0f) * facet.half_extent[1];
    area = 4.0f * facet.half_extent[0] * facet.half_extent[1];
    point = {x, y, 0.0f};
    normal = {0.0f, 0.0f, 1.0f};
    const float r2 = fma_(x, x, y * y);
    if (facet.kind == FacetKind::paraboloid) {
        // z = r^2 / 4f
        const float k = 0.5f / facet.focal_length;
        point.z = 0.5f * k * r2;
        normal = {-k * x, -k * y, 1.0f};
    } else if (facet.kind == FacetKind::sphere) {
        // z = R - sqrt(R^2 - r^2) with R = 2f, in the form without cancellation
        const float radius = 2.0f * facet.focal_length;
        const float depth = sqrt_(fma_(radius, radius, -r2));
        point.z = r2 / (radius + depth);
        normal = {-x / depth, -y / depth, 1.0f};
    }
}

/// Point of heliostat h from two uniform numbers in (0, 1); the first one also chooses the facet.
HELIORAY_HD MirrorPoint mirror_point(const FieldView& field,
                                     const HeliostatRecord& h,
                                     float xi,
                                     float eta) {
    // Facets share the unit interval by area.
    const FacetRecord* facet = field.facets + h.first_facet;
    float begin = 0.0f;
    for (int32_t i = 1; i < h.num_facets && xi >= facet->cumulative_area; ++i) {
        begin = facet->cumulative_area;
        ++facet;
    }
    const float within = min_(max_((xi - begin) / (facet->cumulative_area - begin), 0.0f), 1.0f);

    Vec<float> point, normal;
    float area;
    facet_patch(*facet, field.floats, within, eta, point, normal, area);
    const float length = sqrt_(dot(normal, normal));

    MirrorPoint result;
    // The interval's float width stands for the area share, so the weight stays unbiased.
    result.residual = length * area / facet->area;
    const Vec<float> translation{
        facet->translation[0], facet->translation[1], facet->translation[2]};
    const Vec<float> in_mirror = add_scaled(rotate(facet->rotation, point), 1.0f, translation);
    const Vec<float> offset{h.translation[0], h.translation[1], h.translation[2]};
    result.position = add_scaled(rotate(h.rotation, in_mirror), 1.0f, offset);
    result.normal = rotate(h.rotation, rotate(facet->rotation, scaled(1.0f / length, normal)));
    const Vec<float> e{h.rotation[0], h.rotation[3], h.rotation[6]};
    result.tangent_e = normalized(add_scaled(e, -dot(e, result.normal), result.normal));
    result.tangent_n = cross(result.normal, result.tangent_e);
    return result;
}

}  // namespace helioray::kernels

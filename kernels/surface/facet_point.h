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

/// A point of a facet in the facet's frame.
struct FacetPoint {
    Vec<float> point;
    Vec<float> normal;     ///< towards the lit side; its length belongs to the area element
    Vec<float> tangent_u;  ///< B-splines: d point / d u; normal = tangent_u cross tangent_v
    Vec<float> tangent_v;
    float u, v;  ///< B-splines: parameters in [0, 1]
    float area;  ///< |normal| * area = area element per unit square of uniform numbers
};

/// Point of a facet from two uniform numbers.
HELIORAY_HD void facet_point(
    const FacetRecord& facet, const float* floats, float xi, float eta, FacetPoint& result) {
    if (facet.kind == FacetKind::bspline) {
        const float* tables = floats + facet.sampling_tables;
        float slope_u, slope_v;
        result.u = from_table(tables, xi, slope_u);
        result.v = from_table(tables + kSamplingTableSize + 1, eta, slope_v);
        const SurfacePatch<float> patch = evaluate_bspline(floats + facet.control_points,
                                                           facet.num_control_points,
                                                           facet.degrees,
                                                           result.u,
                                                           result.v);
        result.point = patch.point;
        result.tangent_u = patch.tangent_u;
        result.tangent_v = patch.tangent_v;
        result.normal = cross(patch.tangent_u, patch.tangent_v);
        result.area = slope_u * slope_v;
        return;
    }
    Vec<float>& point = result.point;
    Vec<float>& normal = result.normal;
    const float x = fma_(2.0f, xi, -1.0f) * facet.half_extent[0];
    const float y = fma_(2.0f, eta, -1.0f) * facet.half_extent[1];
    result.area = 4.0f * facet.half_extent[0] * facet.half_extent[1];
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

/// The facet that a uniform number chooses by area, and the uniform number within it.
HELIORAY_HD const FacetRecord& choose_facet(const FieldView& field,
                                            const HeliostatRecord& h,
                                            float xi,
                                            float& within) {
    const FacetRecord* facet = field.facets + h.first_facet;
    float begin = 0.0f;
    for (int32_t i = 1; i < h.num_facets && xi >= facet->cumulative_area; ++i) {
        begin = facet->cumulative_area;
        ++facet;
    }
    within = min_(max_((xi - begin) / (facet->cumulative_area - begin), 0.0f), 1.0f);
    return *facet;
}

/// Point of heliostat h from two uniform numbers in (0, 1); the first one also chooses the facet.
HELIORAY_HD MirrorPoint mirror_point(const FieldView& field,
                                     const HeliostatRecord& h,
                                     float xi,
                                     float eta) {
    float within;
    const FacetRecord& facet = choose_facet(field, h, xi, within);
    FacetPoint local;
    facet_point(facet, field.floats, within, eta, local);
    const float length = sqrt_(dot(local.normal, local.normal));

    MirrorPoint result;
    // The interval's float width stands for the area share, so the weight stays unbiased.
    result.residual = length * local.area / facet.area;
    const Vec<float> in_mirror =
        add_scaled(rotate(facet.rotation, local.point), 1.0f, to_vec(facet.translation));
    result.position = add_scaled(rotate(h.rotation, in_mirror), 1.0f, to_vec(h.translation));
    result.normal = rotate(h.rotation, rotate(facet.rotation, scaled(1.0f / length, local.normal)));
    const Vec<float> e{h.rotation[0], h.rotation[3], h.rotation[6]};
    result.tangent_e = normalized(add_scaled(e, -dot(e, result.normal), result.normal));
    result.tangent_n = cross(result.normal, result.tangent_e);
    return result;
}

}  // namespace helioray::kernels

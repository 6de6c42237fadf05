// SPDX-License-Identifier: MIT
// A point of a heliostat's mirror, uniformly distributed by true area.
#pragma once

#include "kernels/surface/bspline.h"
#include "kernels/trace_types.h"

namespace helioray::kernels {

/// Where a bundle of rays starts; frame of the heliostat's target.
template <typename Scalar>
struct BasicMirrorPoint {
    Vec<Scalar> position;
    Vec<Scalar> normal;     ///< unit, towards the lit side
    Vec<Scalar> tangent_e;  ///< unit, perpendicular to the normal, along the mirror's e axis
    Vec<Scalar> tangent_n;  ///< normal cross tangent_e
    Scalar residual;        ///< true area element / area element of the sampling density; mean 1
};
using MirrorPoint = BasicMirrorPoint<float>;

/// Parameter from a uniform number by a piecewise linear table, and the slope there.
template <typename Scalar>
HELIORAY_HD Scalar from_table(const float* table, Scalar uniform, Scalar& slope) {
    const Scalar x = uniform * static_cast<Scalar>(kSamplingTableSize);
    int i = truncate_to_int(x);
    i = i > kSamplingTableSize - 1 ? kSamplingTableSize - 1 : i;
    const Scalar low = table[i];
    const Scalar rise = table[i + 1] - low;
    slope = rise * static_cast<Scalar>(kSamplingTableSize);
    return fma_(rise, x - static_cast<Scalar>(i), low);
}

/// A point of a facet in the facet's frame.
template <typename Scalar>
struct FacetPoint {
    const FacetRecord* facet;
    Vec<Scalar> point;
    Vec<Scalar> normal;  ///< towards the lit side; its length belongs to the area element
    Scalar area;         ///< |normal| * area = area element per unit square of uniform numbers
    SurfacePatch<Scalar> patch;  ///< B-splines: normal = tangent_u cross tangent_v
};

/// Point of a facet from two uniform numbers.
template <typename Scalar>
HELIORAY_HD void facet_point(const FacetRecord& facet,
                             const float* floats,
                             Scalar xi,
                             Scalar eta,
                             FacetPoint<Scalar>& result) {
    result.facet = &facet;
    if (facet.kind == FacetKind::bspline) {
        const float* tables = floats + facet.sampling_tables;
        Scalar slope_u, slope_v;
        const Scalar u = from_table(tables, xi, slope_u);
        const Scalar v = from_table(tables + kSamplingTableSize + 1, eta, slope_v);
        const SurfacePatch<Scalar>& patch = result.patch = evaluate_bspline(
            floats + facet.control_points, facet.num_control_points, facet.degrees, u, v);
        result.point = patch.point;
        result.normal = cross(patch.tangent_u, patch.tangent_v);
        result.area = slope_u * slope_v;
        return;
    }
    Vec<Scalar>& point = result.point;
    Vec<Scalar>& normal = result.normal;
    const Scalar x = fma_(Scalar(2.0f), xi, Scalar(-1.0f)) * facet.half_extent[0];
    const Scalar y = fma_(Scalar(2.0f), eta, Scalar(-1.0f)) * facet.half_extent[1];
    result.area = 4.0f * facet.half_extent[0] * facet.half_extent[1];
    point = {x, y, Scalar(0.0f)};
    normal = {Scalar(0.0f), Scalar(0.0f), Scalar(1.0f)};
    const Scalar r2 = fma_(x, x, y * y);
    if (facet.kind == FacetKind::paraboloid) {
        // z = r^2 / 4f
        const Scalar k = 0.5f / facet.focal_length;
        point.z = 0.5f * k * r2;
        normal = {-k * x, -k * y, Scalar(1.0f)};
    } else if (facet.kind == FacetKind::sphere) {
        // z = R - sqrt(R^2 - r^2) with R = 2f, in the form without cancellation
        const Scalar radius = 2.0f * facet.focal_length;
        const Scalar depth = sqrt_(fma_(radius, radius, -r2));
        point.z = r2 / (radius + depth);
        normal = {-x / depth, -y / depth, Scalar(1.0f)};
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
/// `local` is what it is in the facet's frame.
template <typename Scalar>
HELIORAY_HD BasicMirrorPoint<Scalar> mirror_point(const FieldView& field,
                                                  const HeliostatRecord& h,
                                                  float xi,
                                                  float eta,
                                                  FacetPoint<Scalar>& local) {
    float within;
    const FacetRecord& facet = choose_facet(field, h, xi, within);
    facet_point(facet, field.floats, Scalar(within), Scalar(eta), local);
    const Scalar length = sqrt_(dot(local.normal, local.normal));

    BasicMirrorPoint<Scalar> result;
    // The interval's float width stands for the area share, so the weight stays unbiased.
    result.residual = length * local.area / facet.area;
    const Vec<Scalar> in_mirror = add_scaled(
        rotate(facet.rotation, local.point), Scalar(1.0f), to_vec<Scalar>(facet.translation));
    result.position =
        add_scaled(rotate(h.rotation, in_mirror), Scalar(1.0f), to_vec<Scalar>(h.translation));
    result.normal =
        rotate(h.rotation, rotate(facet.rotation, scaled(Scalar(1.0f) / length, local.normal)));
    const Vec<Scalar> e{Scalar(h.rotation[0]), Scalar(h.rotation[3]), Scalar(h.rotation[6])};
    result.tangent_e = normalized(add_scaled(e, -dot(e, result.normal), result.normal));
    result.tangent_n = cross(result.normal, result.tangent_e);
    return result;
}

template <typename Scalar = float>
HELIORAY_HD BasicMirrorPoint<Scalar> mirror_point(const FieldView& field,
                                                  const HeliostatRecord& h,
                                                  float xi,
                                                  float eta) {
    FacetPoint<Scalar> local;
    return mirror_point(field, h, xi, eta, local);
}

}  // namespace helioray::kernels

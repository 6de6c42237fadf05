// SPDX-License-Identifier: MIT
// From the derivatives at a mirror point back to the heliostat's pose and the facet's control
// points.
#pragma once

#include "kernels/surface/facet_point.h"
#include "kernels/trace_flux_backward.h"

namespace helioray::kernels {

/// Transposed row-major 3 x 3 matrix times vector.
template <typename Real>
HELIORAY_HD Vec<Real> rotate_back(const float (&m)[9], const Vec<Real>& v) {
    return {fma_(Real(m[0]), v.x, fma_(Real(m[3]), v.y, Real(m[6]) * v.z)),
            fma_(Real(m[1]), v.x, fma_(Real(m[4]), v.y, Real(m[7]) * v.z)),
            fma_(Real(m[2]), v.x, fma_(Real(m[5]), v.y, Real(m[8]) * v.z))};
}

/// Derivatives at a mirror point.
struct PointAdjoint {
    Vec<float> position;  ///< target frame
    Vec<float> normal;    ///< target frame
    float value;          ///< the loss, which is proportional to the point's area element
};

/// Adds column times row of two vectors to the derivatives with respect to the rotation.
template <typename Sink>
HELIORAY_HD void add_outer(const Vec<float>& column, const Vec<float>& row, Sink& sink) {
    const float columns[3] = {column.x, column.y, column.z};
    for (int i = 0; i < 3; ++i) {
        sink.add(kRotationGradient + 3 * i, columns[i] * row.x);
        sink.add(kRotationGradient + 3 * i + 1, columns[i] * row.y);
        sink.add(kRotationGradient + 3 * i + 2, columns[i] * row.z);
    }
}

/// Adds the derivatives with respect to the control points of a B-spline facet; those of the point,
/// of the tangents along u and v.
template <int kDegree, typename Sink>
HELIORAY_HD void bspline_adjoint(const FacetRecord& facet,
                                 const SurfacePatch<float>& patch,
                                 const Vec<float>& point,
                                 const Vec<float>& tangent_u,
                                 const Vec<float>& tangent_v,
                                 Sink& sink) {
    const int p = kDegree > 0 ? kDegree : facet.degrees[0];
    const int q = kDegree > 0 ? kDegree : facet.degrees[1];
    const int32_t num_v = facet.num_control_points[1];
    const BasisValues<float>& bu = patch.basis_u;
    const BasisValues<float>& bv = patch.basis_v;
    for (int i = 0; i <= p; ++i) {
        const int64_t row =
            facet.control_points + 3 * (static_cast<int64_t>(bu.first + i) * num_v + bv.first);
        const Vec<float> along =
            add_scaled(scaled(bu.value[i], point), bu.derivative[i], tangent_u);
        const Vec<float> across = scaled(bu.value[i], tangent_v);
        for (int j = 0; j <= q; ++j) {
            const Vec<float> sum = add_scaled(scaled(bv.value[j], along), bv.derivative[j], across);
            const int64_t entry = row + 3 * static_cast<int64_t>(j);
            sink.add_float(entry, sum.x);
            sink.add_float(entry + 1, sum.y);
            sink.add_float(entry + 2, sum.z);
        }
    }
}

/// Adds the derivatives of the mirror point that is `local` in its facet's frame: those of the
/// rotation and translation, and on a B-spline facet those of its control points. Sink offers
/// add(HeliostatGradient, float) and add_float(index into FieldView::floats, float).
///
/// Where on the facet the point lies and which facet was chosen is held fixed; the area that it
/// stands for is not.
template <typename Sink>
HELIORAY_HD void point_adjoint(const HeliostatRecord& h,
                               const FacetPoint<float>& local,
                               const PointAdjoint& adjoint,
                               Sink& sink) {
    const FacetRecord& facet = *local.facet.record;

    // Pose.
    const Vec<float> in_mirror =
        add_scaled(rotate(facet.rotation, local.point), 1.0f, to_vec(facet.translation));
    const float length = sqrt_(dot(local.normal, local.normal));
    const Vec<float> unit = scaled(1.0f / length, local.normal);
    add_outer(adjoint.position, in_mirror, sink);
    add_outer(adjoint.normal, rotate(facet.rotation, unit), sink);
    sink.add(kTranslationGradient, adjoint.position.x);
    sink.add(kTranslationGradient + 1, adjoint.position.y);
    sink.add(kTranslationGradient + 2, adjoint.position.z);
    if (facet.kind != FacetKind::bspline) return;

    // Surface: the normal's direction, and its length as area element.
    const Vec<float> to_point =
        rotate_back(facet.rotation, rotate_back(h.rotation, adjoint.position));
    const Vec<float> to_unit = rotate_back(facet.rotation, rotate_back(h.rotation, adjoint.normal));
    const float inverse_length = 1.0f / length;
    const Vec<float> to_normal =
        scaled(inverse_length, add_scaled(to_unit, adjoint.value - dot(to_unit, unit), unit));
    const Vec<float> to_tangent_u = cross(local.patch.tangent_v, to_normal);
    const Vec<float> to_tangent_v = cross(to_normal, local.patch.tangent_u);
    if (facet.degrees[0] == 3 && facet.degrees[1] == 3) {
        bspline_adjoint<3>(facet, local.patch, to_point, to_tangent_u, to_tangent_v, sink);
    } else {
        bspline_adjoint<0>(facet, local.patch, to_point, to_tangent_u, to_tangent_v, sink);
    }
}

}  // namespace helioray::kernels

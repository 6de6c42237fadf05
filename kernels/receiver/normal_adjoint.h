// SPDX-License-Identifier: MIT
// Adjoint of the unit normal at a point of a surface: how it turns when the point moves.
#pragma once

#include "kernels/receiver/target.h"

namespace helioray::kernels {

/// Gradient G of a function that is 0 on a surface, and its derivatives: a diagonal matrix, of
/// which a multiple of u u^T is subtracted.
template <typename Real>
struct SurfaceBend {
    Vec<Real> gradient;
    Vec<Real> diagonal;
    Vec<Real> u;  ///< zero: nothing is subtracted
    Real factor;
};

/// Returns the function's derivatives at a point in the surface's own frame; all zero for flat
/// surfaces.
template <typename Real>
HELIORAY_HD SurfaceBend<Real> surface_bend(const TargetRecord& shape, const Vec<Real>& point) {
    const Real zero(0.0f), one(1.0f);
    const Vec<Real> none{zero, zero, zero};
    switch (shape.kind) {
        case TargetKind::plane:
        case TargetKind::disc:
        case TargetKind::annulus:
        case TargetKind::mesh:
            break;
        case TargetKind::cylinder_outside:
        case TargetKind::cylinder_inside:
            return {{point.x, point.y, zero}, {one, one, zero}, none, zero};
        case TargetKind::cone: {
            const ConeProfile profile(shape);
            const float square = profile.widening * profile.widening;
            return {{point.x, point.y, Real(-profile.widening) * profile.radius(point.z)},
                    {one, one, Real(-square)},
                    none,
                    zero};
        }
        case TargetKind::sphere:
            return {point, {one, one, one}, none, zero};
        case TargetKind::quadric: {
            const Real bend(1.0f + shape.conic_constant);
            return {{point.x, point.y, fma_(bend, point.z, Real(-shape.curvature_radius))},
                    {one, one, bend},
                    none,
                    zero};
        }
        case TargetKind::concentrator: {
            const ConcentratorProfile profile(shape);
            const Real w = max_(profile.parameter(point.z), Real(1e-6f));
            const Real slope = profile.slope(w), rate = profile.slope_rate(w);
            if (shape.side_tangent != 0.0f)
                return {{zero, one, -slope}, {zero, zero, -rate}, none, zero};
            const Real square = fma_(point.x, point.x, point.y * point.y);
            const Real inverse = one / sqrt_(max_(square, Real(1e-20f)));
            const Vec<Real> outward{point.x * inverse, point.y * inverse, zero};
            return {{outward.x, outward.y, -slope}, {inverse, inverse, -rate}, outward, inverse};
        }
    }
    return {{zero, zero, one}, none, none, zero};
}

/// Returns the derivative with respect to the point, of which to_normal is that with respect to the
/// unit normal there; all in the surface's own frame.
template <typename Real>
HELIORAY_HD Vec<Real> normal_adjoint(const TargetRecord& shape,
                                     const Vec<Real>& point,
                                     const Vec<Real>& normal,
                                     const Vec<Real>& to_normal) {
    const SurfaceBend<Real> bend = surface_bend(shape, point);
    // The normal is +-G / |G|.
    const Real along = dot(normal, bend.gradient);
    const Vec<Real> across =
        scaled(Real(1.0f) / along, add_scaled(to_normal, -dot(normal, to_normal), normal));
    const Real part = -(bend.factor * dot(bend.u, across));
    const Vec<Real>& d = bend.diagonal;
    return {fma_(part, bend.u.x, d.x * across.x),
            fma_(part, bend.u.y, d.y * across.y),
            fma_(part, bend.u.z, d.z * across.z)};
}

}  // namespace helioray::kernels

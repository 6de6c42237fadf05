// SPDX-License-Identifier: MIT
// The way of rays from the sun over one mirror point to the target: geometry alone, no power.
#pragma once

#include "kernels/random/angular.h"
#include "kernels/random/sequence.h"
#include "kernels/ray/intersect.h"
#include "kernels/ray/occlusion.h"
#include "kernels/ray/reflect.h"
#include "kernels/surface/facet_point.h"

namespace helioray::kernels {

/// What all rays of a heliostat share.
template <typename Scalar>
struct BasicRayContext {
    Vec<Scalar> sun;     ///< unit direction to the sun's centre
    Vec<Scalar> sun_t1;  ///< tangents of it
    Vec<Scalar> sun_t2;
};
using RayContext = BasicRayContext<float>;

template <typename Scalar>
HELIORAY_HD BasicRayContext<Scalar> ray_context(const Vec<Scalar>& sun) {
    BasicRayContext<Scalar> context;
    context.sun = sun;
    tangent_basis(context.sun, context.sun_t1, context.sun_t2);
    return context;
}
template <typename Scalar = float>
HELIORAY_HD BasicRayContext<Scalar> ray_context(const HeliostatRecord& h) {
    return ray_context(to_vec<Scalar>(h.sun_direction));
}

/// A direction drawn about an axis: offsets on the tangent plane, radians.
template <typename Real>
struct Offset {
    Real a, b;
};

/// Rays in the lanes of Real.
template <typename Real>
struct RayPath {
    Vec<Real> to_sun;          ///< unit
    Offset<Real> sun;          ///< of to_sun about the direction to the sun's centre
    Offset<Real> slope;        ///< of the normal
    Vec<Real> specular;        ///< unit, reflected without specularity error
    Offset<Real> specularity;  ///< of `reflected` about `specular`
    Vec<Real> reflected;       ///< unit
    TargetHit<Real> hit;       ///< on the front, inside the outline, through the aperture
};

/// Rays that pass through the window before it ends at `distance`.
template <typename Real, typename Scalar>
HELIORAY_HD auto passes_aperture(const ApertureRecord& aperture,
                                 const Vec<Scalar>& origin,
                                 const Vec<Real>& r,
                                 Real distance) {
    const Vec<Scalar> from_center = origin - to_vec<Scalar>(aperture.center);
    const Vec<Scalar> normal = to_vec<Scalar>(aperture.normal);
    const Real toward = dot(broadcast<Real>(normal), r);
    const Real t = Real(-dot(normal, from_center)) / toward;
    const Vec<Scalar> axis_x = to_vec<Scalar>(aperture.axis_x);
    const Vec<Scalar> axis_y = to_vec<Scalar>(aperture.axis_y);
    const Real x = fma_(t, dot(broadcast<Real>(axis_x), r), Real(dot(axis_x, from_center)));
    const Real y = fma_(t, dot(broadcast<Real>(axis_y), r), Real(dot(axis_y, from_center)));
    const Real size =
        aperture.kind == ApertureRecord::Kind::disc ? fma_(x, x, y * y) : max_(abs_(x), abs_(y));
    return (toward < Real(0.0f)) & (t > Real(0.0f)) & (t < distance) & (size <= Real(1.0f));
}

/// Hits that count: inside the target's outline, through its aperture.
template <typename Real, typename Scalar>
HELIORAY_HD void restrict_hit(const FieldView& field,
                              const TargetRecord& target,
                              const Vec<Scalar>& origin,
                              const Vec<Real>& r,
                              TargetHit<Real>& hit) {
    const float* edge = field.floats + target.edges;
    for (int32_t i = 0; i < target.num_edges; ++i, edge += 3) {
        hit.mask =
            hit.mask & (fma_(Real(edge[0]), hit.across, Real(edge[1]) * hit.up) <= Real(edge[2]));
    }
    if (target.aperture.kind != ApertureRecord::Kind::none) {
        hit.mask = hit.mask & passes_aperture(target.aperture, origin, r, hit.distance);
    }
}

/// Sun sample, reflection, hit. Light that the tilted normal would send behind the mirror does not
/// hit. Scalar is what the mirror point is computed in.
template <typename Real, typename Scalar>
HELIORAY_HD void trace_path(const FieldView& field,
                            const BasicRayContext<Scalar>& context,
                            const TargetRecord& target,
                            const BasicMirrorPoint<Scalar>& point,
                            const RayNumbers<Real>& numbers,
                            RayPath<Real>& path) {
    // Sun.
    const auto& u = numbers.sun_and_slope;
    sample_angles(field.sun, field.floats, u[0], u[1], path.sun.a, path.sun.b);
    path.to_sun = offset_direction(broadcast<Real>(context.sun),
                                   broadcast<Real>(context.sun_t1),
                                   broadcast<Real>(context.sun_t2),
                                   path.sun.a,
                                   path.sun.b);

    // Mirror.
    sample_angles(field.slope_error, field.floats, u[2], u[3], path.slope.a, path.slope.b);
    const Vec<Real> n = broadcast<Real>(point.normal);
    Real facing;
    path.specular = reflect_at_slope(path.to_sun,
                                     n,
                                     broadcast<Real>(point.tangent_e),
                                     broadcast<Real>(point.tangent_n),
                                     path.slope.a,
                                     path.slope.b,
                                     facing);
    path.reflected = path.specular;
    if (field.specularity_error.kind != AngularShape::Kind::none) {
        const auto& v = numbers.specularity;
        sample_angles(field.specularity_error,
                      field.floats,
                      v[0],
                      v[1],
                      path.specularity.a,
                      path.specularity.b);
        Vec<Real> t1, t2;
        tangent_basis(path.specular, t1, t2);
        path.reflected =
            offset_direction(path.specular, t1, t2, path.specularity.a, path.specularity.b);
    }

    // Target.
    intersect_target(target, broadcast<Real>(point.position), path.reflected, path.hit);
    path.hit.mask = path.hit.mask & (facing > Real(0.0f)) & (dot(n, path.reflected) > Real(0.0f));
    restrict_hit(field, target, point.position, path.reflected, path.hit);
}

}  // namespace helioray::kernels

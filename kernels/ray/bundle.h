// SPDX-License-Identifier: MIT
// One bundle of rays from one mirror point: from uniform numbers to hits and quanta.
#pragma once

#include "kernels/random/angular.h"
#include "kernels/ray/air.h"
#include "kernels/ray/intersect.h"
#include "kernels/ray/occlusion.h"
#include "kernels/ray/reflect.h"
#include "kernels/surface/facet_point.h"

namespace helioray::kernels {

/// What all rays of a heliostat share.
struct RayContext {
    Vec<float> sun;     ///< unit direction to the sun's centre
    Vec<float> sun_t1;  ///< tangents of it
    Vec<float> sun_t2;
};

HELIORAY_HD RayContext ray_context(const HeliostatRecord& h) {
    RayContext context;
    context.sun = to_vec(h.sun_direction);
    tangent_basis(context.sun, context.sun_t1, context.sun_t2);
    return context;
}

/// All rays from a mirror point to the sun.
HELIORAY_HD RayCone sun_cone(const FieldView& field,
                             const RayContext& context,
                             const MirrorPoint& point) {
    return {point.position, context.sun, field.shading_tangent};
}

/// All rays that leave a mirror point.
HELIORAY_HD RayCone reflected_cone(const FieldView& field,
                                   const RayContext& context,
                                   const MirrorPoint& point) {
    const float twice = 2.0f * dot(point.normal, context.sun);
    return {point.position,
            add_scaled(scaled(-1.0f, context.sun), twice, point.normal),
            field.blocking_tangent};
}

/// Outcome of the rays in the lanes of Real; quanta are integers from the first moment on.
template <typename Real>
struct RayOutcome {
    using Int = typename LaneTraits<Real>::Int;
    Int quanta[kNumEnergySums];  ///< by EnergySum; kDeliveredSum is 0 where the target is missed
    TargetHit<Real> hit;
};

/// Rays that pass through the window before it ends at `distance`.
template <typename Real>
HELIORAY_HD auto passes_aperture(const ApertureRecord& aperture,
                                 const Vec<float>& origin,
                                 const Vec<Real>& r,
                                 Real distance) {
    const Vec<float> from_center = origin - to_vec(aperture.center);
    const Vec<float> normal = to_vec(aperture.normal);
    const Real toward = dot(broadcast<Real>(normal), r);
    const Real t = Real(-dot(normal, from_center)) / toward;
    const Vec<float> axis_x = to_vec(aperture.axis_x);
    const Vec<float> axis_y = to_vec(aperture.axis_y);
    const Real x = fma_(t, dot(broadcast<Real>(axis_x), r), Real(dot(axis_x, from_center)));
    const Real y = fma_(t, dot(broadcast<Real>(axis_y), r), Real(dot(axis_y, from_center)));
    const Real size =
        aperture.kind == ApertureRecord::Kind::disc ? fma_(x, x, y * y) : max_(abs_(x), abs_(y));
    return (toward < Real(0.0f)) & (t > Real(0.0f)) & (t < distance) & (size <= Real(1.0f));
}

/// Hits that count: inside the target's outline, through its aperture.
template <typename Real>
HELIORAY_HD void restrict_hit(const FieldView& field,
                              const TargetRecord& target,
                              const Vec<float>& origin,
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

/// Farther than anything.
inline constexpr float kNoLimit = 1e30f;
/// Bodies may stand closely behind the target's surface that they carry, metres.
inline constexpr float kBodyGap = 0.01f;

/// Traces the rays whose uniform numbers in (0, 1) are u[0..3]: sun polar, sun azimuth, slope
/// polar, slope azimuth; and v[0..1] for the specularity error if there is one. Lanes outside
/// `active` carry nothing. Light that the tilted normal would send behind the mirror is spilled.
///
/// Occlusion tells what is in the way: shaded(s) and blocked(r, limit, body_limit), masks over
/// unit directions; mirrors count up to the limit, bodies up to the body_limit.
template <typename Real, typename Occlusion>
HELIORAY_HD RayOutcome<Real> trace_rays(const FieldView& field,
                                        const RayContext& context,
                                        const TargetRecord& target,
                                        const MirrorPoint& point,
                                        float ray_power,
                                        const Real (&u)[4],
                                        const Real (&v)[2],
                                        typename LaneTraits<Real>::Mask active,
                                        const Occlusion& occlusion) {
    // Sun.
    Real a, b;
    sample_angles(field.sun, field.floats, u[0], u[1], a, b);
    const Vec<Real> s = offset_direction(broadcast<Real>(context.sun),
                                         broadcast<Real>(context.sun_t1),
                                         broadcast<Real>(context.sun_t2),
                                         a,
                                         b);

    // Power through the true surface element.
    const Vec<Real> n = broadcast<Real>(point.normal);
    const Real cosine = max_(dot(n, s), Real(0.0f));
    RayOutcome<Real> outcome;
    auto& quanta = outcome.quanta;
    const auto zero = make_int(0, a);
    quanta[kIncidentSum] =
        select(active, round_to_int(cosine * Real(ray_power * point.residual)), zero);
    quanta[kUnshadedSum] = quanta[kIncidentSum];
    if (field.shading != 0) {
        quanta[kUnshadedSum] = select(occlusion.shaded(s), zero, quanta[kIncidentSum]);
    }

    // Mirror.
    sample_angles(field.slope_error, field.floats, u[2], u[3], a, b);
    Real facing;
    Vec<Real> r = reflect_at_slope(
        s, n, broadcast<Real>(point.tangent_e), broadcast<Real>(point.tangent_n), a, b, facing);
    if (field.specularity_error.kind != AngularShape::Kind::none) {
        sample_angles(field.specularity_error, field.floats, v[0], v[1], a, b);
        Vec<Real> t1, t2;
        tangent_basis(r, t1, t2);
        r = offset_direction(r, t1, t2, a, b);
    }
    quanta[kReflectedSum] =
        round_to_int(to_real(quanta[kUnshadedSum], a) * Real(field.reflectivity));
    const auto leaves = (facing > Real(0.0f)) & (dot(n, r) > Real(0.0f));

    // Target.
    outcome.hit = intersect_target(target, broadcast<Real>(point.position), r);
    outcome.hit.mask = outcome.hit.mask & leaves;
    restrict_hit(field, target, point.position, r, outcome.hit);
    const auto& hit = outcome.hit;

    // Way to the target.
    quanta[kUnblockedSum] = quanta[kReflectedSum];
    if (field.blocking != 0) {
        const auto blocked =
            occlusion.blocked(r,
                              select(hit.mask, hit.distance, Real(kNoLimit)),
                              select(hit.mask, hit.distance - Real(kBodyGap), Real(0.0f)));
        quanta[kUnblockedSum] = select(blocked, zero, quanta[kReflectedSum]);
    }
    auto arriving = quanta[kUnblockedSum];
    if (field.air.is_clear == 0) {
        // Light that misses the target is attenuated as if it ended at the target's distance.
        const Real to_center(sqrt_(dot(point.position, point.position)));
        const Real through = transmittance(field.air, select(hit.mask, hit.distance, to_center));
        arriving = round_to_int(to_real(arriving, a) * through);
    }
    quanta[kAttenuatedSum] = quanta[kUnblockedSum] - arriving;
    quanta[kDeliveredSum] = select(hit.mask, arriving, zero);
    return outcome;
}

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// One bundle of rays from one mirror point: from uniform numbers to hits and quanta.
#pragma once

#include "kernels/random/angular.h"
#include "kernels/ray/intersect.h"
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
    context.sun = {h.sun_direction[0], h.sun_direction[1], h.sun_direction[2]};
    tangent_basis(context.sun, context.sun_t1, context.sun_t2);
    return context;
}

/// Outcome of the rays in the lanes of Real; quanta are integers from the first moment on.
template <typename Real>
struct RayOutcome {
    using Int = typename LaneTraits<Real>::Int;
    Int incident;   ///< quanta after the cosine
    Int reflected;  ///< quanta after the reflectivity
    Int delivered;  ///< quanta on the target; 0 where it is missed
    TargetHit<Real> hit;
};

/// Traces the rays whose uniform numbers in (0, 1) are u[0..3]: sun polar, sun azimuth, slope
/// polar, slope azimuth. Lanes outside `active` carry nothing. Light that the tilted normal would
/// send behind the mirror is spilled.
template <typename Real>
HELIORAY_HD RayOutcome<Real> trace_rays(const FieldView& field,
                                        const RayContext& context,
                                        const TargetRecord& target,
                                        const MirrorPoint& point,
                                        float ray_power,
                                        const Real (&u)[4],
                                        typename LaneTraits<Real>::Mask active) {
    // Sun.
    Real a, b;
    sample_angles(field.sun, u[0], u[1], a, b);
    const Vec<Real> s = offset_direction(broadcast<Real>(context.sun),
                                         broadcast<Real>(context.sun_t1),
                                         broadcast<Real>(context.sun_t2),
                                         a,
                                         b);

    // Power through the true surface element.
    const Vec<Real> n = broadcast<Real>(point.normal);
    const Real cosine = max_(dot(n, s), Real(0.0f));
    RayOutcome<Real> outcome;
    const auto zero = make_int(0, a);
    outcome.incident =
        select(active, round_to_int(cosine * Real(ray_power * point.residual)), zero);

    // Mirror.
    sample_angles(field.slope_error, u[2], u[3], a, b);
    Real facing;
    const Vec<Real> r = reflect_at_slope(
        s, n, broadcast<Real>(point.tangent_e), broadcast<Real>(point.tangent_n), a, b, facing);
    outcome.reflected = round_to_int(to_real(outcome.incident, a) * Real(field.reflectivity));
    const auto leaves = (facing > Real(0.0f)) & (dot(n, r) > Real(0.0f));

    // Target.
    outcome.hit = intersect_target(target, broadcast<Real>(point.position), r);
    outcome.hit.mask = outcome.hit.mask & leaves;
    outcome.delivered = select(outcome.hit.mask, outcome.reflected, zero);
    return outcome;
}

}  // namespace helioray::kernels

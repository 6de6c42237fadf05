// SPDX-License-Identifier: MIT
// Rays from the sun over one mirror point to the target: from uniform numbers to hits (trace_path)
// and to quanta (trace_rays).
#pragma once

#include "kernels/core/assert.h"
#include "kernels/random/angular.h"
#include "kernels/random/sequence.h"
#include "kernels/ray/air.h"
#include "kernels/ray/incidence.h"
#include "kernels/ray/near_surfaces.h"
#include "kernels/ray/occlusion.h"
#include "kernels/ray/reflect.h"
#include "kernels/receiver/target.h"
#include "kernels/surface/facet_point.h"

namespace helioray::kernels {

/// Values that all rays of a heliostat share.
template <typename Scalar>
struct BasicRayContext {
    Vec<Scalar> sun;     ///< unit direction to the sun's centre
    Vec<Scalar> sun_t1;  ///< tangents of `sun`
    Vec<Scalar> sun_t2;
    const MirrorOptics* optics;  ///< optics of the heliostat's record
};
using RayContext = BasicRayContext<float>;

template <typename Scalar = float>
HELIORAY_HD BasicRayContext<Scalar> ray_context(const HeliostatRecord& h) {
    BasicRayContext<Scalar> context;
    context.sun = to_vec<Scalar>(h.sun_direction);
    tangent_basis(context.sun, context.sun_t1, context.sun_t2);
    context.optics = &h.optics;
    return context;
}

/// Rays in the lanes of Real. Hit: TargetHit or SurfaceHit.
template <typename Real, typename Hit = TargetHit<Real>>
struct RayPath {
    Vec<Real> to_sun;          ///< unit
    Offset<Real> sun;          ///< offset of to_sun from the direction to the sun's centre
    Offset<Real> slope;        ///< slope error of the normal
    Vec<Real> specular;        ///< reflected unit direction without specularity error
    Offset<Real> specularity;  ///< offset of `reflected` from `specular`
    Vec<Real> reflected;       ///< unit
    Hit hit;                   ///< hit on the front, inside the outline, through the aperture
};

/// Samples the sun, reflects the ray and intersects the target: a TargetRecord or NearSurfaces.
/// Light that the tilted normal would send behind the mirror does not hit. Scalar is the number
/// type of the mirror point.
template <typename Real, typename Scalar, typename Receiver, typename Hit>
HELIORAY_HD void trace_path(const FieldView& field,
                            const BasicRayContext<Scalar>& context,
                            const Receiver& target,
                            const BasicMirrorPoint<Scalar>& point,
                            const RayNumbers<Real>& numbers,
                            RayPath<Real, Hit>& path) {
    const auto& u = numbers.sun_and_slope;
    sample_angles(field.sun, field.sun.width, field.floats, u[0], u[1], path.sun.a, path.sun.b);
    path.to_sun = offset_direction(broadcast<Real>(context.sun),
                                   broadcast<Real>(context.sun_t1),
                                   broadcast<Real>(context.sun_t2),
                                   path.sun.a,
                                   path.sun.b);

    sample_angles(field.slope_error,
                  context.optics->slope_width,
                  field.floats,
                  u[2],
                  u[3],
                  path.slope.a,
                  path.slope.b);
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
                      context.optics->specularity_width,
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

    meet_receiver(field, target, point.position, path.reflected, path.hit);
    keep_where((facing > Real(0.0f)) & (dot(n, path.reflected) > Real(0.0f)), path.hit);
}

/// Does nothing, because a single target needs no search.
HELIORAY_HD void look_from(const FieldView&,
                           const RayContext&,
                           const MirrorPoint&,
                           const TargetRecord&) {}

/// Returns a cone with all rays from a mirror point to the sun.
HELIORAY_HD RayCone sun_cone(const FieldView& field,
                             const RayContext& context,
                             const MirrorPoint& point) {
    return {point.position, context.sun, field.shading_tangent};
}

/// Returns a cone with all rays that leave a mirror point.
HELIORAY_HD RayCone reflected_cone(const FieldView& field,
                                   const RayContext& context,
                                   const MirrorPoint& point) {
    const float twice = 2.0f * dot(point.normal, context.sun);
    return {point.position,
            add_scaled(scaled(-1.0f, context.sun), twice, point.normal),
            field.blocking_tangent};
}

/// Finds the surfaces of receivers that rays from the point can meet.
template <typename Lanes>
HELIORAY_HD void look_from(const FieldView& field,
                           const RayContext& context,
                           const MirrorPoint& point,
                           NearSurfaces<Lanes>& surfaces) {
    surfaces.find(reflected_cone(field, context, point));
}

/// Smallest distance behind the surface of a target at which a body that carries it may begin,
/// metres.
inline constexpr float kBodyGap = 0.01f;

/// Returns the reflected rays that are blocked: by mirrors anywhere up to the hit (also if the
/// target is missed), by bodies only if they keep light from the target.
template <typename Real, typename Hit, typename Occlusion>
HELIORAY_HD auto is_blocked(const RayPath<Real, Hit>& path, const Occlusion& occlusion) {
    const auto& hit = path.hit;
    return occlusion.blocked(path.reflected,
                             select(ends(hit), hit.distance, Real(kNoLimit)),
                             select(ends(hit), hit.distance - Real(kBodyGap), Real(0.0f)));
}

/// Returns the transmittance of the air. Light that misses the target is attenuated as if it ended
/// at the target's distance.
template <typename Hit, typename Scalar>
HELIORAY_HD auto air_transmittance(const FieldView& field,
                                   const BasicMirrorPoint<Scalar>& point,
                                   const Hit& hit) {
    const decltype(hit.distance) to_center(sqrt_(dot(point.position, point.position)));
    return transmittance(field.air, select(ends(hit), hit.distance, to_center));
}

/// Results of the rays in the lanes of Real; quanta are integers from the start.
template <typename Real, typename Hit = TargetHit<Real>>
struct RayOutcome {
    using Int = typename LaneTraits<Real>::Int;
    RayPath<Real, Hit> path;
    Int quanta[kNumEnergySums];  ///< by EnergySum; kDeliveredSum is 0 if the target is missed
    Int arriving;                ///< quanta that the air lets through, wherever the ray ends
};

/// Traces the rays of the given uniform numbers; lanes outside `active` carry no power.
///
/// Occlusion offers shaded(s) and blocked(r, limit, body_limit), which return masks for unit
/// directions; mirrors are tested up to the limit, bodies up to the body_limit.
template <typename Real, typename Receiver, typename Occlusion>
HELIORAY_HD auto trace_rays(const FieldView& field,
                            const RayContext& context,
                            const Receiver& target,
                            const MirrorPoint& point,
                            float ray_power,
                            const RayNumbers<Real>& numbers,
                            typename LaneTraits<Real>::Mask active,
                            const Occlusion& occlusion) {
    using Hit = typename ReceiverHit<Receiver, Real>::Type;
    RayOutcome<Real, Hit> outcome;
    trace_path(field, context, target, point, numbers, outcome.path);
    const RayPath<Real, Hit>& path = outcome.path;
    auto& quanta = outcome.quanta;
    const Real any_real = path.to_sun.x;
    const auto zero = make_int(0, any_real);

    // Power through the true surface element.
    const Real cosine = max_(dot(broadcast<Real>(point.normal), path.to_sun), Real(0.0f));
    quanta[kIncidentSum] =
        select(active, round_to_int(cosine * Real(ray_power * point.residual)), zero);
    HELIORAY_ASSERT(smallest(quanta[kIncidentSum]) >= 0 && largest(quanta[kIncidentSum]) < 1 << 24,
                    "the quanta of a ray fit 128 times into 32 bits");
    quanta[kUnshadedSum] = quanta[kIncidentSum];
    if (field.shading != 0) {
        quanta[kUnshadedSum] = select(occlusion.shaded(path.to_sun), zero, quanta[kIncidentSum]);
    }
    Real reflectivity(context.optics->reflectivity);
    if (field.has_incidence_table != 0)
        reflectivity = reflectivity * incidence_factor(field, cosine).value;
    quanta[kReflectedSum] = round_to_int(to_real(quanta[kUnshadedSum], any_real) * reflectivity);

    quanta[kUnblockedSum] = quanta[kReflectedSum];
    if (field.blocking != 0) {
        quanta[kUnblockedSum] = select(is_blocked(path, occlusion), zero, quanta[kReflectedSum]);
    }
    auto arriving = quanta[kUnblockedSum];
    if (field.air.is_clear == 0) {
        const Real through = air_transmittance(field, point, path.hit);
        arriving = round_to_int(to_real(arriving, any_real) * through);
    }
    quanta[kAttenuatedSum] = quanta[kUnblockedSum] - arriving;
    quanta[kDeliveredSum] = select(path.hit.mask, arriving, zero);
    outcome.arriving = arriving;
    return outcome;
}

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// One bundle of rays from one mirror point: from uniform numbers to hits and quanta.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/ray/air.h"
#include "kernels/ray/path.h"

namespace helioray::kernels {

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

/// Bodies may stand closely behind the target's surface that they carry, metres.
inline constexpr float kBodyGap = 0.01f;

/// Reflected rays that something stands in the way of: mirrors anywhere up to the hit (also where
/// the target is missed), bodies only where they keep light from the target.
template <typename Real, typename Occlusion>
HELIORAY_HD auto is_blocked(const RayPath<Real>& path, const Occlusion& occlusion) {
    const auto& hit = path.hit;
    return occlusion.blocked(path.reflected,
                             select(hit.mask, hit.distance, Real(kNoLimit)),
                             select(hit.mask, hit.distance - Real(kBodyGap), Real(0.0f)));
}

/// Transmittance of the air; light that misses the target is attenuated as if it ended at the
/// target's distance.
template <typename Real, typename Scalar>
HELIORAY_HD Real air_transmittance(const FieldView& field,
                                   const BasicMirrorPoint<Scalar>& point,
                                   const TargetHit<Real>& hit) {
    const Real to_center(sqrt_(dot(point.position, point.position)));
    return transmittance(field.air, select(hit.mask, hit.distance, to_center));
}

/// Outcome of the rays in the lanes of Real; quanta are integers from the first moment on.
template <typename Real>
struct RayOutcome {
    using Int = typename LaneTraits<Real>::Int;
    RayPath<Real> path;
    Int quanta[kNumEnergySums];  ///< by EnergySum; kDeliveredSum is 0 where the target is missed
};

/// Traces the rays of the given uniform numbers; lanes outside `active` carry nothing.
///
/// Occlusion tells what is in the way: shaded(s) and blocked(r, limit, body_limit), masks over
/// unit directions; mirrors count up to the limit, bodies up to the body_limit.
template <typename Real, typename Occlusion>
HELIORAY_HD RayOutcome<Real> trace_rays(const FieldView& field,
                                        const RayContext& context,
                                        const TargetRecord& target,
                                        const MirrorPoint& point,
                                        float ray_power,
                                        const RayNumbers<Real>& numbers,
                                        typename LaneTraits<Real>::Mask active,
                                        const Occlusion& occlusion) {
    RayOutcome<Real> outcome;
    trace_path(field, context, target, point, numbers, outcome.path);
    const RayPath<Real>& path = outcome.path;
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
    quanta[kReflectedSum] =
        round_to_int(to_real(quanta[kUnshadedSum], any_real) * Real(field.reflectivity));

    // Way to the target.
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
    return outcome;
}

}  // namespace helioray::kernels

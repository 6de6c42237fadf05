// SPDX-License-Identifier: MIT
// Derivatives of the power that a ray delivers, backwards along its path.
//
// The outline alone: the adjoint of each step stands below the step itself, in reflect.h, air.h,
// the headers of the receivers and of the surface.
//
// Every ray contributes Q g(across, up) to the loss, Q its power in quanta, g the gradient of the
// loss per quantum between the pixels' centres. The adjoint of a quantity is the derivative of that
// contribution with respect to it. Which rays are shaded, blocked or miss the target is held fixed:
// the derivative excludes light that crosses such an edge.
//
// A tangent frame moves with its axis without turning about it. Its distribution is even all
// around, so the turn that the frame of the forward pass makes in addition has mean 0.
#pragma once

#include "kernels/ray/path.h"
#include "kernels/receiver/pixels.h"

namespace helioray::kernels {

/// Derivatives with respect to the values that a bundle's rays share.
template <typename Real>
struct PathAdjoint {
    static constexpr int kSize = 13;

    HELIORAY_HD void copy_to(Real (&values)[kSize]) const {
        const Vec<Real> vectors[3] = {position, normal, sun};
        for (int i = 0; i < 3; ++i) {
            values[3 * i] = vectors[i].x;
            values[3 * i + 1] = vectors[i].y;
            values[3 * i + 2] = vectors[i].z;
        }
        values[9] = sun_width;
        values[10] = slope_width;
        values[11] = specularity_width;
        values[12] = value;
    }

    HELIORAY_HD static PathAdjoint from(const Real (&values)[kSize]) {
        return {{values[0], values[1], values[2]},
                {values[3], values[4], values[5]},
                {values[6], values[7], values[8]},
                values[9],
                values[10],
                values[11],
                values[12]};
    }

    Vec<Real> position;  ///< of the mirror point, per metre
    Vec<Real> normal;    ///< of the normal there (tangent frame carried along)
    Vec<Real> sun;       ///< of the direction to the sun's centre
    Real sun_width;      ///< of AngularShape::width, per radian; 0 for tables
    Real slope_width;
    Real specularity_width;
    Real value;  ///< the contribution itself
};

/// Adjoints of the rays that trace_rays delivers for the same numbers; zero in other lanes.
/// gradient: [bitmap_height, bitmap_width] of the target, loss per quantum.
template <typename Real, typename Occlusion>
HELIORAY_HD PathAdjoint<Real> path_adjoint(const FieldView& field,
                                           const RayContext& context,
                                           const TargetRecord& target,
                                           const MirrorPoint& point,
                                           float ray_power,
                                           const RayNumbers<Real>& numbers,
                                           typename LaneTraits<Real>::Mask active,
                                           const Occlusion& occlusion,
                                           const float* gradient) {
    RayPath<Real> path;
    trace_path(field, context, target, point, numbers, path);
    const Vec<Real> n = broadcast<Real>(point.normal);
    const Vec<Real>& s = path.to_sun;
    const Real zero(0.0f);
    PathAdjoint<Real> adjoint;

    // Rays that count, and their power without cosine.
    const Real cosine = dot(n, s);
    auto counts = active & path.hit.mask & (cosine > zero);
    if (field.shading != 0) counts = counts & !occlusion.shaded(s);
    if (field.blocking != 0) counts = counts & !is_blocked(path, occlusion);
    Real power(ray_power * point.residual * field.reflectivity);
    const Real distance = select(counts, path.hit.distance, Real(1.0f));
    const GradientAtHit<Real> at_hit =
        gradient_at(path.hit, gradient, field.bitmap_width, field.bitmap_height);
    Real by_distance = zero;
    if (field.air.is_clear == 0) {
        by_distance = power * cosine * at_hit.value * transmittance_slope(field.air, distance);
        power = power * transmittance(field.air, distance);
    }
    const Real quanta = power * cosine;

    // Target, specularity error, mirror.
    Vec<Real> to_reflected;
    target_adjoint(target,
                   broadcast<Real>(point.position),
                   path.reflected,
                   distance,
                   at_hit,
                   quanta,
                   by_distance,
                   adjoint.position,
                   to_reflected);
    Vec<Real> to_specular = to_reflected;
    adjoint.specularity_width = zero;
    if (field.specularity_error.kind != AngularShape::Kind::none) {
        offset_adjoint(path.reflected,
                       path.specular,
                       path.specularity,
                       to_reflected,
                       scalable_width(field.specularity_error),
                       to_specular,
                       adjoint.specularity_width);
    }
    Vec<Real> to_sun;
    reflect_adjoint(s,
                    n,
                    broadcast<Real>(point.tangent_e),
                    broadcast<Real>(point.tangent_n),
                    path.slope,
                    to_specular,
                    scalable_width(field.slope_error),
                    to_sun,
                    adjoint.normal,
                    adjoint.slope_width);

    // Cosine, and the sample of the sun.
    const Real to_cosine = power * at_hit.value;
    adjoint.normal = add_scaled(adjoint.normal, to_cosine, s);
    to_sun = add_scaled(to_sun, to_cosine, n);
    offset_adjoint(s,
                   broadcast<Real>(context.sun),
                   path.sun,
                   to_sun,
                   scalable_width(field.sun),
                   adjoint.sun,
                   adjoint.sun_width);

    const auto keep = [&](Real x) { return select(counts, x, zero); };
    const auto keep_all = [&](const Vec<Real>& v) {
        return Vec<Real>{keep(v.x), keep(v.y), keep(v.z)};
    };
    adjoint.position = keep_all(adjoint.position);
    adjoint.normal = keep_all(adjoint.normal);
    adjoint.sun = keep_all(adjoint.sun);
    adjoint.sun_width = keep(adjoint.sun_width);
    adjoint.slope_width = keep(adjoint.slope_width);
    adjoint.specularity_width = keep(adjoint.specularity_width);
    adjoint.value = keep(quanta * at_hit.value);
    return adjoint;
}

/// Adds the sums over a bundle's rays to the derivatives of its heliostat; `local` is its mirror
/// point in the facet's frame.
template <typename Sink>
HELIORAY_HD void add_bundle(const HeliostatRecord& h,
                            const FacetPoint<float>& local,
                            const PathAdjoint<float>& total,
                            Sink& sink) {
    sink.add(kSunDirectionGradient, total.sun.x);
    sink.add(kSunDirectionGradient + 1, total.sun.y);
    sink.add(kSunDirectionGradient + 2, total.sun.z);
    sink.add(kSunWidthGradient, total.sun_width);
    sink.add(kSlopeWidthGradient, total.slope_width);
    sink.add(kSpecularityWidthGradient, total.specularity_width);
    sink.add(kValueGradient, total.value);
    point_adjoint(h, local, {total.position, total.normal, total.value}, sink);
}

}  // namespace helioray::kernels

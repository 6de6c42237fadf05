// SPDX-License-Identifier: MIT
// Derivatives of the power that a ray delivers, backwards along its path.
//
// The order of the steps: the formulas of each stand below those of the way there, in reflect.h,
// air.h, and the headers of the receivers and of the surface.
//
// Every ray contributes Q g(across, up) to the loss, Q its power in quanta, g the gradient of the
// loss per quantum between the pixels' centres. The adjoint of a quantity is the derivative of that
// contribution with respect to it. Light that crosses edges adds to it: of what is in the way
// (occlusion_edges.h) and of the target (receiver/rim.h), all of which stand still.
//
// A tangent frame moves with its axis without turning about it. Its distribution is even all
// around, so the turn that the frame of the forward pass makes in addition has mean 0.
#pragma once

#include "kernels/ray/occlusion_edges.h"
#include "kernels/ray/path.h"
#include "kernels/receiver/pixels.h"
#include "kernels/receiver/rim.h"

namespace helioray::kernels {

/// The vector where the mask is set, else zero.
template <typename Real>
HELIORAY_HD Vec<Real> kept_where(const typename LaneTraits<Real>::Mask& mask, const Vec<Real>& v) {
    const Real zero(0.0f);
    return {select(mask, v.x, zero), select(mask, v.y, zero), select(mask, v.z, zero)};
}

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

    /// The same where the mask is set, else zero.
    HELIORAY_HD PathAdjoint kept(const typename LaneTraits<Real>::Mask& mask) const {
        const Real zero(0.0f);
        return {kept_where(mask, position),
                kept_where(mask, normal),
                kept_where(mask, sun),
                select(mask, sun_width, zero),
                select(mask, slope_width, zero),
                select(mask, specularity_width, zero),
                select(mask, value, zero)};
    }

    Vec<Real> position;  ///< of the mirror point, per metre
    Vec<Real> normal;    ///< of the normal there (tangent frame carried along)
    Vec<Real> sun;       ///< of the direction to the sun's centre
    Real sun_width;      ///< of AngularShape::width, per radian; 0 for tables
    Real slope_width;
    Real specularity_width;
    Real value;  ///< the contribution itself
};

/// What is in the way of rays that reach the target where nothing is.
template <typename Real, typename Occlusion>
HELIORAY_HD FreeRays<Real> find_free_rays(const FieldView& field,
                                          const RayPath<Real>& path,
                                          float reach,
                                          const Occlusion& occlusion) {
    const Real no_limit(kNoLimit);
    EdgeMeeting<Real> sunward{path.to_sun, no_limit, no_limit, reach};
    EdgeMeeting<Real> targetward{
        path.reflected, mirror_limit(path.hit), body_limit(path.hit), reach};
    if (field.shading != 0) occlusion.toward_sun(sunward);
    if (field.blocking != 0) occlusion.toward_target(targetward);
    return free_rays(sunward, targetward);
}

/// Attenuates `power`, that of the rays without cosine, over the distance. Returns what the loss
/// changes with the distance because of the air.
template <typename Real>
HELIORAY_HD Real
attenuate_adjoint(const AirRecord& air, Real distance, Real cosine, Real gradient, Real& power) {
    if (air.is_clear != 0) return Real(0.0f);
    const Real by_distance = power * cosine * gradient * transmittance_slope(air, distance);
    power = power * transmittance(air, distance);
    return by_distance;
}

/// Back through the mirror: from the reflected direction to the direction to the sun, and to the
/// normal and both errors in `adjoint`.
template <typename Real>
HELIORAY_HD void mirror_adjoint(const FieldView& field,
                                const MirrorPoint& point,
                                const RayPath<Real>& path,
                                const Vec<Real>& to_reflected,
                                Vec<Real>& to_sun,
                                PathAdjoint<Real>& adjoint) {
    Vec<Real> to_specular = to_reflected;
    adjoint.specularity_width = Real(0.0f);
    if (field.specularity_error.kind != AngularShape::Kind::none) {
        offset_adjoint(path.reflected,
                       path.specular,
                       path.specularity,
                       to_reflected,
                       scalable_width(field.specularity_error),
                       to_specular,
                       adjoint.specularity_width);
    }
    reflect_adjoint(path.to_sun,
                    broadcast<Real>(point.normal),
                    broadcast<Real>(point.tangent_e),
                    broadcast<Real>(point.tangent_n),
                    path.slope,
                    to_specular,
                    scalable_width(field.slope_error),
                    to_sun,
                    adjoint.normal,
                    adjoint.slope_width);
}

/// Adds what crosses the rim of the target, up to `reach` metres from it, to the derivatives at
/// hits, and hits beyond the rim to path.hit.mask. These have no value of their own.
template <typename Real>
HELIORAY_HD void add_rim(const FieldView& field,
                         const TargetRecord& target,
                         const MirrorPoint& point,
                         float reach,
                         RayPath<Real>& path,
                         GradientAtHit<Real>& at_hit) {
    NearestRim<Real> rim;
    find_rim(field, target, path.hit, rim);
    const typename LaneTraits<Real>::Mask near = abs_(rim.outside) < Real(reach);
    if (!any(near)) return;
    const Real zero(0.0f);
    const auto on_target = path.hit.mask;
    auto beyond = near & (rim.outside > zero) & !on_target &
                  (dot(broadcast<Real>(point.normal), path.reflected) > zero) &
                  meets_front(target, broadcast<Real>(point.position), path.reflected, path.hit);
    if (target.aperture.kind != ApertureRecord::Kind::none) {
        beyond = beyond & passes_aperture(
                              target.aperture, point.position, path.reflected, path.hit.distance);
    }
    // The gradient on the rim.
    const Real back_across =
        rim.outside * rim.by_across * Real(1.0f / (target.width * target.width));
    const Real back_up = rim.outside * rim.by_up * Real(1.0f / (target.height * target.height));
    const Real value = at_hit.value - fma_(back_across, at_hit.by_across, back_up * at_hit.by_up);
    const Real peak = select(on_target | beyond, -(value * step_peak(rim.outside, reach)), zero);
    at_hit.by_across = fma_(peak, rim.by_across, select(on_target, at_hit.by_across, zero));
    at_hit.by_up = fma_(peak, rim.by_up, select(on_target, at_hit.by_up, zero));
    at_hit.value = select(on_target, at_hit.value, zero);
    path.hit.mask = on_target | beyond;
}

/// Adjoints of the rays that trace_rays delivers for the same numbers; zero in other lanes.
/// gradient: [bitmap_height, bitmap_width] of the target, loss per quantum; edges_reach: metres,
/// see edge_reach.
template <typename Real, typename Occlusion>
HELIORAY_HD PathAdjoint<Real> path_adjoint(const FieldView& field,
                                           const RayContext& context,
                                           const TargetRecord& target,
                                           const MirrorPoint& point,
                                           float ray_power,
                                           float edges_reach,
                                           const RayNumbers<Real>& numbers,
                                           typename LaneTraits<Real>::Mask active,
                                           const Occlusion& occlusion,
                                           const float* gradient) {
    RayPath<Real> path;
    trace_path(field, context, target, point, numbers, path);
    const Real zero(0.0f);
    const Vec<Real> n = broadcast<Real>(point.normal);
    const Vec<Real>& s = path.to_sun;
    const Real cosine = dot(n, s);
    auto at_hit = gradient_at(path.hit, gradient, field.bitmap_width, field.bitmap_height);
    const float rim_reach = kRimReach * sqrt_(dot(point.position, point.position));
    const Vec<Real> o = broadcast<Real>(point.position);
    const GradientAtHit<Real> on_surface = at_hit;
    const auto on_target = path.hit.mask;
    add_rim(field, target, point, rim_reach, path, at_hit);
    const auto counts = active & path.hit.mask & (cosine > zero);

    const Real distance = select(counts, path.hit.distance, Real(1.0f));
    Real power(ray_power * point.residual * field.reflectivity);
    const Real by_distance = attenuate_adjoint(field.air, distance, cosine, at_hit.value, power);
    const Real quanta = power * cosine;
    PathAdjoint<Real> adjoint;
    adjoint.value = quanta * at_hit.value;
    Real to_cosine = power * at_hit.value;

    Vec<Real> to_reflected, to_sun;
    const Vec<Real>& r = path.reflected;
    target_adjoint(
        target, o, r, distance, at_hit, quanta, by_distance, adjoint.position, to_reflected);
    if (target.kind == TargetKind::cylinder_outside) {
        add_cylinder_sides(target,
                           o,
                           r,
                           rim_reach,
                           on_surface,
                           select(on_target, quanta, zero),
                           adjoint.position,
                           to_reflected);
    }
    Vec<Real> sun_at_edges{zero, zero, zero};
    if (field.shading != 0 || field.blocking != 0) {
        // Rays that are hidden count at the edges of what hides them alone.
        const FreeRays<Real> rays = find_free_rays(field, path, edges_reach, occlusion);
        const Real value = adjoint.value;
        adjoint.value = select(rays.mask, value, zero);
        to_cosine = select(rays.mask, to_cosine, zero);
        adjoint.position =
            add_scaled(kept_where(rays.mask, adjoint.position), value, rays.to_origin);
        to_reflected = add_scaled(kept_where(rays.mask, to_reflected), value, rays.to_reflected);
        sun_at_edges = scaled(value, rays.to_sun);
    }
    mirror_adjoint(field, point, path, to_reflected, to_sun, adjoint);
    to_sun = add_scaled(to_sun, Real(1.0f), sun_at_edges);

    // The cosine depends on the normal and on the sun's sample.
    adjoint.normal = add_scaled(adjoint.normal, to_cosine, s);
    to_sun = add_scaled(to_sun, to_cosine, n);
    const Vec<Real> axis = broadcast<Real>(context.sun);
    const float width = scalable_width(field.sun);
    offset_adjoint(s, axis, path.sun, to_sun, width, adjoint.sun, adjoint.sun_width);
    return adjoint.kept(counts);
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

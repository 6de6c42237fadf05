// SPDX-License-Identifier: MIT
// Derivatives of the power that a ray delivers, backwards along its path.
//
// The adjoint functions of each step follow those of its forward pass in reflect.h, air.h, and the
// headers of the receivers and of the surface.
//
// Every ray contributes Q g(across, up) to the loss, where Q is its power in quanta and g the
// gradient of the loss per quantum between the pixels' centres. The adjoint of a quantity is the
// derivative of that contribution with respect to it. The sets of rays that are shaded, blocked or
// miss the target are held fixed. Light that crosses the edges of bodies and the rims of receivers
// is added if requested (BodyAndRimEdges); light that crosses the edges of mirrors is excluded.
// Light on the surfaces of receivers has derivatives, too (SurfacesLight).
//
// A tangent frame moves with its axis without turning about it. The distributions are symmetric
// about the axis, so the additional turn of the frame in the forward pass has mean 0.
#pragma once

#include "kernels/ray/body_edges.h"
#include "kernels/ray/path.h"
#include "kernels/ray/surface_adjoint.h"
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

    /// Returns the adjoint where the mask is set, otherwise zero.
    HELIORAY_HD PathAdjoint kept(const typename LaneTraits<Real>::Mask& mask) const {
        const auto keep = [&](Real x) { return select(mask, x, Real(0.0f)); };
        return {keep_vec(mask, position),
                keep_vec(mask, normal),
                keep_vec(mask, sun),
                keep(sun_width),
                keep(slope_width),
                keep(specularity_width),
                keep(value)};
    }

    Vec<Real> position;  ///< with respect to the mirror point, per metre
    Vec<Real> normal;    ///< with respect to its normal (the tangent frame moves with it)
    Vec<Real> sun;       ///< with respect to the direction to the sun's centre
    Real sun_width;      ///< with respect to FieldView::sun.width, per radian; 0 for tables
    Real slope_width;
    Real specularity_width;
    Real value;  ///< the contribution itself
};

/// Returns the rays whose light is on a map: that of the target, or those of surfaces' fronts.
template <typename Real>
HELIORAY_HD auto reaches_map(const TargetHit<Real>& hit) {
    return hit.mask;
}
template <typename Real>
HELIORAY_HD auto reaches_map(const SurfaceHit<Real>& hit) {
    return hit.front;
}

/// Returns the active rays that bring light to a map.
template <typename Real, typename Hit, typename Occlusion>
HELIORAY_HD auto delivering(const FieldView& field,
                            const RayPath<Real, Hit>& path,
                            Real cosine,
                            typename LaneTraits<Real>::Mask active,
                            const Occlusion& occlusion) {
    auto counts = active & reaches_map(path.hit) & (cosine > Real(0.0f));
    if (field.shading != 0) counts = counts & !occlusion.shaded(path.to_sun);
    if (field.blocking != 0) counts = counts & !is_blocked(path, occlusion);
    return counts;
}

/// Attenuates `power`, the power of the rays without cosine, over the distance. Returns the
/// derivative of the loss with respect to the distance due to the air.
template <typename Real>
HELIORAY_HD Real
attenuate_adjoint(const AirRecord& air, Real distance, Real cosine, Real gradient, Real& power) {
    if (air.is_clear != 0) return Real(0.0f);
    const Real by_distance = power * cosine * gradient * transmittance_slope(air, distance);
    power = power * transmittance(air, distance);
    return by_distance;
}

/// Adjoint of the mirror: from the reflected direction to the direction to the sun, and to the
/// normal and both errors in `adjoint`.
template <typename Real, typename Hit>
HELIORAY_HD void mirror_adjoint(const FieldView& field,
                                const MirrorOptics& optics,
                                const MirrorPoint& point,
                                const RayPath<Real, Hit>& path,
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
                       scalable_width(field.specularity_error, optics.specularity_width),
                       to_specular,
                       adjoint.specularity_width);
    }
    reflect_adjoint(path.to_sun,
                    broadcast<Real>(point.normal),
                    broadcast<Real>(point.tangent_e),
                    broadcast<Real>(point.tangent_n),
                    path.slope,
                    to_specular,
                    scalable_width(field.slope_error, optics.slope_width),
                    to_sun,
                    adjoint.normal,
                    adjoint.slope_width);
}

/// Excludes light that crosses edges, at no cost.
struct NoEdges {
    static constexpr bool kCounted = false;
};

/// Includes light that crosses the edges of bodies and the rims of receivers.
struct BodyAndRimEdges {
    static constexpr bool kCounted = true;
    float reach;  ///< reach of edge_density(), metres; 0: excludes this light
};

/// Adds light that crosses the rim of the target to the derivatives at a hit.
template <typename Real>
HELIORAY_OUT_OF_LINE void add_rim(const FieldView& field,
                                  const TargetRecord& target,
                                  const TargetHit<Real>& hit,
                                  float reach,
                                  GradientAtHit<Real>& at_hit) {
    const RimGap<Real> rim = rim_gap(field, target, hit);
    const Real density = edge_density(rim.gap, Real(reach)) * at_hit.value;
    const Real share = select(rim.gap < Real(reach), density, Real(0.0f));
    at_hit.by_across = fma_(share, rim.by_across, at_hit.by_across);
    at_hit.by_up = fma_(share, rim.by_up, at_hit.by_up);
}

/// The loss of light on a target that stands alone.
struct TargetLight {
    const float* gradient;  ///< [bitmap_height, bitmap_width] loss per quantum

    /// Returns the light of a path's rays: its loss per quantum, and what adjoint() needs.
    template <typename Real, typename Edges>
    HELIORAY_HD GradientAtHit<Real> receive(const FieldView& field,
                                            const TargetRecord& target,
                                            const RayPath<Real>& path,
                                            const Vec<Real>&,
                                            Real,
                                            typename LaneTraits<Real>::Mask,
                                            const Edges& edges) const {
        auto at_hit = gradient_at(path.hit, gradient, field.bitmap_width, field.bitmap_height);
        if constexpr (Edges::kCounted) {
            if (edges.reach > 0.0f) add_rim(field, target, path.hit, edges.reach, at_hit);
        }
        return at_hit;
    }

    /// Computes the derivatives with respect to the origin o and the direction r of the rays.
    template <typename Real>
    HELIORAY_HD void adjoint(const TargetRecord& target,
                             const GradientAtHit<Real>& at_hit,
                             const Vec<Real>& o,
                             const Vec<Real>& r,
                             Real distance,
                             Real quanta,
                             Real by_distance,
                             Vec<Real>& to_origin,
                             Vec<Real>& to_direction) const {
        target_adjoint(
            target, o, r, distance, at_hit, quanta, by_distance, to_origin, to_direction);
    }
};

/// The loss of light on the surfaces of receivers, for the rays of a vector. See TargetLight.
template <typename Real>
struct SurfacesLight {
    const SurfaceLight<Real>& surfaces;
    uint32_t random_id;                         ///< see SurfaceLight::receive()
    typename LaneTraits<Real>::Uint low, high;  ///< see SurfaceLight::receive()

    template <typename Receiver, typename Edges>
    HELIORAY_HD ReceivedLight<Real> receive(const FieldView&,
                                            const Receiver&,
                                            const RayPath<Real, SurfaceHit<Real>>& path,
                                            const Vec<Real>& o,
                                            Real distance,
                                            typename LaneTraits<Real>::Mask counts,
                                            const Edges&) const {
        static_assert(!Edges::kCounted, "derivatives exclude the rims of surfaces");
        const Vec<Real> point = add_scaled(o, distance, path.reflected);
        return surfaces.receive(path.hit, counts, point, path.reflected, random_id, low, high);
    }

    template <typename Receiver>
    HELIORAY_HD void adjoint(const Receiver&,
                             const ReceivedLight<Real>& light,
                             const Vec<Real>&,
                             const Vec<Real>& r,
                             Real distance,
                             Real quanta,
                             Real by_distance,
                             Vec<Real>& to_origin,
                             Vec<Real>& to_direction) const {
        const HitAdjoint<Real> hit{scaled(quanta, light.hit.point), light.hit.normal};
        end_adjoint(hit, r, distance, by_distance, to_origin, to_direction);
        to_direction = add_scaled(to_direction, quanta, light.to_direction);
    }
};

/// Adds the derivatives of light that passes the edges of bodies along the unit direction d at
/// distances in (0, limit). value: contribution of the rays.
template <typename Real, typename Occlusion>
HELIORAY_OUT_OF_LINE void add_edges(const Occlusion& occlusion,
                                    float reach,
                                    const Vec<Real>& d,
                                    const Real& limit,
                                    const Real& value,
                                    Vec<Real>& to_origin,
                                    Vec<Real>& to_direction) {
    EdgeSums<Real> passed(reach);
    occlusion.pass_bodies(d, limit, passed);
    to_origin = add_scaled(to_origin, value, passed.by_origin);
    to_direction = add_scaled(to_direction, value, passed.by_direction);
}

/// Returns the adjoints of the rays that trace_rays() delivers for the same numbers; zero in other
/// lanes. Light: TargetLight or SurfacesLight. Edges: NoEdges or, for a target that stands alone,
/// BodyAndRimEdges, with which Occlusion must offer pass_bodies(d, limit, EdgeSums).
template <typename Real,
          typename Receiver,
          typename Occlusion,
          typename Light,
          typename Edges = NoEdges>
HELIORAY_HD PathAdjoint<Real> path_adjoint(const FieldView& field,
                                           const RayContext& context,
                                           const Receiver& target,
                                           const MirrorPoint& point,
                                           float ray_power,
                                           const RayNumbers<Real>& numbers,
                                           typename LaneTraits<Real>::Mask active,
                                           const Occlusion& occlusion,
                                           const Light& light,
                                           const Edges& edges = {}) {
    RayPath<Real, typename ReceiverHit<Receiver, Real>::Type> path;
    trace_path(field, context, target, point, numbers, path);
    const Vec<Real> n = broadcast<Real>(point.normal);
    const Vec<Real>& s = path.to_sun;
    const Real cosine = dot(n, s);
    const auto counts = delivering(field, path, cosine, active, occlusion);

    const Vec<Real> o = broadcast<Real>(point.position);
    const Real distance = select(counts, path.hit.distance, Real(1.0f));
    const auto at_hit = light.receive(field, target, path, o, distance, counts, edges);
    Real power(ray_power * point.residual * context.optics->reflectivity);
    if (field.has_incidence_table != 0) power = power * incidence_factor(field, cosine).value;
    const Real by_distance = attenuate_adjoint(field.air, distance, cosine, at_hit.value, power);
    const Real quanta = power * cosine;
    PathAdjoint<Real> adjoint;
    adjoint.value = quanta * at_hit.value;

    Vec<Real> to_reflected, to_sun;
    const Vec<Real>& r = path.reflected;
    light.adjoint(
        target, at_hit, o, r, distance, quanta, by_distance, adjoint.position, to_reflected);
    if constexpr (Edges::kCounted) {
        if (edges.reach > 0.0f && field.blocking != 0) {
            add_edges(occlusion,
                      edges.reach,
                      r,
                      distance - Real(kBodyGap),
                      adjoint.value,
                      adjoint.position,
                      to_reflected);
        }
    }
    mirror_adjoint(field, *context.optics, point, path, to_reflected, to_sun, adjoint);
    if constexpr (Edges::kCounted) {
        if (edges.reach > 0.0f && field.shading != 0) {
            add_edges(
                occlusion, edges.reach, s, Real(kNoLimit), adjoint.value, adjoint.position, to_sun);
        }
    }

    // The cosine depends on the normal and on the sun's sample.
    Real to_cosine = power * at_hit.value;
    if (field.has_incidence_table != 0) {
        // Computed again, because CUDA has no registers left that would keep it. Without any
        // reflected light there is no derivative.
        const IncidenceFactor<Real> incidence = incidence_factor(field, cosine);
        const Real relative = incidence.by_cosine / max_(incidence.value, Real(1e-6f));
        to_cosine = fma_(relative * cosine, to_cosine, to_cosine);
    }
    adjoint.normal = add_scaled(adjoint.normal, to_cosine, s);
    to_sun = add_scaled(to_sun, to_cosine, n);
    const Vec<Real> axis = broadcast<Real>(context.sun);
    const float width = scalable_width(field.sun, field.sun.width);
    offset_adjoint(s, axis, path.sun, to_sun, width, adjoint.sun, adjoint.sun_width);
    return adjoint.kept(counts);
}

/// Adds the sums over a bundle's rays to the derivatives of its heliostat. `local` is its mirror
/// point in the facet's frame.
template <typename Sink>
HELIORAY_OUT_OF_LINE void add_bundle(const HeliostatRecord& h,
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

// SPDX-License-Identifier: MIT
// Derivatives of what a ray delivers, backwards along its path.
//
// Every ray contributes Q g(across, up) to the loss, Q its power in quanta, g the gradient of the
// loss per quantum between the pixels' centres. The adjoint of a quantity is the derivative of that
// contribution with respect to it. Which rays are shaded, blocked or miss the target is held fixed:
// what crosses such an edge is not in the derivative.
//
// A tangent frame moves with its axis without turning about it. Its distribution is even all
// around, so the turn that the frame of the forward pass makes in addition has mean 0.
#pragma once

#include "kernels/ray/bundle.h"
#include "kernels/surface/point_adjoint.h"

namespace helioray::kernels {

/// Derivatives with respect to what a bundle's rays share.
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

/// Value of g at the hit and its derivatives with respect to across and up.
template <typename Real>
struct GradientAtHit {
    Real value, by_across, by_up;
};

/// Bilinear between pixel centres and constant beyond the outer ones, as the bilinear filter
/// deposits. gradient: [height, width].
template <typename Real>
HELIORAY_HD GradientAtHit<Real> gradient_at(const TargetHit<Real>& hit,
                                            const float* gradient,
                                            int32_t width,
                                            int32_t height) {
    const Real any_real = hit.across;
    const Real w(static_cast<float>(width));
    const Real h(static_cast<float>(height));
    const Real zero(0.0f);
    const auto none = make_int(0, any_real);
    const auto one = make_int(1, any_real);
    const auto last_column = make_int(width - 1, any_real);
    const auto last_row = make_int(height - 1, any_real);
    const auto row_length = make_int(width, any_real);
    const Real x = fma_(hit.across, w, fma_(w, Real(0.5f), Real(-0.5f)));
    const Real y = fma_(-hit.up, h, fma_(h, Real(0.5f), Real(-0.5f)));
    const Real cx = min_(max_(x, zero), w);
    const Real cy = min_(max_(y, zero), h);
    const auto column0 = max_(min_(truncate_to_int(cx), last_column), none);
    const auto row0 = max_(min_(truncate_to_int(cy), last_row), none);
    const auto column1 = min_(column0 + one, last_column);
    const auto row1 = min_(row0 + one, last_row);
    const Real fx = cx - to_real(column0, any_real);
    const Real fy = cy - to_real(row0, any_real);
    HELIORAY_ASSERT(smallest(row0) >= 0 && largest(row1) < height && smallest(column0) >= 0 &&
                        largest(column1) < width,
                    "a hit's pixels are part of the bitmap");
    const Real g00 = gather(gradient, row0 * row_length + column0, any_real);
    const Real g01 = gather(gradient, row0 * row_length + column1, any_real);
    const Real g10 = gather(gradient, row1 * row_length + column0, any_real);
    const Real g11 = gather(gradient, row1 * row_length + column1, any_real);
    const Real upper = fma_(fx, g01 - g00, g00);
    const Real lower = fma_(fx, g11 - g10, g10);
    GradientAtHit<Real> result;
    result.value = fma_(fy, lower - upper, upper);
    const Real slope_x = fma_(fy, (g11 - g10) - (g01 - g00), g01 - g00);
    result.by_across = select(x > zero, w * slope_x, zero);
    result.by_up = select(y > zero, -h * (lower - upper), zero);
    return result;
}

/// From (across, up) back to the point of the hit, and the surface's normal there.
template <typename Real>
struct HitAdjoint {
    Vec<Real> point;
    Vec<Real> normal;
};

template <typename Real>
HELIORAY_HD HitAdjoint<Real> hit_adjoint(const TargetRecord& target,
                                         const Vec<Real>& point,
                                         const GradientAtHit<Real>& g) {
    HitAdjoint<Real> result;
    const Real zero(0.0f);
    if (target.kind == TargetKind::plane) {
        result.point = {
            g.by_across * Real(1.0f / target.width), g.by_up * Real(1.0f / target.height), zero};
        result.normal = {zero, zero, Real(1.0f)};
        return result;
    }
    // across = side * atan2(x, y) / opening angle, up = z / height.
    const float side = target.inner_side != 0 ? 1.0f : -1.0f;
    const float turn = side / (target.opening_angle * target.radius * target.radius);
    const Real k = g.by_across * Real(turn);
    result.point = {k * point.y, -(k * point.x), g.by_up * Real(1.0f / target.height)};
    result.normal = {point.x, point.y, zero};
    return result;
}

/// Derivative of the transmittance with respect to the distance, per metre.
template <typename Real>
HELIORAY_HD Real transmittance_slope(const AirRecord& air, Real distance) {
    const Real d = distance * Real(1e-3f);
    Real near = Real(4.0f * air.coefficients[4]);
    for (int i = 3; i >= 1; --i)
        near = fma_(near, d, Real(static_cast<float>(i) * air.coefficients[i]));
    const Real far = Real(-air.far_rate * air.far_scale) * exp_negative(Real(-air.far_rate) * d);
    return Real(1e-3f) * select(d > Real(air.limit_km), far, near);
}

/// Back through offset_direction: from a unit direction to its axis and to the width that the
/// offset is proportional to.
template <typename Real>
HELIORAY_HD void offset_adjoint(const Vec<Real>& direction,
                                const Vec<Real>& axis,
                                const Offset<Real>& offset,
                                const Vec<Real>& from_direction,
                                float width,
                                Vec<Real>& to_axis,
                                Real& to_width) {
    // direction = cos(theta) axis + sin(theta) / theta (a t1 + b t2).
    Real cosine, sinc;
    cosine_and_sinc(fma_(offset.a, offset.a, offset.b * offset.b), cosine, sinc);
    const Real along = dot(from_direction, axis);
    // Across the axis, in units of theta: e = a t1 + b t2.
    const Vec<Real> e = scaled(Real(1.0f) / sinc, add_scaled(direction, -cosine, axis));
    // The axis turns, and e with it: d e = -(e . d axis) axis.
    to_axis = add_scaled(scaled(cosine, from_direction), -(sinc * along), e);
    // d direction / d width = theta / width (cos(theta) e / theta - sin(theta) axis).
    const Real q = fma_(offset.a, offset.a, offset.b * offset.b);
    to_width = width > 0.0f
                   ? (cosine * dot(from_direction, e) - sinc * q * along) * Real(1.0f / width)
                   : Real(0.0f);
}

/// Width of a shape that is proportional to it; 0 for the others.
HELIORAY_HD float scalable_width(const AngularShape& shape) {
    return shape.kind == AngularShape::Kind::gaussian || shape.kind == AngularShape::Kind::pillbox
               ? shape.width
               : 0.0f;
}

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
    const Vec<Real> origin = broadcast<Real>(point.position);
    const Vec<Real>& s = path.to_sun;
    const Vec<Real>& r = path.reflected;
    const Real zero(0.0f);

    // Rays that count, and their power without cosine.
    const Real cosine = dot(n, s);
    auto counts = active & path.hit.mask & (cosine > zero);
    if (field.shading != 0) counts = counts & !occlusion.shaded(s);
    if (field.blocking != 0) counts = counts & !is_blocked(path, occlusion);
    Real power(ray_power * point.residual * field.reflectivity);
    const Real distance = select(counts, path.hit.distance, Real(1.0f));
    Real by_distance = zero;
    const GradientAtHit<Real> at_hit =
        gradient_at(path.hit, gradient, field.bitmap_width, field.bitmap_height);
    if (field.air.is_clear == 0) {
        by_distance = power * cosine * at_hit.value * transmittance_slope(field.air, distance);
        power = power * transmittance(field.air, distance);
    }
    const Real quanta = power * cosine;

    // Hit: the distance follows from the surface, N . (do + t dr + r dt) = 0.
    const Vec<Real> hit_point = add_scaled(origin, distance, r);
    HitAdjoint<Real> hit = hit_adjoint(target, hit_point, at_hit);
    hit.point = scaled(quanta, hit.point);
    const Real lambda = (dot(hit.point, r) + by_distance) / dot(hit.normal, r);
    Vec<Real> to_origin = add_scaled(hit.point, -lambda, hit.normal);
    Vec<Real> to_reflected = scaled(distance, to_origin);

    // Specularity error.
    PathAdjoint<Real> adjoint;
    adjoint.specularity_width = zero;
    if (field.specularity_error.kind != AngularShape::Kind::none) {
        Vec<Real> to_specular;
        offset_adjoint(r,
                       path.specular,
                       path.specularity,
                       to_reflected,
                       scalable_width(field.specularity_error),
                       to_specular,
                       adjoint.specularity_width);
        to_reflected = to_specular;
    }

    // Reflection r = k m - s at m = n + a e + b f, k = 2 (m . s) / D, D = 1 + a^2 + b^2.
    const Real a = path.slope.a;
    const Real b = path.slope.b;
    const Vec<Real> slope = add_scaled(
        scaled(a, broadcast<Real>(point.tangent_e)), b, broadcast<Real>(point.tangent_n));
    const Vec<Real> m = add_scaled(n, Real(1.0f), slope);
    const Real inverse_d = Real(1.0f) / fma_(a, a, fma_(b, b, Real(1.0f)));
    const Real facing = dot(m, s);
    const Real k = (facing + facing) * inverse_d;
    const Real to_k = dot(to_reflected, m);
    const Real to_facing = (to_k + to_k) * inverse_d;
    const Vec<Real> to_m = add_scaled(scaled(k, to_reflected), to_facing, s);
    Vec<Real> to_sun = add_scaled(scaled(to_facing, m), Real(-1.0f), to_reflected);
    // The tangents turn with the normal: d slope = -(slope . dn) n.
    Vec<Real> to_normal = add_scaled(to_m, -dot(to_m, n), slope);
    const float slope_width = scalable_width(field.slope_error);
    const Real to_squares = -(to_k * k * inverse_d);
    adjoint.slope_width =
        slope_width > 0.0f
            ? (dot(to_m, slope) + (to_squares + to_squares) * fma_(a, a, b * b)) / Real(slope_width)
            : zero;

    // Cosine, and the sample of the sun.
    const Real to_cosine = power * at_hit.value;
    to_normal = add_scaled(to_normal, to_cosine, s);
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
    adjoint.position = keep_all(to_origin);
    adjoint.normal = keep_all(to_normal);
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

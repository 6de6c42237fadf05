// SPDX-License-Identifier: MIT
// Derivatives of the light on surfaces of receivers: of the first hit, and of light that mirrors
// among the surfaces reflect on.
//
// The surfaces that rays meet are held fixed, so that light that crosses the edge of a surface is
// excluded, as that which crosses the rim of a single target. Light that absorbers reflect is
// excluded, too.
#pragma once

#include "kernels/random/sequence.h"
#include "kernels/ray/path.h"
#include "kernels/ray/reflection.h"
#include "kernels/receiver/normal_adjoint.h"
#include "kernels/receiver/pixels.h"

namespace helioray::kernels {

/// Largest number of reflections by mirrors among the surfaces after which light has derivatives.
inline constexpr int kMostMirrorsOfGradient = 8;

/// Calls function(surface, mask) for every surface of the lanes of a mask; the masks divide it.
/// `function` must be always inlined, for the reason at HELIORAY_HD.
template <typename Real, typename Function>
HELIORAY_HD void for_each_surface(typename LaneTraits<Real>::Int surface,
                                  typename LaneTraits<Real>::Mask lanes,
                                  const Function& function) {
    constexpr int kWidth = LaneTraits<Real>::kWidth;
    const auto none = make_int(-1, Real());
    alignas(64) int32_t surfaces[kWidth];
    store(surfaces, select(lanes, surface, none));
    for (int lane = 0; lane < kWidth; ++lane) {
        const int32_t number = surfaces[lane];
        if (number < 0) continue;
        function(number, lanes & (surface == make_int(number, Real())));
        for (int other = lane; other < kWidth; ++other)
            if (surfaces[other] == number) surfaces[other] = -1;
    }
}

/// Light that ends on a receiver, per quantum that arrives there: its part of the loss, and the
/// derivatives of this part.
template <typename Real>
struct ReceivedLight {
    Real value;
    HitAdjoint<Real> hit;    ///< with respect to the point of the first hit
    Vec<Real> to_direction;  ///< with respect to the direction at this point, which is held fixed
};

/// A place where light arrives on its way from surface to surface.
template <typename Real>
struct LightStage {
    SurfaceHit<Real> hit;
    typename LaneTraits<Real>::Mask lit;  ///< rays that reach the front of a surface here
    Vec<Real> point;                      ///< metres, shared frame
    Vec<Real> direction;                  ///< direction in which the light arrives, unit
    Vec<Real> normal;                     ///< unit normal of the front, if absorptance needs it
    Real weight;                          ///< part of the first light that arrives
    GradientAtHit<Real> at_hit;           ///< loss of the light on the maps, per quantum
    Real by_cosine;  ///< derivative of this loss with respect to the cosine of incidence
    // The following members are for light that goes on.
    typename LaneTraits<Real>::Mask goes_on;
    Vec<Real> mirror_normal;  ///< unit normal of the mirror
    Offset<Real> slopes;      ///< slope error of this normal
};

/// Derivatives of light on the surfaces of receivers.
template <typename Real>
class SurfaceLight {
  public:
    using Int = typename LaneTraits<Real>::Int;
    using Mask = typename LaneTraits<Real>::Mask;
    /// Surfaces with derivatives are no meshes.
    using Mirrors = BasicReflectingSurfaces<false>;

    /// gradient: [num_surfaces, bitmap_height, bitmap_width] loss per quantum; if surfaces reflect,
    /// those of the maps of incident light follow. mirrors: the field's surfaces if it has mirrors
    /// among them, otherwise null.
    HELIORAY_HD SurfaceLight(const FieldView& field, const float* gradient, const Mirrors* mirrors)
        : field_(field), gradient_(gradient), mirrors_(mirrors) {}

    /// Returns the light of rays from their first hit on. low, high: words of the rays' numbers,
    /// see Reflection; random_id: of their heliostat.
    HELIORAY_HD ReceivedLight<Real> receive(const SurfaceHit<Real>& hit,
                                            Mask counts,
                                            const Vec<Real>& point,
                                            const Vec<Real>& direction,
                                            uint32_t random_id,
                                            typename LaneTraits<Real>::Uint low,
                                            typename LaneTraits<Real>::Uint high) const {
        const Real zero(0.0f);
        ReceivedLight<Real> light{zero, {}, {zero, zero, zero}};
        if (mirrors_ == nullptr) {
            LightStage<Real> stage;
            arrive(hit, counts, point, direction, Real(1.0f), stage);
            light.value = stage.at_hit.value;
            light.hit = adjoint_of(stage);
            if (field_.absorptance_tables >= 0)
                add_cosine(stage, light.hit.point, light.to_direction);
            return light;
        }
        LightStage<Real> stages[kMostMirrorsOfGradient + 1];
        arrive(hit, counts, point, direction, Real(1.0f), stages[0]);
        light.value = stages[0].at_hit.value;
        int last = 0;
        while (last < kMostMirrorsOfGradient && any(stages[last].goes_on)) {
            const auto tag = static_cast<StreamTag>(static_cast<uint32_t>(StreamTag::reflection) +
                                                    static_cast<uint32_t>(last));
            go_on(stream<Real>(field_.seed, random_id, tag, low, high),
                  stages[last],
                  stages[last + 1]);
            ++last;
            light.value = fma_(stages[last].weight, stages[last].at_hit.value, light.value);
        }
        // Backwards along the path: derivatives with respect to the point where the light arrives,
        // and to its direction there.
        Vec<Real> to_point{zero, zero, zero}, to_direction{zero, zero, zero};
        for (int k = last; k >= 0; --k) {
            LightStage<Real>& stage = stages[k];
            Vec<Real> own_direction{zero, zero, zero};
            if (k < last) reflect_back(stage, to_point, to_direction, own_direction);
            HitAdjoint<Real> own = adjoint_of(stage);
            own.point = scaled(stage.weight, own.point);
            if (field_.absorptance_tables >= 0) add_cosine(stage, own.point, own_direction);
            own.point = keep_vec(stage.lit, own.point);
            own_direction = keep_vec(stage.lit, own_direction);
            if (k < last)
                own.point = add_scaled(own.point, Real(1.0f), keep_vec(stage.goes_on, to_point));
            if (k == 0) {
                light.hit = own;
                light.to_direction = own_direction;
                break;
            }
            Vec<Real> to_start, to_arrival;
            end_adjoint(own, stage.direction, stage.hit.distance, zero, to_start, to_arrival);
            to_point = keep_vec(stage.lit, to_start);
            to_direction = add_scaled(keep_vec(stage.lit, to_arrival), Real(1.0f), own_direction);
        }
        return light;
    }

  private:
    HELIORAY_HD GradientAtHit<Real> gradient_on_map(const SurfaceHit<Real>& hit,
                                                    int32_t first_map) const {
        const int32_t width = field_.bitmap_width, height = field_.bitmap_height;
        BilinearPlace<Real> place = bilinear_place(hit, width, height);
        const Int first =
            (hit.surface + make_int(first_map, hit.across)) * make_int(width * height, hit.across);
        place.upper_left = place.upper_left + first;
        place.upper_right = place.upper_right + first;
        place.lower_left = place.lower_left + first;
        place.lower_right = place.lower_right + first;
        return gradient_at_place(place, gradient_, width, height);
    }

    /// Computes the loss of light where it arrives.
    HELIORAY_HD void arrive(const SurfaceHit<Real>& hit,
                            Mask lit,
                            const Vec<Real>& point,
                            const Vec<Real>& direction,
                            Real weight,
                            LightStage<Real>& stage) const {
        out_of_line([&]() __attribute__((always_inline)) {
            const Real zero(0.0f), one(1.0f);
            stage.hit = hit;
            stage.lit = lit;
            stage.point = point;
            stage.direction = direction;
            stage.weight = select(lit, weight, zero);
            stage.by_cosine = zero;
            stage.goes_on = one < zero;
            // Rays that miss all surfaces have coordinates of no meaning.
            stage.hit.across = select(lit, hit.across, zero);
            stage.hit.up = select(lit, hit.up, zero);
            stage.hit.surface = select(lit, hit.surface, make_int(0, zero));
            stage.at_hit = gradient_on_map(stage.hit, 0);
            if (field_.absorptance_tables >= 0) stage.normal = normal_at(stage);
            if (field_.reflects == 0) return;
            const Mask meets_mirror = is_mirror(field_, stage.hit.surface, zero);
            const Mask absorbs = lit & hit.mask & !meets_mirror;
            Real part = one;
            if (field_.absorptance_tables < 0) {
                part = absorptance(field_, stage.hit.surface, one);
            } else {
                const Real cosine = -dot(direction, stage.normal);
                const Real slope = absorptance_slope(field_, stage.hit.surface, cosine);
                part = absorptance(field_, stage.hit.surface, cosine);
                stage.by_cosine = select(absorbs, slope * stage.at_hit.value, zero);
            }
            const GradientAtHit<Real> incident = gradient_on_map(stage.hit, field_.num_surfaces);
            const Real counted = select(absorbs, part, one);
            stage.at_hit.value = fma_(counted, stage.at_hit.value, incident.value);
            stage.at_hit.by_across = fma_(counted, stage.at_hit.by_across, incident.by_across);
            stage.at_hit.by_up = fma_(counted, stage.at_hit.by_up, incident.by_up);
            stage.goes_on = lit & hit.mask & meets_mirror;
        });
    }

    /// Follows the light that mirrors reflect to the next surface.
    HELIORAY_HD void go_on(const PhiloxWords<Real>& random,
                           LightStage<Real>& stage,
                           LightStage<Real>& next) const {
        const Real zero(0.0f), one(1.0f);
        Vec<Real> point = stage.point;
        stage.mirror_normal =
            mirrors_->settle(stage.hit.surface, make_int(0, zero), stage.direction, point);
        const Real width =
            of_surface(field_.surfaces[0].optics.slope_width, stage.hit.surface, zero);
        const Vec<Real> reflected =
            reflected_direction(stage.direction, stage.mirror_normal, one, width, random);
        stage.slopes = slope_offset(width, random);
        SurfaceHit<Real> hit;
        mirrors_->meet(point, reflected, stage.hit.surface, make_int(0, zero), hit);
        keep_where(stage.goes_on, hit);
        const Real reflectivity = one - absorptance(field_, stage.hit.surface, one);
        arrive(hit,
               hit.front,
               add_scaled(point, select(hit.meets, hit.distance, zero), reflected),
               reflected,
               stage.weight * reflectivity,
               next);
    }

    /// From the point and the direction of reflected light back to the point of its mirror, to
    /// which to_point is added, and to the direction in which it arrives there.
    HELIORAY_HD void reflect_back(const LightStage<Real>& stage,
                                  Vec<Real>& to_point,
                                  const Vec<Real>& to_reflected,
                                  Vec<Real>& to_direction) const {
        Vec<Real> t1, t2;
        tangent_basis(stage.mirror_normal, t1, t2);
        Vec<Real> to_source, to_normal;
        Real to_width;
        reflect_adjoint(scaled(Real(-1.0f), stage.direction),
                        stage.mirror_normal,
                        t1,
                        t2,
                        stage.slopes,
                        to_reflected,
                        0.0f,
                        to_source,
                        to_normal,
                        to_width);
        to_direction = keep_vec(stage.goes_on, scaled(Real(-1.0f), to_source));
        add_normal(stage, stage.goes_on, stage.mirror_normal, to_normal, to_point);
    }

    /// Adds the derivative with respect to the normal at a point to that with respect to the point.
    HELIORAY_HD void add_normal(const LightStage<Real>& stage,
                                Mask lanes,
                                const Vec<Real>& normal,
                                const Vec<Real>& to_normal,
                                Vec<Real>& to_point) const {
        out_of_line([&]() __attribute__((always_inline)) {
            for_each_surface<Real>(
                stage.hit.surface, lanes, [&](int32_t i, Mask here) __attribute__((always_inline)) {
                    const SurfaceRecord& record = field_.surfaces[i];
                    if (is_flat(record.shape.kind)) return;
                    const Vec<Real> own = own_point(record, stage.point);
                    const Vec<Real> added =
                        rotate_back(record.rotation,
                                    normal_adjoint(record.shape,
                                                   own,
                                                   rotate(record.rotation, normal),
                                                   rotate(record.rotation, to_normal)));
                    to_point = add_scaled(to_point, Real(1.0f), keep_vec(here, added));
                });
        });
    }

    /// Adds the derivatives of a loss that depends on the angle of incidence.
    HELIORAY_HD void add_cosine(const LightStage<Real>& stage,
                                Vec<Real>& to_point,
                                Vec<Real>& to_direction) const {
        const Real factor = -(stage.weight * stage.by_cosine);
        to_direction = add_scaled(to_direction, factor, stage.normal);
        add_normal(stage, stage.lit, stage.normal, scaled(factor, stage.direction), to_point);
    }

    HELIORAY_HD Vec<Real> own_point(const SurfaceRecord& record, const Vec<Real>& point) const {
        return rotate(record.rotation, point - broadcast<Real>(to_vec(record.origin)));
    }

    /// Returns the unit normals of the fronts at the points of a stage.
    HELIORAY_HD Vec<Real> normal_at(const LightStage<Real>& stage) const {
        const Real zero(0.0f);
        Vec<Real> normal{zero, zero, Real(1.0f)};
        for_each_surface<Real>(
            stage.hit.surface, stage.lit, [&](int32_t i, Mask here) __attribute__((always_inline)) {
                const SurfaceRecord& record = field_.surfaces[i];
                Vec<Real> own = own_point(record, stage.point);
                const Vec<Real> own_normal = settle_on_surface(record.shape, own);
                normal = select_vec(here, rotate_back(record.rotation, own_normal), normal);
            });
        return normal;
    }

    /// Returns the derivatives with respect to the points of a stage, per quantum that arrives.
    HELIORAY_HD HitAdjoint<Real> adjoint_of(const LightStage<Real>& stage) const {
        return out_of_line([&]() __attribute__((always_inline)) {
            const Real zero(0.0f);
            // Lanes without light have a normal that is not perpendicular to their direction.
            HitAdjoint<Real> result{{zero, zero, zero}, stage.direction};
            for_each_surface<Real>(
                stage.hit.surface,
                stage.lit,
                [&](int32_t i, Mask here) __attribute__((always_inline)) {
                    const SurfaceRecord& record = field_.surfaces[i];
                    const HitAdjoint<Real> own =
                        surface_adjoint(record.shape, own_point(record, stage.point), stage.at_hit);
                    result.point =
                        select_vec(here, rotate_back(record.rotation, own.point), result.point);
                    result.normal =
                        select_vec(here, rotate_back(record.rotation, own.normal), result.normal);
                });
            return result;
        });
    }

    const FieldView& field_;
    const float* gradient_;
    const Mirrors* mirrors_;
};

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// The surfaces of all receivers: rays meet the nearest one, from either side.
#pragma once

#include "kernels/ray/meet_surface.h"
#include "kernels/ray/occlusion.h"
#include "kernels/ray/surface_tables.h"

namespace helioray::kernels {

/// Returns true for surfaces that lie in a plane.
HELIORAY_HD bool is_flat(TargetKind kind) {
    return kind == TargetKind::plane || kind == TargetKind::disc || kind == TargetKind::annulus;
}

/// Size of the rectangle around a flat surface, metres.
struct FlatSize {
    float width, height;
    HELIORAY_HD explicit FlatSize(const TargetRecord& shape) {
        // The map of an annulus is unrolled, with a size of its own.
        const bool is_ring = shape.kind == TargetKind::annulus;
        width = is_ring ? 2.0f * shape.radius : shape.width;
        height = is_ring ? 2.0f * shape.radius : shape.height;
    }
};

/// Bounds of up to kMost surfaces side by side in lanes, which the search of every bundle reads.
template <typename Lanes, int32_t kMost = SurfaceTables::kCapacity>
class SurfaceBounds {
  public:
    static constexpr int32_t kCapacity = kMost;
    static constexpr int kWidth = LaneTraits<Lanes>::kWidth;

    /// Adds a surface, of which there are at most kCapacity.
    HELIORAY_HD void add(const SurfaceRecord& surface) {
        const int32_t i = size_++;
        const FlatSize size(surface.shape);
        for (int k = 0; k < 3; ++k) rows_[k][i] = surface.origin[k];
        rows_[3][i] = surface.radius;
        for (int k = 0; k < 9; ++k) rows_[4 + k][i] = surface.rotation[k];
        rows_[13][i] = 0.5f * size.width;
        rows_[14][i] = 0.5f * size.height;
        rows_[15][i] = kernels::is_flat(surface.shape.kind) ? 1.0f : 0.0f;
    }

    HELIORAY_HD int32_t size() const { return size_; }

    /// Surfaces first, first + 1, ... as seen from the origin of a cone, see SurfaceInView.
    struct Seen {
        alignas(64) float nearest[kWidth];
        alignas(64) float origin[3][kWidth];
        uint32_t fronts;  ///< bit mask of the surfaces whose front faces the origin
    };

    /// Returns a point in the frames of surfaces first, first + 1, ..., and sets `seen` as if rays
    /// in all directions began there.
    HELIORAY_HD Vec<Lanes> look_from(const Vec<float>& point, int32_t first, Seen& seen) const {
        const Lanes zero(0.0f);
        const Vec<Lanes> center{row(0, first), row(1, first), row(2, first)};
        const Vec<Lanes> right{row(4, first), row(5, first), row(6, first)};
        const Vec<Lanes> up{row(7, first), row(8, first), row(9, first)};
        const Vec<Lanes> normal{row(10, first), row(11, first), row(12, first)};
        const Vec<Lanes> from = broadcast<Lanes>(point) - center;
        const Vec<Lanes> o{dot(right, from), dot(up, from), dot(normal, from)};
        store(seen.nearest, zero);
        store(seen.origin[0], o.x);
        store(seen.origin[1], o.y);
        store(seen.origin[2], o.z);
        seen.fronts = lane_bits((o.z > zero) | !(row(15, first) > zero));
        return o;
    }

    /// Returns a bit mask: bit l is set unless no ray of the cone can meet surface first + l.
    ///
    /// A flat surface is compared with the ellipse that the cone cuts out of its plane. With the
    /// angle of incidence phi of the axis and the half angle theta of the cone, rays meet the plane
    /// at angles of phi - theta to phi + theta.
    HELIORAY_HD uint32_t may_meet(const RayCone& cone, int32_t first, Seen& seen) const {
        const int32_t left = size_ - first;
        const uint32_t all = left < kWidth ? (1u << left) - 1u : ~0u >> (32 - kWidth);
        const Lanes zero(0.0f);
        const Vec<Lanes> center{row(0, first), row(1, first), row(2, first)};
        const Vec<Lanes> right{row(4, first), row(5, first), row(6, first)};
        const Vec<Lanes> up{row(7, first), row(8, first), row(9, first)};
        const Vec<Lanes> normal{row(10, first), row(11, first), row(12, first)};
        const Vec<Lanes> o = look_from(cone.origin, first, seen);
        const auto is_flat = row(15, first) > zero;
        if (cone.tangent < 0.0f) return all;
        const auto near = may_meet_spheres(cone, center, row(3, first));
        const Vec<Lanes> axis = broadcast<Lanes>(cone.axis);
        const Lanes approach = dot(normal, axis);
        const Lanes cosine = abs_(approach);
        const Lanes across = Lanes(cone.tangent) * sqrt_(max_(Lanes(1.0f) - cosine * cosine, zero));
        constexpr float kSlack = 0.999f;  // for the rounding of float32
        store(
            seen.nearest,
            select(is_flat, Lanes(kSlack) * abs_(o.z) / min_(cosine + across, Lanes(1.0f)), zero));
        // Otherwise the ellipse is very long, or a hyperbola.
        const auto is_ellipse = is_flat & (cosine - across > Lanes(0.02f));
        const Lanes t = abs_(o.z) / max_(cosine, Lanes(0.01f));
        const Lanes reach = fma_(t,
                                 Lanes(cone.tangent) / max_(cosine - across, Lanes(0.01f)),
                                 Lanes(kEdgeOverlap + 1e-3f));
        const auto lit = (o.z * approach < zero) &
                         (abs_(fma_(t, dot(right, axis), o.x)) <= row(13, first) + reach) &
                         (abs_(fma_(t, dot(up, axis), o.y)) <= row(14, first) + reach);
        return all & lane_bits(near & (lit | !is_ellipse));
    }

  private:
    HELIORAY_HD Lanes row(int k, int32_t first) const { return load(rows_[k] + first, Lanes()); }

    int32_t size_ = 0;
    alignas(64) float rows_[16][kCapacity] = {};
};

/// The surfaces that rays from one mirror point can meet, found once for all rays of a bundle.
/// Lanes is the type in which they are tested side by side.
template <typename Lanes>
class NearSurfaces {
  public:
    HELIORAY_HD explicit NearSurfaces(const FieldView& field) : field_(&field), tables_(field) {
        for (int32_t i = 0; i < tables_.size(); ++i) bounds_.add(field.surfaces[i]);
        take_few();
    }

    HELIORAY_HD const SurfaceGroups& groups() const { return tables_.groups(); }

    /// Finds the surfaces that rays of the cone may meet.
    HELIORAY_HD void find(const RayCone& cone) {
        cone_ = cone;
        has_lists_ = has_few_ = false;
        for (int32_t k = 0; k < tables_.num_strips(); ++k) tables_.strip(k).find(cone, views_[k]);
        if (!tables_.needs_lists()) return;
        // The processor does this while it draws the first rays.
        if (shows_all_strips()) {
            look_at_few();
        } else {
            find_lists();
        }
    }

    /// Sets `hit` to the nearest surface that rays from the point along r meet.
    template <typename Real>
    HELIORAY_HD void meet(const Vec<Real>& r, SurfaceHit<Real>& hit) const {
        typename LaneTraits<Real>::Mask is_open, on_wall;
        meet_strips(tables_, views_, r, is_open, on_wall, hit);
        if (!any(is_open)) return;
        if (has_few_) {
            meet_few(r, is_open, on_wall, hit);
            return;
        }
        if (!has_lists_) find_lists();
        for (int k = 0; k < kNumLists; ++k) {
            const List& list = lists_[k];
            const auto may_meet = rays_of_list(k, is_open, on_wall);
            if (!any(may_meet)) continue;
            for (int32_t i = 0; i < list.size; ++i) {
                const SurfaceInView& view = list.near[i];
                // Most rays have met the front of a receiver when its far side follows.
                const typename LaneTraits<Real>::Mask may_be_nearer =
                    may_meet & (hit.distance > Real(view.nearest));
                if (any(may_be_nearer))
                    meet_surface(*field_, view, tables_.flat(view.surface), r, may_be_nearer, hit);
            }
        }
        for (int32_t i = rest_; i < field_->num_surfaces; ++i) {
            const SurfaceRecord& surface = field_->surfaces[i];
            const Vec<float> o = rotate(surface.rotation, cone_.origin - to_vec(surface.origin));
            meet_surface(*field_, {i, 0.0f, o}, flat_surface(surface), r, is_open, hit);
        }
    }

  private:
    struct List {
        int32_t size = 0;
        SurfaceInView near[kMostInList];
    };

    /// Most surfaces beside strips that rays are compared with one by one. Leaving out those that
    /// no ray of a bundle can meet, and listing the others, takes longer: a cavity of 20 panels,
    /// floor, ceiling and two lips is traced 1.02 times as fast without, 1.1 times if it reflects.
    static constexpr int32_t kMostFew = 4;
    static constexpr int32_t kFewLanes = 16;

    /// Takes the surfaces beside strips, if they are few.
    HELIORAY_HD void take_few() {
        uint32_t in_strips[SurfaceBounds<Lanes>::kCapacity / 32 + 1] = {};
        int32_t cavity = -1;
        int32_t left = field_->num_surfaces;
        for (int32_t k = 0; k < tables_.num_strips(); ++k) {
            const PanelStrip& strip = tables_.strip(k);
            for (int32_t i = strip.first(); i < strip.first() + strip.size(); ++i)
                in_strips[i / 32] |= 1u << i % 32;
            left -= strip.size();
            if (strip.cavity() > 0) cavity = common_cavity(cavity, strip.cavity());
        }
        if (tables_.num_strips() == 0 || left > kMostFew ||
            field_->num_surfaces > bounds_.kCapacity)
            return;
        can_be_few_ = true;
        for (int32_t i = 0; i < field_->num_surfaces; ++i) {
            if ((in_strips[i / 32] >> i % 32 & 1u) != 0) continue;
            const int32_t lane = few_.size();
            few_surfaces_[lane] = i;
            if (cavity > 0 && groups().cavity(i) == cavity) few_behind_ |= 1u << lane;
            few_.add(field_->surfaces[i]);
        }
    }

    /// Returns true if all panels of all strips show their fronts, and other surfaces are few.
    HELIORAY_HD bool shows_all_strips() const {
        if (!can_be_few_) return false;
        bool shows_all = true;
        for (int32_t k = 0; k < tables_.num_strips(); ++k) {
            const uint32_t all = (1u << tables_.strip(k).size()) - 1u;
            shows_all = shows_all && views_[k].in_view() == all;
        }
        return shows_all;
    }

    HELIORAY_HD void look_at_few() {
        has_few_ = true;
        few_fronts_ = 0;
        typename SurfaceBounds<Lanes, kFewLanes>::Seen seen;
        constexpr int kWidth = SurfaceBounds<Lanes>::kWidth;
        for (int32_t first = 0; first < few_.size(); first += kWidth) {
            const Vec<Lanes> o = few_.look_from(cone_.origin, first, seen);
            few_fronts_ |= seen.fronts << first;
            store(few_origins_[0] + first, o.x);
            store(few_origins_[1] + first, o.y);
            store(few_origins_[2] + first, o.z);
        }
    }

    /// Compares rays with the few surfaces beside strips, in the order of lists_.
    template <typename Real>
    HELIORAY_HD void meet_few(const Vec<Real>& r,
                              typename LaneTraits<Real>::Mask is_open,
                              typename LaneTraits<Real>::Mask on_wall,
                              SurfaceHit<Real>& hit) const {
        const uint32_t all = (1u << few_.size()) - 1u;
        const uint32_t parts[kNumLists] = {
            all & ~few_fronts_, all & few_fronts_ & ~few_behind_, all & few_fronts_ & few_behind_};
        for (int k = 0; k < kNumLists; ++k) {
            const auto may_meet = rays_of_list(k, is_open, on_wall);
            if (!any(may_meet)) continue;
            for (uint32_t part = parts[k]; part != 0; part &= part - 1) {
                const int32_t lane = trailing_zeros(part);
                const int32_t surface = few_surfaces_[lane];
                const Vec<float> o{
                    few_origins_[0][lane], few_origins_[1][lane], few_origins_[2][lane]};
                meet_surface(*field_, {surface, 0.0f, o}, tables_.flat(surface), r, may_meet, hit);
            }
        }
    }

    /// Finds the surfaces beside those in strips.
    HELIORAY_HD void find_lists() const {
        constexpr int kWidth = SurfaceBounds<Lanes>::kWidth;
        typename SurfaceBounds<Lanes>::Seen seen;
        for (List& list : lists_) list.size = 0;
        has_lists_ = true;
        rest_ = bounds_.size();
        const PanelsOfStrips panels(tables_, views_);
        for (int32_t first = 0; first < bounds_.size() && rest_ == bounds_.size();
             first += kWidth) {
            uint32_t near = ~panels.bits(first) & ~0u >> (32 - kWidth);
            if (near != 0) near &= bounds_.may_meet(cone_, first, seen);
            for (; near != 0; near &= near - 1) {
                const int32_t lane = trailing_zeros(near);
                const bool shows_front = (seen.fronts >> lane & 1u) != 0;
                List& list = lists_[panels.list(tables_, first + lane, shows_front)];
                if (list.size == kMostInList) {
                    rest_ = first + lane;
                    break;
                }
                list.near[list.size++] = {
                    first + lane,
                    seen.nearest[lane],
                    {seen.origin[0][lane], seen.origin[1][lane], seen.origin[2][lane]}};
            }
        }
    }

    const FieldView* field_;
    const SurfaceTables tables_;
    RayCone cone_{};
    StripView<Lanes> views_[SurfaceTables::kMostStrips];
    SurfaceBounds<Lanes> bounds_;
    bool can_be_few_ = false;  ///< few_ contains all surfaces beside strips
    bool has_few_ = false;     ///< the present rays are compared with few_, not with lists_
    SurfaceBounds<Lanes, kFewLanes> few_;
    int32_t few_surfaces_[kMostFew] = {};               ///< indices into FieldView::surfaces
    uint32_t few_behind_ = 0;                           ///< bit mask: those for kBehindStrips
    uint32_t few_fronts_ = 0;                           ///< bit mask: those that show their fronts
    alignas(64) float few_origins_[3][kFewLanes] = {};  ///< the point in the frames of few_, metres
    /// Lists may be found when a ray of a bundle needs them.
    mutable bool has_lists_ = false;
    mutable int32_t rest_ = 0;  ///< surfaces from here on did not fit into a list
    mutable List lists_[kNumLists];
};

/// Intersects the surfaces of all receivers, as seen from the point of the last find().
template <typename Real, typename Lanes, typename Scalar>
HELIORAY_HD void meet_receiver(const FieldView&,
                               const NearSurfaces<Lanes>& surfaces,
                               const Vec<Scalar>&,
                               const Vec<Real>& r,
                               SurfaceHit<Real>& hit) {
    surfaces.meet(r, hit);
}

/// Type of the hits of a receiver: a single target, or the surfaces of all receivers.
template <typename Receiver, typename Real>
struct ReceiverHit {
    using Type = TargetHit<Real>;
};
template <typename Lanes, typename Real>
struct ReceiverHit<NearSurfaces<Lanes>, Real> {
    using Type = SurfaceHit<Real>;
};

}  // namespace helioray::kernels

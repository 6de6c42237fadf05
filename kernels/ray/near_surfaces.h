// SPDX-License-Identifier: MIT
// The surfaces of all receivers: rays meet the nearest one, from either side.
#pragma once

#include "kernels/ray/meet_surface.h"
#include "kernels/ray/occlusion.h"
#include "kernels/ray/surface_tables.h"

namespace helioray::kernels {

/// The surfaces that rays from one mirror point can meet, found once for all rays of a bundle.
/// Lanes is the type in which they are tested side by side.
template <typename Lanes>
class NearSurfaces {
  public:
    HELIORAY_HD explicit NearSurfaces(const FieldView& field) : field_(&field), tables_(field) {
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
        meet_lists(r, is_open, on_wall, hit);
    }

  private:
    static constexpr int kWidth = LaneTraits<Lanes>::kWidth;

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
        uint32_t in_strips[SurfaceTables::kCapacity / 32 + 1] = {};
        int32_t cavity = -1;
        int32_t left = field_->num_surfaces;
        for (int32_t k = 0; k < tables_.num_strips(); ++k) {
            const PanelStrip& strip = tables_.strip(k);
            for (int32_t i = strip.first(); i < strip.first() + strip.size(); ++i)
                in_strips[i / 32] |= 1u << i % 32;
            left -= strip.size();
            if (strip.cavity() > 0) cavity = common_cavity(cavity, strip.cavity());
        }
        if (tables_.num_strips() == 0 || left > kMostFew || field_->num_surfaces > tables_.size())
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
        typename SurfaceBounds<kFewLanes>::template Seen<Lanes> seen;
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

    /// Compares rays with the surfaces beside those in strips.
    template <typename Real>
    HELIORAY_HD void meet_lists(const Vec<Real>& r,
                                typename LaneTraits<Real>::Mask is_open,
                                typename LaneTraits<Real>::Mask on_wall,
                                SurfaceHit<Real>& hit) const {
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

    /// Finds the surfaces beside those in strips.
    HELIORAY_HD void find_lists() const {
        out_of_line([this]() __attribute__((always_inline)) { fill_lists(); });
    }
    HELIORAY_HD void fill_lists() const {
        const SurfaceTables::Bounds& bounds = tables_.bounds();
        typename SurfaceTables::Bounds::template Seen<Lanes> seen;
        for (List& list : lists_) list.size = 0;
        has_lists_ = true;
        rest_ = tables_.size();
        const PanelsOfStrips panels(tables_, views_);
        for (int32_t first = 0; first < tables_.size() && rest_ == tables_.size();
             first += kWidth) {
            uint32_t near = ~panels.bits(first) & ~0u >> (32 - kWidth);
            if (near != 0) near &= bounds.may_meet(cone_, first, seen);
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
    bool can_be_few_ = false;  ///< few_ contains all surfaces beside strips
    bool has_few_ = false;     ///< the present rays are compared with few_, not with lists_
    SurfaceBounds<kFewLanes> few_;
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

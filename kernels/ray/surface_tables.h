// SPDX-License-Identifier: MIT
// Tables of the surfaces of all receivers that the search for the nearest surface reads.
#pragma once

#include "kernels/ray/flat_surface.h"
#include "kernels/ray/panel_strip.h"
#include "kernels/ray/surface_bounds.h"
#include "kernels/ray/surface_groups.h"
#include "kernels/ray/surface_hit.h"

namespace helioray::kernels {

/// Tables of the surfaces of a field, the same for all mirror points: groups, strips of panels,
/// bounds, and the numbers of flat surfaces. Host and device use the same bytes.
class SurfaceTables {
  public:
    /// Number of surfaces with tables; those after them are searched one by one.
    static constexpr int32_t kCapacity = 128;
    static constexpr int32_t kMostStrips = 4;
    using Bounds = SurfaceBounds<kCapacity>;

    HELIORAY_HD explicit SurfaceTables(const FieldView& field)
        : size_(min_(field.num_surfaces, kCapacity)), groups_(field) {
        for (int32_t i = 0; i < size_; ++i) {
            bounds_.add(field.surfaces[i]);
            flat_[i] = flat_surface(field.surfaces[i]);
        }
        for (int32_t i = 0; i < size_ && num_strips_ < kMostStrips;) {
            i += strips_[num_strips_].take(field, groups_, i);
            if (strips_[num_strips_].size() > 0) ++num_strips_;
        }
        needs_lists_ = num_strips_ == 0;
        for (int32_t k = 0; k < num_strips_; ++k)
            needs_lists_ = needs_lists_ || !strips_[k].is_outermost();
    }

    HELIORAY_HD int32_t size() const { return size_; }
    HELIORAY_HD const SurfaceGroups& groups() const { return groups_; }
    HELIORAY_HD int32_t num_strips() const { return num_strips_; }
    HELIORAY_HD const PanelStrip& strip(int32_t k) const { return strips_[k]; }
    HELIORAY_HD const Bounds& bounds() const { return bounds_; }
    /// Returns the numbers of surface i, which mean nothing for surfaces that are not flat.
    HELIORAY_HD const FlatSurface& flat(int32_t i) const { return flat_[i]; }
    /// Returns true if rays may meet surfaces beside strips even if they meet a panel of a strip.
    HELIORAY_HD bool needs_lists() const { return needs_lists_; }

  private:
    int32_t size_;
    int32_t num_strips_ = 0;
    bool needs_lists_ = false;
    SurfaceGroups groups_;
    PanelStrip strips_[kMostStrips + 1];  ///< the last one is not used
    Bounds bounds_;
    FlatSurface flat_[kCapacity];
};

/// Intersects the strips of panels, as seen in their views. Sets `hit`; is_open: the rays that may
/// meet other surfaces, too, because they neither meet an outermost panel nor pass beside all
/// surfaces; on_wall: the rays that meet a panel of a cavity.
template <typename Real, typename Lanes>
HELIORAY_HD void meet_strips(const SurfaceTables& tables,
                             const StripView<Lanes>* views,
                             const Vec<Real>& r,
                             typename LaneTraits<Real>::Mask& is_open,
                             typename LaneTraits<Real>::Mask& on_wall,
                             SurfaceHit<Real>& hit) {
    const Real zero(0.0f);
    clear(hit);
    is_open = Real(1.0f) > zero;
    on_wall = Real(1.0f) < zero;
    for (int32_t k = 0; k < tables.num_strips(); ++k) {
        if (views[k].num_in_view == 0) continue;
        const PanelStrip& strip = tables.strip(k);
        TargetHit<Real> other;
        typename LaneTraits<Real>::Int surface;
        typename LaneTraits<Real>::Mask misses;
        strip.meet(views[k], r, other, surface, misses);
        keep_nearer(other, other.mask, strip.is_absorber(), surface, hit);
        if (strip.is_outermost()) is_open = is_open & !(other.mask | misses);
        if (strip.cavity() > 0) on_wall = on_wall | other.mask;
    }
}

/// Lists of the surfaces beside the strips of panels in view, in the order in which rays are
/// compared with them.
enum SurfaceList : int32_t {
    kBacks,         ///< show their back
    kFronts,        ///< show their front
    kBehindStrips,  ///< show their front, and light meets them only if it misses the strips in view
    kNumLists
};

/// Returns the rays that surfaces of a list are compared with, see meet_strips().
template <typename Mask>
HELIORAY_HD Mask rays_of_list(int32_t list, Mask is_open, Mask on_wall) {
    return list == kBehindStrips ? is_open & !on_wall : is_open;
}

/// Returns the cavity that strips of cavity `other` and strips so far have in common: 0 if they are
/// walls of several. all: -1 without strips so far.
HELIORAY_HD int32_t common_cavity(int32_t all, int32_t other) {
    return all < 0 || all == other ? other : 0;
}

/// Most surfaces in a list; the surfaces after the one that does not fit are in none.
inline constexpr int32_t kMostInList = 32;

/// The panels of strips that are in view.
class PanelsOfStrips {
  public:
    template <typename Lanes>
    HELIORAY_HD PanelsOfStrips(const SurfaceTables& tables, const StripView<Lanes>* views) {
        for (int32_t k = 0; k < tables.num_strips(); ++k) {
            const PanelStrip& strip = tables.strip(k);
            const uint64_t in_view = static_cast<uint64_t>(views[k].in_view())
                                     << strip.first() % 32;
            words_[strip.first() / 32] |= static_cast<uint32_t>(in_view);
            words_[strip.first() / 32 + 1] |= static_cast<uint32_t>(in_view >> 32);
            if (views[k].num_in_view == 0 || strip.cavity() == 0) continue;
            cavity_ = common_cavity(cavity_, strip.cavity());
        }
    }

    /// Returns bits of the surfaces first, first + 1, ... up to a multiple of 32: set if they are
    /// such panels.
    HELIORAY_HD uint32_t bits(int32_t first) const { return words_[first / 32] >> first % 32; }

    /// Returns the list of a surface that is no such panel.
    HELIORAY_HD SurfaceList list(const SurfaceTables& tables,
                                 int32_t surface,
                                 bool shows_front) const {
        // Between the point and walls in view, no other wall of the cavity shows its front.
        const bool is_behind = cavity_ > 0 && tables.groups().cavity(surface) == cavity_;
        return !shows_front ? kBacks : is_behind ? kBehindStrips : kFronts;
    }

  private:
    uint32_t words_[SurfaceTables::kCapacity / 32 + 1] = {};
    int32_t cavity_ = -1;  ///< whose walls have strips in view
};

}  // namespace helioray::kernels

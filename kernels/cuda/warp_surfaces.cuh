// SPDX-License-Identifier: MIT
// The surfaces of receivers that rays from one mirror point can meet, found by the lanes of a warp
// together: the same hits, bit for bit, as NearSurfaces.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/ray/near_surfaces.h"

namespace helioray::kernels {

/// Surfaces that a warp has found, in shared memory.
struct WarpView {
    StripView<float> strips[SurfaceTables::kMostStrips];
    int32_t sizes[kNumLists];  ///< number of surfaces in each list
    /// Surfaces that the cone may meet, and SurfaceInView::nearest of each.
    int32_t surfaces[kNumLists][kMostInList];
    float nearest[kNumLists][kMostInList];
    int32_t rest;  ///< surfaces from here on are in no list
};

/// The surfaces of all receivers for the rays of a bundle, one in each lane. All lanes of a warp
/// must call the functions together. has_meshes: surfaces may be meshes.
template <bool has_meshes>
class WarpSurfaces {
  public:
    __device__ WarpSurfaces(const FieldView& field, WarpView& view)
        : field_(field), tables_(*field.surface_tables), view_(view) {}

    /// Finds the surfaces that rays of the cone may meet.
    __device__ void find(const RayCone& cone) {
        cone_ = cone;
        has_lists_ = false;
        __syncwarp();
        for (int32_t k = 0; k < tables_.num_strips(); ++k)
            find_panels(tables_.strip(k), view_.strips[k]);
        __syncwarp();
        if (tables_.needs_lists()) find_lists();
    }

    /// Sets `hit` to the nearest surface that the lane's ray along r meets.
    __device__ void meet(const Vec<float>& r, SurfaceHit<float>& hit) const {
        bool is_open, on_wall;
        meet_strips(tables_, view_.strips, r, is_open, on_wall, hit);
        if (__ballot_sync(~0u, is_open) == 0) return;
        if (!has_lists_) find_lists();
        for (int32_t list = 0; list < kNumLists; ++list) {
            const bool may_meet = rays_of_list(list, is_open, on_wall);
            for (int32_t k = 0; k < view_.sizes[list]; ++k) {
                // Most rays have met the front of a receiver when its far side follows.
                const bool may_be_nearer = may_meet && hit.distance > view_.nearest[list][k];
                const int32_t i = view_.surfaces[list][k];
                meet_at(i, tables_.flat(i), r, may_be_nearer, hit);
            }
        }
        for (int32_t i = view_.rest; i < field_.num_surfaces; ++i)
            meet_at(i, flat_surface(field_.surfaces[i]), r, is_open, hit);
    }

  private:
    __device__ static int lane() { return static_cast<int>(threadIdx.x) % kRaysPerPoint; }

    __device__ void meet_at(int32_t i,
                            const FlatSurface& flat,
                            const Vec<float>& r,
                            bool may_meet,
                            SurfaceHit<float>& hit) const {
        if (!may_meet) return;
        const SurfaceRecord& surface = field_.surfaces[i];
        const Vec<float> o = rotate(surface.rotation, cone_.origin - to_vec(surface.origin));
        meet_surface<has_meshes>(field_, {i, 0.0f, o}, flat, r, true, hit);
    }

    /// PanelStrip::find() with a panel in each lane.
    __device__ void find_panels(const PanelStrip& strip, StripView<float>& view) const {
        const int i = lane();
        const bool shows_front = i < strip.size() && strip.height<float>(i, cone_.origin) > 0.0f;
        const PanelsInView panels = strip.follow_fronts(__ballot_sync(~0u, shows_front));
        if (i == 0) {
            view.num_in_view = 0;
            view.panels = panels;
            if (panels.count > 0) strip.turn_to(cone_, view);
        }
        if (panels.count == 0) return;
        __syncwarp();
        const auto edge = strip.view_edge<float>(panels.begin + i, cone_, view);
        const bool is_edge = i <= panels.count;
        if (__ballot_sync(~0u, is_edge && !(edge.ahead > 0.0f)) != 0) return;
        view.edges[i] = is_edge ? edge.position : kNoLimit;
        view.above[i] = strip.height<float>(panels.begin + i, cone_.origin);
        view.across[i] = strip.coordinate_across<float>(panels.begin + i, cone_.origin);
        __syncwarp();
        const bool descends = i < panels.count && view.edges[i] > view.edges[i + 1];
        const uint32_t descending = __ballot_sync(~0u, descends);
        __syncwarp();  // all lanes have read the edges
        if (i != 0) return;
        view.num_in_view = panels.count;
        if (descending != 0) view.put_edges_in_order();
    }

    /// Finds the surfaces beside those in strips, with a surface in each lane.
    __device__ void find_lists() const {
        has_lists_ = true;
        const PanelsOfStrips panels(tables_, view_.strips);
        int32_t sizes[kNumLists] = {};
        int32_t rest = tables_.size();
        __syncwarp();
        for (int32_t first = 0; first < tables_.size(); first += kRaysPerPoint) {
            const int32_t i = first + lane();
            int32_t list = kNumLists;
            SurfaceTables::Bounds::Seen<float> seen;
            if (i < rest && (panels.bits(first) >> lane() & 1u) == 0 &&
                tables_.bounds().may_meet(cone_, i, seen) != 0)
                list = panels.list(tables_, i, seen.fronts != 0);
            uint32_t bits[kNumLists];
            for (int32_t k = 0; k < kNumLists; ++k) {
                bits[k] = __ballot_sync(~0u, list == k);
                rest = min_(rest, end_of_list(bits[k], first, sizes[k]));
            }
            const uint32_t kept =
                rest >= first + kRaysPerPoint ? ~0u : (1u << max_(rest - first, 0)) - 1u;
            for (int32_t k = 0; k < kNumLists; ++k) {
                const uint32_t in_list = bits[k] & kept;
                if (list == k && i < rest) {
                    const int32_t place = sizes[k] + __popc(in_list & ((1u << lane()) - 1u));
                    view_.surfaces[k][place] = i;
                    view_.nearest[k][place] = seen.nearest[0];
                }
                sizes[k] += __popc(in_list);
            }
        }
        if (lane() == 0) {
            for (int32_t k = 0; k < kNumLists; ++k) view_.sizes[k] = sizes[k];
            view_.rest = rest;
        }
        __syncwarp();
    }

    /// Returns the surface among first, first + 1, ... with set bits that does not fit into a list
    /// of `size` surfaces, or a number beyond all surfaces.
    __device__ static int32_t end_of_list(uint32_t bits, int32_t first, int32_t size) {
        if (size + __popc(bits) <= kMostInList) return SurfaceTables::kCapacity;
        for (; size < kMostInList; ++size) bits &= bits - 1;
        return first + __ffs(bits) - 1;
    }

    const FieldView& field_;
    const SurfaceTables& tables_;
    WarpView& view_;
    RayCone cone_{};
    mutable bool has_lists_ = false;  ///< equal in all lanes
};

/// Finds the surfaces of receivers that rays from the point can meet.
template <bool has_meshes>
__device__ inline void look_from(const FieldView& field,
                                 const RayContext& context,
                                 const MirrorPoint& point,
                                 WarpSurfaces<has_meshes>& surfaces) {
    surfaces.find(reflected_cone(field, context, point));
}

/// Intersects the surfaces of all receivers, as seen from the point of the last find().
template <bool has_meshes>
__device__ inline void meet_receiver(const FieldView&,
                                     const WarpSurfaces<has_meshes>& surfaces,
                                     const Vec<float>&,
                                     const Vec<float>& r,
                                     SurfaceHit<float>& hit) {
    surfaces.meet(r, hit);
}

template <bool has_meshes>
struct ReceiverHit<WarpSurfaces<has_meshes>, float> {
    using Type = SurfaceHit<float>;
};

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// Mirrors and bodies in the way of a warp's rays.
#pragma once

#include "kernels/ray/bundle.h"

namespace helioray::kernels {

/// What is in the way of a warp's bundle, as trace_rays asks for it: lanes share the search through
/// the candidates, then each tests its own ray. All lanes of a warp call together.
class WarpOcclusion {
  public:
    __device__ WarpOcclusion(const FieldView& field,
                             const HeliostatRecord& h,
                             const RayCone& to_sun,
                             const RayCone& reflected)
        : field_(field), h_(h), to_sun_(to_sun), reflected_(reflected) {}

    __device__ bool shaded(const Vec<float>& s) const {
        return meet_mirrors(h_.first_shader, h_.num_shaders, to_sun_, s, kNoLimit) ||
               meet_obstacles(s, kNoLimit);
    }
    __device__ bool blocked(const Vec<float>& r, float limit, float body_limit) const {
        return meet_mirrors(h_.first_blocker, h_.num_blockers, reflected_, r, limit) ||
               meet_obstacles(r, body_limit);
    }

  private:
    /// One bit per lane whose item (center, radius) the cone may meet.
    template <typename Item>
    __device__ static unsigned near(const RayCone& cone, const Item* item) {
        return __ballot_sync(~0u, item != nullptr && may_meet(cone, item->center, item->radius));
    }

    __device__ bool meet_mirrors(
        int64_t first, int32_t count, const RayCone& cone, const Vec<float>& d, float limit) const {
        const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
        bool met = false;
        for (int32_t base = 0; base < count; base += kRaysPerPoint) {
            const Occluder* mine = base + lane < count
                                       ? field_.occluders + field_.candidates[first + base + lane]
                                       : nullptr;
            for (unsigned bits = near(cone, mine); bits != 0; bits &= bits - 1) {
                const Occluder& occluder =
                    field_.occluders[field_.candidates[first + base + __ffs(bits) - 1]];
                met |= meet_facets(occluder, cone, d, limit);
            }
        }
        return met;
    }

    __device__ bool meet_facets(const Occluder& occluder,
                                const RayCone& cone,
                                const Vec<float>& d,
                                float limit) const {
        const int lane = static_cast<int>(threadIdx.x) % kRaysPerPoint;
        const OccluderFacet* facets = field_.occluder_facets + occluder.first_facet;
        bool met = false;
        for (int32_t base = 0; base < occluder.num_facets; base += kRaysPerPoint) {
            const OccluderFacet* mine =
                base + lane < occluder.num_facets ? facets + base + lane : nullptr;
            for (unsigned bits = near(cone, mine); bits != 0; bits &= bits - 1) {
                const FacetInView view = view_facet(facets[base + __ffs(bits) - 1], cone.origin);
                met |= meets_facet(view, d, limit);
            }
        }
        return met;
    }

    __device__ bool meet_obstacles(const Vec<float>& d, float limit) const {
        const ObstacleRecord* obstacles =
            field_.obstacles + static_cast<int64_t>(h_.target) * field_.num_obstacles;
        bool met = false;
        for (int32_t i = 0; i < field_.num_obstacles; ++i)
            met |= meets_obstacle(obstacles[i], to_sun_.origin, d, limit);
        return met;
    }

    const FieldView& field_;
    const HeliostatRecord& h_;
    RayCone to_sun_;
    RayCone reflected_;
};

/// For fields without shading and blocking.
struct NothingInTheWay {
    __device__ NothingInTheWay(const FieldView&,
                               const HeliostatRecord&,
                               const RayCone&,
                               const RayCone&) {}
    __device__ bool shaded(const Vec<float>&) const { return false; }
    __device__ bool blocked(const Vec<float>&, float, float) const { return false; }
};

}  // namespace helioray::kernels

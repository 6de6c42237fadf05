// SPDX-License-Identifier: MIT
// Finds the few facets that rays from one mirror point can hit, once for all rays of a bundle.
#pragma once

#include "kernels/ray/body_edges.h"
#include "kernels/ray/near_surfaces.h"

namespace helioray::kernels {

/// Bounding spheres of a heliostat's possible occluders, side by side in lanes. They are copied
/// once for all bundles of a heliostat, because the neighbours are scattered in memory. Real
/// chooses the lanes.
template <typename Real>
class CandidateSpheres {
  public:
    static constexpr int kWidth = LaneTraits<Real>::kWidth;
    static constexpr int32_t kCapacity = 64;

    /// Copies candidates [first, first + count) of the field, up to the capacity.
    HELIORAY_HD void take(const FieldView& field, int64_t first, int32_t count) {
        const int32_t size = count < kCapacity ? count : kCapacity;
        for (int32_t i = 0; i < size; ++i) {
            const Occluder& occluder = field.occluders[field.candidates[first + i]];
            for (int k = 0; k < 3; ++k) numbers_[k][i] = occluder.center[k];
            numbers_[3][i] = occluder.radius;
        }
        size_ = size;
    }

    HELIORAY_HD int32_t size() const { return size_; }

    /// Returns a bit mask: bit l is set if the cone may hit the sphere of candidate first + l.
    /// first: a multiple of kWidth.
    HELIORAY_HD uint32_t may_meet(const RayCone& cone, int32_t first) const {
        const int32_t left = size_ - first;
        const uint32_t all = left < kWidth ? (1u << left) - 1u : ~0u >> (32 - kWidth);
        if (cone.tangent < 0.0f) return all;
        const Vec<Real> center{row(0, first), row(1, first), row(2, first)};
        return all & lane_bits(may_meet_spheres(cone, center, row(3, first)));
    }

  private:
    HELIORAY_HD Real row(int k, int32_t first) const { return load(numbers_[k] + first, Real()); }

    int32_t size_ = 0;
    alignas(64) float numbers_[4][kCapacity] = {};
};

/// Occluders of a heliostat near a bundle. Lanes is the type in which candidates are tested side by
/// side.
template <typename Lanes>
class NearOccluders {
  public:
    /// Sets a new heliostat with its candidates [first, first + count).
    HELIORAY_HD void begin(const FieldView& field, int64_t first, int32_t count) {
        candidates_ = field.candidates + first;
        num_candidates_ = count;
        spheres_.take(field, first, count);
    }

    /// Finds the candidates that the cone may hit.
    HELIORAY_HD void find(const FieldView& field, const RayCone& cone) {
        size_ = 0;
        overflow_ = 0;
        cone_ = cone;
        for (int32_t first = 0; first < spheres_.size(); first += spheres_.kWidth) {
            uint32_t near = spheres_.may_meet(cone, first);
            for (; near != 0; near &= near - 1) {
                const int32_t i = first + trailing_zeros(near);
                if (!take(field, field.occluders[candidates_[i]], i, cone)) return;
            }
        }
        // Long lists, for low beams over wide fields, have more candidates than there are copies.
        for (int32_t i = spheres_.size(); i < num_candidates_; ++i) {
            const Occluder& occluder = field.occluders[candidates_[i]];
            if (!may_meet(cone, occluder.center, occluder.radius)) continue;
            if (!take(field, occluder, i, cone)) return;
        }
    }

    /// Returns the rays that hit a facet at a distance in (0, limit).
    template <typename Real>
    HELIORAY_HD typename LaneTraits<Real>::Mask find_hits(const FieldView& field,
                                                          const Vec<Real>& d,
                                                          Real limit) const {
        auto met = limit < -limit;  // none
        // Low beams pass dozens of mirrors, and most rays hit one of the first. Testing every few
        // facets if all rays have hit one avoids most of the work.
        constexpr int32_t kFew = 8;
        for (int32_t i = 0; i < size_; ++i) {
            met = met | meets_facet(facets_[i], d, limit, field.occluder_outlines);
            if (i % kFew == kFew - 1 && !any(!met)) return met;
        }
        for (int32_t i = num_candidates_ - overflow_; i < num_candidates_; ++i) {
            if (!any(!met)) return met;
            const Occluder& occluder = field.occluders[candidates_[i]];
            if (!may_meet(cone_, occluder.center, occluder.radius)) continue;
            const OccluderFacet* facets = field.occluder_facets + occluder.first_facet;
            for (int32_t k = 0; k < occluder.num_facets; ++k) {
                if (!may_meet(cone_, facets[k].center, facets[k].radius)) continue;
                const FacetInView view = view_facet(facets[k], cone_.origin);
                if (field.own_facets != 0 && is_own_facet(view)) continue;
                met = met | meets_facet(view, d, limit, field.occluder_outlines);
            }
        }
        return met;
    }

  private:
    /// Lists the facets of candidate i that the cone may hit. Returns false if the list is full;
    /// then this and all later candidates are tested without a list.
    HELIORAY_HD bool take(const FieldView& field,
                          const Occluder& occluder,
                          int32_t i,
                          const RayCone& cone) {
        const OccluderFacet* facets = field.occluder_facets + occluder.first_facet;
        for (int32_t k = 0; k < occluder.num_facets; ++k) {
            if (occluder.num_facets > 1 && !may_meet(cone, facets[k].center, facets[k].radius))
                continue;
            if (size_ == kCapacity) {
                overflow_ = num_candidates_ - i;
                return false;
            }
            facets_[size_] = view_facet(facets[k], cone.origin);
            if (field.own_facets == 0 || !is_own_facet(facets_[size_])) ++size_;
        }
        return true;
    }

    static constexpr int32_t kCapacity = 128;

    const int32_t* candidates_ = nullptr;
    int32_t num_candidates_ = 0;
    int32_t size_ = 0;
    int32_t overflow_ = 0;  ///< number of candidates at the end of the list that did not fit
    RayCone cone_{};
    CandidateSpheres<Lanes> spheres_;
    FacetInView facets_[kCapacity];
};

/// The occluders of a bundle, as required by trace_rays(). Lanes as in NearOccluders.
template <typename Lanes>
class BundleOcclusion {
  public:
    HELIORAY_HD explicit BundleOcclusion(const FieldView& field) : field_(&field) {}

    /// Sets a new heliostat.
    HELIORAY_HD void begin(const HeliostatRecord& h) {
        const FieldView& field = *field_;
        obstacles_ = field.obstacles + static_cast<int64_t>(h.target) * field.num_obstacles;
        shaded_by_surfaces_ = field.shading != 0 && field.has_shading_surfaces != 0 &&
                              field.targets[h.target].in_receiver != 0;
        if (field.shading != 0) shaders_.begin(field, h.first_shader, h.num_shaders);
        if (field.blocking != 0) blockers_.begin(field, h.first_blocker, h.num_blockers);
    }

    /// Sets a new mirror point.
    HELIORAY_HD void move_to(const RayCone& to_sun, const RayCone& reflected) {
        origin_ = to_sun.origin;
        if (field_->shading != 0)
            out_of_line([&]() __attribute__((always_inline)) { shaders_.find(*field_, to_sun); });
        has_near_surface_ = shaded_by_surfaces_ && may_meet_shading_surface(*field_, to_sun);
        if (field_->blocking != 0)
            out_of_line([&]()
                            __attribute__((always_inline)) { blockers_.find(*field_, reflected); });
    }

    template <typename Real>
    HELIORAY_HD auto shaded(const Vec<Real>& s, Real limit = Real(kNoLimit)) const {
        auto met = shaders_.find_hits(*field_, s, limit) | find_obstacle_hits(s, limit);
        if (has_near_surface_) met = met | meet_shading_surfaces(*field_, origin_, s, limit);
        return met;
    }

    template <typename Real>
    HELIORAY_HD auto blocked(const Vec<Real>& r, Real limit, Real body_limit) const {
        return blockers_.find_hits(*field_, r, limit) | find_obstacle_hits(r, body_limit);
    }

    /// Adds the edges of bodies that rays with unit direction d pass at distances in (0, limit).
    template <typename Real>
    HELIORAY_HD void pass_bodies(const Vec<Real>& d, Real limit, EdgeSums<Real>& sums) const {
        for (int32_t i = 0; i < field_->num_obstacles; ++i)
            pass_body(obstacles_[i], origin_, d, limit, sums);
    }

  private:
    template <typename Real>
    HELIORAY_HD typename LaneTraits<Real>::Mask find_obstacle_hits(const Vec<Real>& d,
                                                                   Real limit) const {
        auto met = Real(1.0f) < Real(0.0f);
        for (int32_t i = 0; i < field_->num_obstacles; ++i)
            met = met | meets_obstacle(obstacles_[i], origin_, d, limit);
        return met;
    }

    const FieldView* field_;
    const ObstacleRecord* obstacles_ = nullptr;
    bool shaded_by_surfaces_ = false;  ///< surfaces of receivers may shade the heliostat
    bool has_near_surface_ = false;    ///< and the present mirror point
    Vec<float> origin_{};
    NearOccluders<Lanes> shaders_;
    NearOccluders<Lanes> blockers_;
};

}  // namespace helioray::kernels

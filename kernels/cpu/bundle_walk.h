// SPDX-License-Identifier: MIT
// Iterates over the bundles of one block of rays and the values that their rays share.
#pragma once

#include "kernels/cpu/mirror_points.h"
#include "kernels/cpu/near_occluders.h"
#include "kernels/ray/path.h"

namespace helioray::kernels {

/// Usage: for (BundleWalk<Points> walk(...); walk.enter(); walk.advance()) ...
/// Occlusion is a BundleOcclusion at heliostat h. Points offers find(field, h, sequence, number of
/// remaining bundles) -> MirrorPoint. Receiver is a const TargetRecord or NearSurfaces.
template <typename Points, typename Occlusion, typename Receiver>
struct BundleWalk {
    const FieldView& field;
    Receiver& target;
    const HeliostatRecord& h;
    const int64_t rays_per_block;
    const int64_t num_bundles;
    const RayContext context;
    BundleSequence sequence;
    int64_t bundle = 0;

    // The following members are for the present bundle.
    Points& points;
    MirrorPoint point{};
    Occlusion& occlusion;

    HELIORAY_HD BundleWalk(const FieldView& whole_field,
                           Receiver& its_target,
                           const HeliostatRecord& heliostat,
                           int64_t rays,
                           const BlockStart& start,
                           Points& its_points,
                           Occlusion& its_occlusion)
        : field(whole_field),
          target(its_target),
          h(heliostat),
          rays_per_block(rays),
          num_bundles(count_bundles(rays)),
          context(start.context),
          sequence(start.sequence),
          points(its_points),
          occlusion(its_occlusion) {}

    /// Finds the mirror point of the bundle and its possible occluders; returns false after the
    /// last bundle.
    HELIORAY_HD bool enter() {
        if (bundle == num_bundles) return false;
        point = points.find(field, h, sequence, num_bundles - bundle);
        if (field.shading != 0 || field.blocking != 0) {
            occlusion.move_to(sun_cone(field, context, point),
                              reflected_cone(field, context, point));
        }
        look_from(field, context, point, target);
        return true;
    }

    HELIORAY_HD void advance() {
        ++bundle;
        sequence.advance();
    }

    /// Computes the random numbers of the rays that start at lane `first`.
    template <typename Real>
    HELIORAY_HD void numbers(int first, RayNumbers<Real>& result) const {
        const bool with_specularity = field.specularity_error.kind != AngularShape::Kind::none;
        sequence.fill(first, with_specularity, result);
    }

    /// Returns the lanes with rays of the block; its last bundle may be incomplete.
    template <typename Real>
    HELIORAY_HD typename LaneTraits<Real>::Mask active(int first) const {
        const int64_t left = rays_per_block - bundle * kRaysPerPoint;
        return lane_number(first, Real()) <
               Real(static_cast<float>(left < kRaysPerPoint ? left : kRaysPerPoint));
    }
};

}  // namespace helioray::kernels

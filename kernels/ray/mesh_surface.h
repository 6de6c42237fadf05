// SPDX-License-Identifier: MIT
// Meshes as surfaces of receivers: hits of vectors of rays, and the triangles on which they lie.
#pragma once

#include "kernels/core/lane_pair.h"
#include "kernels/core/trace_types.h"
#include "kernels/mesh/meet_mesh.h"
#include "kernels/receiver/pixels.h"

namespace helioray::kernels {

/// Triangles of meshes on which rays start; default: they start elsewhere.
template <typename Real>
struct MeshStart {
    typename LaneTraits<Real>::Int triangle = make_int(-1, Real());  ///< -1: none
    float gap = 0.0f;                                                ///< see MeshLimits::gap
};

/// Rays of a vector in memory, one by one for their searches.
template <int kWidth>
struct RowsOfRays {
    static constexpr int kNumbers = sizeof(MeshRays<float>) / sizeof(float);
    alignas(64) float rows[kNumbers][kWidth];

    template <typename Real>
    HELIORAY_HD void write(const MeshRays<Real>& rays) {
        const Vec<Real>* vectors[] = {
            &rays.along, &rays.right, &rays.up, &rays.inverse, &rays.planes, &rays.across};
        for (int i = 0; i < 6; ++i) {
            store(rows[3 * i], vectors[i]->x);
            store(rows[3 * i + 1], vectors[i]->y);
            store(rows[3 * i + 2], vectors[i]->z);
        }
        store(rows[18], rays.start);
    }
    HELIORAY_HD MeshRays<float> read(int lane) const {
        const auto vector = [&](int i) {
            return Vec<float>{rows[3 * i][lane], rows[3 * i + 1][lane], rows[3 * i + 2][lane]};
        };
        MeshRays<float> ray;
        ray.along = vector(0);
        ray.right = vector(1);
        ray.up = vector(2);
        ray.inverse = vector(3);
        ray.planes = vector(4);
        ray.across = vector(5);
        ray.start = rows[18][lane];
        return ray;
    }
};

/// Rays that search a mesh together. With 32, what they write leaves the nearest cache, and a
/// sphere of 1,000 triangles takes 10 % longer.
inline constexpr int kMostTogether = 16;

/// Returns the rays that may meet a mesh before a limit, by the sphere that contains it; o in the
/// frame of the mesh.
template <typename Real>
HELIORAY_HD typename LaneTraits<Real>::Mask may_meet_mesh(const SurfaceRecord& surface,
                                                          const Vec<Real>& o,
                                                          const Vec<Real>& r,
                                                          const Real& limit) {
    const Real middle = -dot(o, r);
    const Real square = dot(o, o) - middle * middle;
    const Real radius(surface.radius);
    // The squares of long distances are rounded.
    const Real slack = fma_(Real(1e-6f), dot(o, o), Real(1e-3f));
    return (square <= fma_(radius, radius, slack)) & (middle - radius <= limit) &
           (middle + radius >= Real(-1e-2f));
}

/// Returns a search for hits up to a limit; start and gap: see MeshStart.
HELIORAY_HD SearchedRay search_on_mesh(
    const MeshRecord& mesh, const MeshRays<float>& ray, float limit, int32_t start, float gap) {
    MeshLimits limits{limit, start, gap, mesh.front == MeshFront::reversed};
    // Lanes without light may have any pixel of a map, which has more pixels than triangles.
    if (start >= 0 && start < mesh.num_triangles) {
        const float* plane = mesh.planes + 4 * static_cast<int64_t>(start);
        limits.from_back = dot(ray.along, Vec<float>{plane[0], plane[1], plane[2]}) < 0.0f;
    }
    return SearchedRay(ray, limits);
}

/// Returns the hit of a ray on a mesh, at the middle of the pixel of its triangle, and sets whether
/// it is on a front.
HELIORAY_HD TargetHit<float> hit_on_map(const FieldView& field,
                                        const MeshRecord& mesh,
                                        const MeshHit& found,
                                        bool& front) {
    TargetHit<float> hit{};
    front = false;
    if (found.triangle < 0) return hit;
    const float per_width = 1.0f / static_cast<float>(field.bitmap_width);
    const float per_height = 1.0f / static_cast<float>(field.bitmap_height);
    const int32_t row = found.triangle / field.bitmap_width;
    const int32_t column = found.triangle - row * field.bitmap_width;
    hit.across = (static_cast<float>(column) + 0.5f) * per_width - 0.5f;
    hit.up = 0.5f - (static_cast<float>(row) + 0.5f) * per_height;
    hit.distance = found.distance;
    hit.mask = true;
    front = mesh.front == MeshFront::both || found.front == (mesh.front == MeshFront::normals);
    return hit;
}

/// Returns the first hit of one ray on a mesh; see meet_mesh().
template <typename Real>
HELIORAY_CALL MeshHit
walk_on_mesh(const MeshRecord& mesh, Vec<Real> o, Vec<Real> r, MeshStart<Real> start, Real limit) {
    SearchedRay search =
        search_on_mesh(mesh, MeshRays<Real>(o, r), limit, start.triangle, start.gap);
    return MeshWalk(mesh.tree).run(search);
}

/// Intersects a mesh from either side; o in its own frame, r in the shared one, whose axes are
/// equal. Hits beyond `limit` do not count. Returns the rays that meet its front.
template <typename Real>
HELIORAY_OUT_OF_LINE typename LaneTraits<Real>::Mask meet_mesh(const FieldView& field,
                                                               const SurfaceRecord& surface,
                                                               const Vec<Real>& o,
                                                               const Vec<Real>& r,
                                                               const MeshStart<Real>& start,
                                                               const Real& limit,
                                                               TargetHit<Real>& hit) {
    using Lanes = typename SingleLanes<Real>::Type;
    constexpr int kWidth = LaneTraits<Real>::kWidth;
    const MeshRecord& mesh = field.meshes[surface.shape.mesh];
    // Most rays pass a small body, or meet a surface before it.
    const auto may_meet = may_meet_mesh(surface, o, r, limit) & (limit >= Real(0.0f));
    if constexpr (kWidth == 1) {
        MeshHit found{-1, 0.0f, false};
        if (may_meet) found = walk_on_mesh(mesh, o, r, start, limit);
        bool front;
        hit = hit_on_map(field, mesh, found, front);
        return front;
    } else {
        alignas(64) float limits[kWidth], distance[kWidth];
        alignas(64) float across[kWidth], up[kWidth], is_hit[kWidth], is_front[kWidth];
        alignas(64) int32_t starts[kWidth];
        RowsOfRays<kWidth> rays;
        rays.write(MeshRays<Real>(o, r));
        store(limits, select(may_meet, limit, Real(-1.0f)));
        store(starts, start.triangle);
        SearchedRay searches[kWidth];
        int lanes[kWidth];
        int count = 0;
        for (int lane = 0; lane < kWidth; ++lane) {
            distance[lane] = across[lane] = up[lane] = is_hit[lane] = is_front[lane] = 0.0f;
            if (!(limits[lane] >= 0.0f)) continue;
            lanes[count] = lane;
            searches[count++] =
                search_on_mesh(mesh, rays.read(lane), limits[lane], starts[lane], start.gap);
        }
        constexpr int kTogether = kWidth < kMostTogether ? kWidth : kMostTogether;
        MeshDescent<Lanes, kTogether> descent(mesh.tree);
        for (int first = 0; first < count; first += kTogether)
            descent.run(searches + first, min_(count - first, kTogether));
        for (int i = 0; i < count; ++i) {
            bool front;
            const TargetHit<float> found = hit_on_map(field, mesh, searches[i].hit(), front);
            if (!found.mask) continue;
            const int lane = lanes[i];
            across[lane] = found.across;
            up[lane] = found.up;
            distance[lane] = found.distance;
            is_hit[lane] = 1.0f;
            is_front[lane] = front ? 1.0f : 0.0f;
        }
        const Real half(0.5f);
        hit.across = load(across, half);
        hit.up = load(up, half);
        hit.distance = load(distance, half);
        hit.mask = load(is_hit, half) > half;
        return load(is_front, half) > half;
    }
}

/// Moves points of hits on a mesh onto the planes of their triangles, and returns the unit normals
/// of the sides that light along `direction` meets, of the front unless both sides are front; point
/// in the frame of the mesh. Other lanes may have any triangle.
template <typename Real>
HELIORAY_HD Vec<Real> settle_on_mesh(const MeshRecord& mesh,
                                     typename LaneTraits<Real>::Int triangle,
                                     const Vec<Real>& direction,
                                     Vec<Real>& point) {
    const Real any_real = point.x;
    const auto last = make_int(mesh.num_triangles - 1, any_real);
    const auto first = max_(min_(triangle, last), make_int(0, any_real)) * make_int(4, any_real);
    const auto member = [&](int k) { return gather(mesh.planes + k, first, any_real); };
    Vec<Real> normal{member(0), member(1), member(2)};
    point = add_scaled(point, member(3) - dot(normal, point), normal);
    if (mesh.front == MeshFront::normals) return normal;
    const Real turned(-1.0f);
    if (mesh.front == MeshFront::reversed) return scaled(turned, normal);
    const auto from_back = dot(normal, direction) > Real(0.0f);
    return scaled(select(from_back, turned, Real(1.0f)), normal);
}

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// First hit of a ray on a mesh. Boxes and triangles are tested side by side in lanes, with the same
// operations for every width, so that hits do not depend on the instruction set.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/core/vec.h"
#include "kernels/mesh/mesh_types.h"

namespace helioray::kernels {

/// Number of boxes that can wait: 15 in each of at most 32 + 29 levels of trees of 2^31 triangles,
/// see build_mesh().
inline constexpr int kMeshStack = 1024;

/// Rays with their axes, counted from their point closest to the origin of the mesh; Real: float,
/// or a vector of rays.
template <typename Real>
struct MeshRays {
    Vec<Real> along;    ///< direction, of length 1 except for rounding
    Vec<Real> right;    ///< axis across the ray; right, up and along are right-handed
    Vec<Real> up;       ///< other axis across the ray
    Vec<Real> inverse;  ///< reciprocals of the direction, finite
    Vec<Real> planes;   ///< - origin * inverse: distances to the planes through the mesh's origin
    Vec<Real> across;   ///< coordinates of the mesh's origin along right, up and along, metres
    Real start;         ///< distance from the ray's true origin to its closest point, metres

    MeshRays() = default;
    HELIORAY_HD MeshRays(const Vec<Real>& from, const Vec<Real>& direction) : along(direction) {
        const Real one(1.0f);
        start = -dot(from, direction) / dot(direction, direction);
        const Vec<Real> origin = add_scaled(from, start, direction);
        // Two axes across the ray (Duff et al., Journal of Computer Graphics Techniques 6, 2017).
        const Real sign = select(along.z < Real(0.0f), Real(-1.0f), one);
        const Real a = Real(-1.0f) / (sign + along.z);
        const Real b = along.x * along.y * a;
        right = {fma_(sign * along.x * along.x, a, one), sign * b, -sign * along.x};
        up = {b, fma_(along.y * along.y, a, sign), -along.y};
        inverse = {inverse_of(along.x), inverse_of(along.y), inverse_of(along.z)};
        planes = {-origin.x * inverse.x, -origin.y * inverse.y, -origin.z * inverse.z};
        across = {-dot(right, origin), -dot(up, origin), -dot(along, origin)};
    }

  private:
    HELIORAY_HD static Real inverse_of(const Real& x) {
        const Real tiny(1e-18f);
        const Real least = select(x < Real(0.0f), -tiny, tiny);
        return Real(1.0f) / select(abs_(x) < tiny, least, x);
    }
};

/// Coordinates of the points of a group along an axis. All triangles that share a corner get the
/// same number.
template <typename Lanes>
class MeshCoordinate {
  public:
    HELIORAY_HD MeshCoordinate(const MeshGroup& group, const Vec<float>& axis, float offset) {
        for (int part = 0; part < kParts; ++part) {
            const int begin = part * kWidth;
            const auto points = [&](int k) __attribute__((always_inline)) {
                return load(group.points[k] + begin, Lanes());
            };
            points_[part] =
                fma_(points(0),
                     Lanes(axis.x),
                     fma_(points(1), Lanes(axis.y), fma_(points(2), Lanes(axis.z), Lanes(offset))));
        }
    }
    /// Returns those of a corner of triangles begin, begin + 1, ...
    HELIORAY_HD Lanes of_corner(const MeshGroup& group, int corner, int begin) const {
        return pick(points_, load_bytes(group.corners[corner] + begin, Lanes()));
    }

  private:
    static constexpr int kWidth = LaneTraits<Lanes>::kWidth;
    static constexpr int kParts = kMeshWidth / kWidth;
    Lanes points_[kParts];
};

/// Limits of a search.
struct MeshLimits {
    float distance = 3e37f;  ///< hits farther away than this do not count, metres
    /// Triangle on which the ray starts, which it never meets again; -1: none.
    int32_t start = -1;
    /// Distance from the start within which rounding decides on which side of a neighbouring
    /// triangle it lies, metres: fronts count from a little behind it, backs from a little ahead.
    float gap = 0.0f;
    bool from_back = false;  ///< the ray starts on the back of a triangle: backs count as fronts
};

/// Finds the first hit of a ray on a mesh from either side.
///
/// The two edge functions of triangles that share an edge are exact opposites, because each corner
/// is projected alike for every triangle and their products are not fused; a rounded difference of
/// rounded products never has the wrong sign. A ray through an edge or corner therefore meets a
/// triangle beside it. Of hits at the same distance the one with the lower index counts.
template <typename Lanes>
class MeshSearch {
  public:
    HELIORAY_HD MeshSearch(const MeshView& mesh,
                           const Vec<float>& from,
                           const Vec<float>& r,
                           const MeshLimits& limits = {})
        : MeshSearch(mesh, MeshRays<float>(from, r), limits) {}
    HELIORAY_HD MeshSearch(const MeshView& mesh,
                           const MeshRays<float>& ray,
                           const MeshLimits& limits)
        : mesh_(&mesh),
          ray_(ray),
          limits_(limits),
          first_(-ray_.start - limits.gap),
          best_(min_(kFar, limits.distance - ray_.start)) {}

    HELIORAY_HD MeshHit run() {
        int size = 0;
        int32_t next = 0;
        for (;;) {
            if (next >= 0) {
                next = visit(next, size);
            } else {
                meet_group(mesh_->groups[-1 - next]);
                next = kNothing;
            }
            // Boxes behind the nearest hit so far are left out.
            while (next == kNothing && size > 0) {
                const Waiting& waiting = stack_[--size];
                if (waiting.near <= best_) next = waiting.content;
            }
            if (next == kNothing) break;
        }
        return {triangle_, ray_.start + best_, front_};
    }

  private:
    static constexpr int kWidth = LaneTraits<Lanes>::kWidth;
    static constexpr float kFar = 3e37f;
    static constexpr int32_t kNothing = INT32_MIN;  ///< content of no box

    struct Waiting {
        int32_t content;
        float near;
    };

    /// Returns the content of the nearest box of a node that the ray may meet, or kNothing. Puts
    /// its other boxes on the stack, the nearest one last.
    HELIORAY_HD int32_t visit(int32_t index, int& size) {
        const MeshNode& node = mesh_->nodes[index];
        const int first = size;
        int32_t nearest_content = kNothing;
        float nearest = 0.0f;
        for (int begin = 0; begin < kMeshWidth; begin += kWidth) {
            // Rounding moves a plane by less than the boxes are wider than their triangles. Empty
            // boxes end before they begin.
            const auto distance = [&](const float* plane, float inverse, float offset) {
                return fma_(load(plane + begin, Lanes()), Lanes(inverse), Lanes(offset));
            };
            const bool x = ray_.inverse.x < 0.0f, y = ray_.inverse.y < 0.0f,
                       z = ray_.inverse.z < 0.0f;
            const Lanes near =
                max_(max_(distance(x ? node.high[0] : node.low[0], ray_.inverse.x, ray_.planes.x),
                          distance(y ? node.high[1] : node.low[1], ray_.inverse.y, ray_.planes.y)),
                     distance(z ? node.high[2] : node.low[2], ray_.inverse.z, ray_.planes.z));
            const Lanes far =
                min_(min_(distance(x ? node.low[0] : node.high[0], ray_.inverse.x, ray_.planes.x),
                          distance(y ? node.low[1] : node.high[1], ray_.inverse.y, ray_.planes.y)),
                     distance(z ? node.low[2] : node.high[2], ray_.inverse.z, ray_.planes.z));
            uint32_t met = lane_bits((near <= min_(far, Lanes(best_))) & (far >= Lanes(first_)));
            if (met == 0) continue;
            alignas(64) float distances[kWidth];
            store(distances, near);
            for (; met != 0; met &= met - 1) {
                const int lane = trailing_zeros(met);
                Waiting box{node.content[begin + lane], distances[lane]};
                if (nearest_content == kNothing) {
                    nearest_content = box.content;
                    nearest = box.near;
                    continue;
                }
                if (box.near < nearest) {
                    const Waiting before{nearest_content, nearest};
                    nearest_content = box.content;
                    nearest = box.near;
                    box = before;
                }
                HELIORAY_ASSERT(size < kMeshStack, "the stack holds all boxes that wait");
                // Insert by distance, the farthest one first.
                int at = size++;
                for (; at > first && stack_[at - 1].near < box.near; --at)
                    stack_[at] = stack_[at - 1];
                stack_[at] = box;
            }
        }
        return nearest_content;
    }

    HELIORAY_HD void meet_group(const MeshGroup& group) {
        const MeshCoordinate<Lanes> right(group, ray_.right, ray_.across.x);
        const MeshCoordinate<Lanes> up(group, ray_.up, ray_.across.y);
        for (int begin = 0; begin < kMeshWidth; begin += kWidth) {
            Lanes x[3], y[3];
            for (int corner = 0; corner < 3; ++corner) {
                x[corner] = right.of_corner(group, corner, begin);
                y[corner] = up.of_corner(group, corner, begin);
            }
            const Lanes zero(0.0f);
            const Lanes u = x[2] * y[1] - y[2] * x[1];
            const Lanes v = x[0] * y[2] - y[0] * x[2];
            const Lanes w = x[1] * y[0] - y[1] * x[0];
            const Lanes sum = u + v + w;
            const typename LaneTraits<Lanes>::Mask inside =
                ((min_(u, min_(v, w)) >= zero) & (sum > zero)) |
                ((max_(u, max_(v, w)) <= zero) & (sum < zero));
            // Most groups of a body have no triangle on the ray.
            if (!any(inside)) continue;
            const MeshCoordinate<Lanes> along(group, ray_.along, ray_.across.z);
            Lanes z[3];
            for (int corner = 0; corner < 3; ++corner)
                z[corner] = along.of_corner(group, corner, begin);
            const Lanes t = (u * z[0] + v * z[1] + w * z[2]) / sum;
            const auto is_front = limits_.from_back ? sum < zero : sum > zero;
            const auto nearest = select(is_front, Lanes(first_), Lanes(limits_.gap - ray_.start));
            uint32_t met = lane_bits(inside & (t > nearest) & (t <= Lanes(best_)));
            if (met == 0) continue;
            alignas(64) float distances[kWidth];
            alignas(64) float sums[kWidth];
            store(distances, t);
            store(sums, sum);
            for (; met != 0; met &= met - 1) {
                const int lane = trailing_zeros(met);
                const int32_t triangle = group.triangle[begin + lane];
                // The first hit at the limit counts.
                const bool is_better =
                    distances[lane] < best_ ||
                    (distances[lane] == best_ && (triangle < triangle_ || triangle_ < 0));
                if (!is_better || triangle == limits_.start) continue;
                best_ = distances[lane];
                triangle_ = triangle;
                front_ = sums[lane] > 0.0f;
            }
        }
    }

    const MeshView* mesh_;
    MeshRays<float> ray_;
    MeshLimits limits_;
    float first_;  ///< distance from the closest point from which fronts count
    float best_;   ///< distance of the nearest hit from the closest point
    int32_t triangle_ = -1;
    bool front_ = false;
    Waiting stack_[kMeshStack];
};

}  // namespace helioray::kernels

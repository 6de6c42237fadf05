// SPDX-License-Identifier: MIT
// First hit of a ray on a mesh. Boxes and triangles are tested side by side in lanes, with the same
// operations for every width, so that hits do not depend on the instruction set.
#pragma once

#include "kernels/core/assert.h"
#include "kernels/core/vec.h"
#include "kernels/mesh/mesh_types.h"

namespace helioray::kernels {

/// Number of boxes that can wait: 15 in each of at most 32 + 27 levels of trees of 2^31 triangles,
/// see build_mesh().
inline constexpr int kMeshStack = 1024;

/// A ray with its axes, counted from its point closest to the origin of the mesh.
class MeshRay {
  public:
    HELIORAY_HD MeshRay(const Vec<float>& from, const Vec<float>& direction) : along(direction) {
        start = -dot(from, direction) / dot(direction, direction);
        origin = add_scaled(from, start, direction);
        // Two axes across the ray (Duff et al., Journal of Computer Graphics Techniques 6, 2017).
        const float sign = along.z < 0.0f ? -1.0f : 1.0f;
        const float a = -1.0f / (sign + along.z);
        const float b = along.x * along.y * a;
        right = {fma_(sign * along.x * along.x, a, 1.0f), sign * b, -sign * along.x};
        up = {b, fma_(along.y * along.y, a, sign), -along.y};
        inverse = {inverse_of(along.x), inverse_of(along.y), inverse_of(along.z)};
    }

    Vec<float> along;    ///< direction, of length 1 except for rounding
    Vec<float> origin;   ///< point of the ray closest to the origin of the mesh, metres
    Vec<float> right;    ///< axis across the ray; right, up and along are right-handed
    Vec<float> up;       ///< other axis across the ray
    Vec<float> inverse;  ///< reciprocals of the direction, finite
    float start;         ///< distance from the ray's true origin to `origin`, metres

  private:
    HELIORAY_HD static float inverse_of(float x) {
        constexpr float kTiny = 1e-18f;
        return 1.0f / (abs_(x) < kTiny ? (x < 0.0f ? -kTiny : kTiny) : x);
    }
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
        : mesh_(&mesh),
          ray_(from, r),
          limits_(limits),
          first_(-ray_.start - limits.gap),
          best_(min_(kFar, limits.distance - ray_.start)) {}

    HELIORAY_HD MeshHit run() {
        int size = 0;
        visit(0, size);
        while (size > 0) {
            const Waiting next = stack_[--size];
            if (next.near > best_) continue;
            if (next.content < 0)
                meet_group(mesh_->groups[-1 - next.content]);
            else
                visit(next.content, size);
        }
        return {triangle_, ray_.start + best_, front_};
    }

  private:
    static constexpr int kWidth = LaneTraits<Lanes>::kWidth;
    static constexpr float kFar = 3e37f;

    struct Waiting {
        int32_t content;
        float near;
    };

    /// Puts the boxes of a node that the ray may meet on the stack, the nearest one last.
    HELIORAY_HD void visit(int32_t index, int& size) {
        const MeshNode& node = mesh_->nodes[index];
        // Rounding of three operations; boxes themselves are wider than their triangles.
        constexpr float kWider = 1.0f + 4.0f * 0x1p-23f;
        const int first = size;
        for (int begin = 0; begin < kMeshWidth; begin += kWidth) {
            Lanes near(-kFar), far(kFar);
            const auto narrow = [&](const float* low, const float* high, float o, float inverse) {
                const Lanes a = (load(low + begin, Lanes()) - Lanes(o)) * Lanes(inverse);
                const Lanes b = (load(high + begin, Lanes()) - Lanes(o)) * Lanes(inverse);
                near = max_(near, min_(a, b));
                far = min_(far, max_(a, b));
            };
            narrow(node.low[0], node.high[0], ray_.origin.x, ray_.inverse.x);
            narrow(node.low[1], node.high[1], ray_.origin.y, ray_.inverse.y);
            narrow(node.low[2], node.high[2], ray_.origin.z, ray_.inverse.z);
            // Both ends move outwards.
            const Lanes margin = max_(abs_(near), abs_(far)) * Lanes(kWider - 1.0f);
            near = near - margin;
            far = far + margin;
            uint32_t met = lane_bits(
                (near <= far) & (far >= Lanes(first_)) & (near <= Lanes(best_)) &
                (load(node.low[0] + begin, Lanes()) <= load(node.high[0] + begin, Lanes())));
            alignas(64) float nearest[kWidth];
            store(nearest, near);
            for (; met != 0; met &= met - 1) {
                const int lane = trailing_zeros(met);
                HELIORAY_ASSERT(size < kMeshStack, "the stack holds all boxes that wait");
                // Insert by distance, the farthest one first.
                int at = size++;
                for (; at > first && stack_[at - 1].near < nearest[lane]; --at)
                    stack_[at] = stack_[at - 1];
                stack_[at] = {node.content[begin + lane], nearest[lane]};
            }
        }
    }

    HELIORAY_HD void meet_group(const MeshGroup& group) {
        for (int begin = 0; begin < kMeshWidth; begin += kWidth) {
            Lanes x[3], y[3], z[3];
            for (int corner = 0; corner < 3; ++corner) {
                const Vec<Lanes> from{
                    load(group.corners[corner][0] + begin, Lanes()) - Lanes(ray_.origin.x),
                    load(group.corners[corner][1] + begin, Lanes()) - Lanes(ray_.origin.y),
                    load(group.corners[corner][2] + begin, Lanes()) - Lanes(ray_.origin.z)};
                x[corner] = dot(broadcast<Lanes>(ray_.right), from);
                y[corner] = dot(broadcast<Lanes>(ray_.up), from);
                z[corner] = dot(broadcast<Lanes>(ray_.along), from);
            }
            const Lanes zero(0.0f);
            const Lanes u = x[2] * y[1] - y[2] * x[1];
            const Lanes v = x[0] * y[2] - y[0] * x[2];
            const Lanes w = x[1] * y[0] - y[1] * x[0];
            const Lanes sum = u + v + w;
            const Lanes t = (u * z[0] + v * z[1] + w * z[2]) / sum;
            const auto clockwise = (u >= zero) & (v >= zero) & (w >= zero);
            const auto counter = (u <= zero) & (v <= zero) & (w <= zero);
            const auto is_front = limits_.from_back ? sum < zero : sum > zero;
            const auto nearest = select(is_front, Lanes(first_), Lanes(limits_.gap - ray_.start));
            uint32_t met = lane_bits((clockwise | counter) & ((sum < zero) | (sum > zero)) &
                                     (t > nearest) & (t <= Lanes(best_)));
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
                    distances[lane] < best_ || (distances[lane] == best_ &&
                                                (triangle < triangle_ || triangle_ < 0));
                if (!is_better || triangle == limits_.start) continue;
                best_ = distances[lane];
                triangle_ = triangle;
                front_ = sums[lane] > 0.0f;
            }
        }
    }

    const MeshView* mesh_;
    MeshRay ray_;
    MeshLimits limits_;
    float first_;  ///< distance from ray_.origin from which fronts count
    float best_;   ///< distance from ray_.origin
    int32_t triangle_ = -1;
    bool front_ = false;
    Waiting stack_[kMeshStack];
};

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// Soft, differentiable blocking of rays by rectangles.
#include "raytracer/artist/soft_mask.h"

#include <ATen/ops/full_like.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>

namespace helioray::artist {
namespace {

constexpr double kSoftness = 1000.0;
constexpr double kOpticalDepth = 100.0;
constexpr double kOriginOffset = 0.05;  // metres
constexpr float kEpsilon = 1e-12F;

using Float3 = std::array<float, 3>;

Float3 row(const at::Tensor& t, int64_t k) {
    const float* p = t.data_ptr<float>() + 3 * k;
    return {p[0], p[1], p[2]};
}

float dot(const Float3& a, const Float3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

at::Tensor away_from_zero(const at::Tensor& x) {
    const at::Tensor small = x.abs().lt(kEpsilon);
    return at::where(small, at::full_like(x, kEpsilon), x);
}

at::Tensor step(const at::Tensor& x) {
    return (x * kSoftness).sigmoid_();
}

// 1 between 0 and 1, softly.
at::Tensor inside(const at::Tensor& x) {
    return step(x) * step(1 - x);
}

}  // namespace

at::Tensor blocked_share(const Rectangles& rectangles,
                         const std::vector<int64_t>& selected,
                         const Components& origins,
                         const Components& directions) {
    at::Tensor sum = at::zeros_like(origins[0] + directions[0]);
    const at::Tensor corner = rectangles.corners.select(1, 0).contiguous();
    for (const int64_t k : selected) {
        const Float3 q = row(corner, k), su = row(rectangles.span_u, k);
        const Float3 sv = row(rectangles.span_v, k), n = row(rectangles.normals, k);
        const Components to_corner = {q[0] - origins[0], q[1] - origins[1], q[2] - origins[2]};
        const at::Tensor distance =
            artist::dot(to_corner, n) / away_from_zero(artist::dot(directions, n));
        const Components rel = {distance * directions[0] - to_corner[0],
                                distance * directions[1] - to_corner[1],
                                distance * directions[2] - to_corner[2]};

        // Coordinates along the spans by the normal equations.
        const float uu = dot(su, su), vv = dot(sv, sv), uv = dot(su, sv);
        const float det = std::max(uu * vv - uv * uv, kEpsilon);
        const at::Tensor ru = artist::dot(rel, su), rv = artist::dot(rel, sv);
        const at::Tensor sigma = step(distance - kOriginOffset) *
                                 inside((ru * vv - rv * uv) / det) *
                                 inside((rv * uu - ru * uv) / det);
        sum += sigma.clamp_(0, 1);
    }
    return 1 - (sum * -kOpticalDepth).exp_();
}

}  // namespace helioray::artist

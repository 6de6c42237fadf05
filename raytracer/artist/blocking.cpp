// SPDX-License-Identifier: MIT
// Rectangles of the field, and the fraction of a ray that they block.
#include "raytracer/artist/blocking.h"

#include "raytracer/artist/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace helioray::artist {

at::Tensor corner_indices(int64_t num_points) {
    const auto n = static_cast<int64_t>(std::sqrt(static_cast<double>(num_points) / 4));
    const int64_t lower_left = num_points / 2, lower_right = num_points - n;
    const int64_t upper_right = num_points / 2 - 1, upper_left = n - 1;
    return at::tensor({lower_left, upper_left, upper_right, lower_right});
}

Rectangles make_rectangles(const at::Tensor& corners) {
    const at::Tensor lower_left = corners.select(1, 0);
    const at::Tensor span_u = corners.select(1, 1) - lower_left;
    const at::Tensor span_v = corners.select(1, 3) - lower_left;
    return {corners, span_u, span_v, normalized(at::linalg_cross(span_u, span_v))};
}

Rectangles field_rectangles(const Scenario& scenario,
                            const ArtistRun& run,
                            const std::vector<Group>& groups,
                            const std::vector<Alignment>& alignments,
                            SurfaceStore& surfaces) {
    std::vector<at::Tensor> corners;
    for (size_t g = 0; g < groups.size(); ++g) {
        const at::Tensor index = corner_indices(num_points(scenario, groups[g], run));
        std::map<size_t, int64_t> row_of;
        for (const size_t s : groups[g].samples) {
            row_of.emplace(run.samples[s].heliostat, static_cast<int64_t>(row_of.size()));
        }
        for (const size_t h : groups[g].heliostats) {
            const at::Tensor flat = surfaces.sample(h).points.index_select(0, index);
            const auto row = row_of.find(h);
            if (row != row_of.end()) {
                const at::Tensor turned =
                    transformed(flat, alignments[g].orientation.select(0, row->second));
                corners.push_back(turned.narrow(1, 0, 3));
            } else {
                const Vec3& p = scenario.heliostats[h].position;
                corners.push_back(flat.narrow(1, 0, 3) + at::tensor({static_cast<float>(p[0]),
                                                                     static_cast<float>(p[1]),
                                                                     static_cast<float>(p[2])}));
            }
        }
    }
    return make_rectangles(at::stack(corners).contiguous());
}

namespace {

constexpr double kSoftness = 1000.0;
constexpr double kOpticalDepth = 100.0;
constexpr double kOriginOffset = 0.05;  // metres
constexpr float kSmallest = 1e-12F;

using Float3 = std::array<float, 3>;

Float3 row(const at::Tensor& t, int64_t k) {
    const float* p = t.data_ptr<float>() + 3 * k;
    return {p[0], p[1], p[2]};
}

float dot(const Float3& a, const Float3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

at::Tensor away_from_zero(const at::Tensor& x) {
    const at::Tensor small = x.abs().lt(kSmallest);
    return at::where(small, at::full_like(x, kSmallest), x);
}

at::Tensor step(const at::Tensor& x) {
    return (x * kSoftness).sigmoid_();
}

// Returns about 1 for x between 0 and 1 and about 0 elsewhere, with a smooth transition.
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

        // Compute the coordinates along the spans with the normal equations.
        const float uu = dot(su, su), vv = dot(sv, sv), uv = dot(su, sv);
        const float det = std::max(uu * vv - uv * uv, kSmallest);
        const at::Tensor ru = artist::dot(rel, su), rv = artist::dot(rel, sv);
        const at::Tensor sigma = step(distance - kOriginOffset) *
                                 inside((ru * vv - rv * uv) / det) *
                                 inside((rv * uu - ru * uv) / det);
        sum += sigma.clamp_(0, 1);
    }
    return 1 - (sum * -kOpticalDepth).exp_();
}

}  // namespace helioray::artist

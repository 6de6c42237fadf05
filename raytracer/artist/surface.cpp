// SPDX-License-Identifier: MIT
// Sampled mirror surfaces in the mirror frame, as ARTIST's loader makes them.
#include "raytracer/artist/surface.h"

#include "raytracer/artist/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

namespace helioray::artist {
namespace {

at::Tensor to_tensor(const Vec3& v) {
    return at::tensor(
        {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])});
}

at::Tensor control_points(const Facet& facet) {
    return at::tensor(at::ArrayRef<double>(facet.control_points), at::kFloat)
        .reshape({facet.num_control_points[0], facet.num_control_points[1], 3});
}

// Turns the first three components; the last one stays.
at::Tensor turn(const at::Tensor& vectors, const at::Tensor& rotation) {
    return at::cat({vectors.narrow(1, 0, 3).matmul(rotation.t()), vectors.narrow(1, 3, 1)}, 1);
}

}  // namespace

at::Tensor canting_rotation(const Vec3& canting_e, const Vec3& canting_n) {
    const at::Tensor e = normalized(to_tensor(canting_e));
    const at::Tensor u = normalized(at::linalg_cross(e, to_tensor(canting_n)));
    const at::Tensor n = normalized(at::linalg_cross(u, e));
    return at::stack({e, n, u}, 1);
}

std::vector<float> evaluation_grid(int64_t n) {
    const at::Tensor grid = at::linspace(1e-7, 1 - 1e-7, n, at::kFloat);
    return {grid.data_ptr<float>(), grid.data_ptr<float>() + n};
}

SurfacePoints sample_surface(const Surface& surface,
                             const std::array<int64_t, 2>& points_per_facet) {
    const std::vector<float> grid_e = evaluation_grid(points_per_facet[0]);
    const std::vector<float> grid_n = evaluation_grid(points_per_facet[1]);
    const bool fitted = surface.is_fitted();
    // One degree pair serves the whole heliostat: the last facet's.
    const auto& degrees = surface.facets.back().degrees;
    std::vector<at::Tensor> points, normals;
    for (const Facet& facet : surface.facets) {
        const Basis u = evaluate_basis(grid_e, facet.num_control_points[0], degrees[0]);
        const Basis v = evaluate_basis(grid_n, facet.num_control_points[1], degrees[1]);
        SurfacePoints sampled = evaluate_surface(control_points(facet), u, v);
        if (!fitted) {
            const at::Tensor rotation = canting_rotation(facet.canting_e, facet.canting_n);
            sampled.points = turn(sampled.points, rotation);
            sampled.normals = turn(sampled.normals, rotation);
            sampled.points.narrow(1, 0, 3).add_(to_tensor(facet.translation));
        }
        points.push_back(sampled.points);
        normals.push_back(sampled.normals);
    }
    return {at::cat(points), at::cat(normals)};
}

SurfaceStore::SurfaceStore(const Scenario& scenario, const std::array<int64_t, 2>& points_per_facet)
    : scenario_(scenario), points_per_facet_(points_per_facet) {
    for (const Heliostat& heliostat : scenario.heliostats) ++num_users_[heliostat.surface.get()];
}

SurfacePoints SurfaceStore::sample(size_t heliostat) {
    const Surface* surface = scenario_.heliostats[heliostat].surface.get();
    const auto found = kept_.find(surface);
    if (found != kept_.end()) return found->second;
    SurfacePoints sampled = sample_surface(*surface, points_per_facet_);
    if (num_users_[surface] > 1) kept_.emplace(surface, sampled);
    return sampled;
}

}  // namespace helioray::artist

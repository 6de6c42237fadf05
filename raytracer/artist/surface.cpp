// SPDX-License-Identifier: MIT
// B-splines, and the surfaces built from them.
#include "raytracer/artist/surface.h"

#include "raytracer/artist/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace helioray::artist {
namespace {

// Returns the triangular table of Cox and de Boor (The NURBS Book, A2.2): upper triangle and
// diagonal contain the basis functions of every degree, the lower triangle the knot differences.
std::vector<std::vector<float>> basis_table(float t,
                                            int64_t span,
                                            int64_t degree,
                                            const std::vector<float>& knots) {
    const auto size = static_cast<size_t>(degree + 1);
    std::vector<std::vector<float>> table(size, std::vector<float>(size, 0.0F));
    const auto knot = [&](int64_t i) { return knots[static_cast<size_t>(i)]; };
    table[0][0] = 1.0F;
    for (size_t j = 1; j < size; ++j) {
        const auto step = static_cast<int64_t>(j);
        float saved = 0.0F;
        for (size_t r = 0; r < j; ++r) {
            const auto offset = static_cast<int64_t>(r);
            const float right = knot(span + offset + 1) - t;
            const float left = t - knot(span + 1 - step + offset);
            table[j][r] = right + left;
            const float share = table[r][j - 1] / table[j][r];
            table[r][j] = saved + right * share;
            saved = left * share;
        }
        table[j][j] = saved;
    }
    return table;
}

}  // namespace

std::vector<float> clamped_knots(int64_t num_control_points, int64_t degree) {
    const int64_t intervals = num_control_points - degree;
    std::vector<float> knots(static_cast<size_t>(degree), 0.0F);
    for (int64_t i = 0; i <= intervals; ++i) {
        knots.push_back(static_cast<float>(i) / static_cast<float>(intervals));
    }
    knots.insert(knots.end(), static_cast<size_t>(degree), 1.0F);
    return knots;
}

int64_t knot_span(float t, int64_t num_control_points, int64_t degree) {
    return static_cast<int64_t>(std::floor(t * static_cast<float>(num_control_points - degree))) +
           degree;
}

Basis evaluate_basis(const std::vector<float>& parameters,
                     int64_t num_control_points,
                     int64_t degree) {
    const std::vector<float> knots = clamped_knots(num_control_points, degree);
    const auto p = static_cast<size_t>(degree);
    Basis basis;
    basis.degree = degree;
    for (const float t : parameters) {
        const int64_t span = knot_span(t, num_control_points, degree);
        const auto table = basis_table(t, span, degree, knots);
        basis.first.push_back(span - degree);
        for (size_t r = 0; r <= p; ++r) {
            // The first derivative is a difference of the functions one degree lower.
            const float left = r > 0 ? table[r - 1][p - 1] / table[p][r - 1] : 0.0F;
            const float right = r < p ? table[r][p - 1] / table[p][r] : 0.0F;
            basis.value.push_back(table[r][p]);
            basis.derivative.push_back(static_cast<float>(degree) * (left - right));
        }
    }
    return basis;
}

SurfacePoints evaluate_surface(const at::Tensor& control_points, const Basis& u, const Basis& v) {
    const auto num_u = static_cast<int64_t>(u.first.size());
    const auto num_v = static_cast<int64_t>(v.first.size());
    const at::Tensor points = at::ones({num_u * num_v, 4}, at::kFloat);
    const at::Tensor tangent_u = at::empty({num_u * num_v, 3}, at::kFloat);
    const at::Tensor tangent_v = at::empty({num_u * num_v, 3}, at::kFloat);
    const int64_t stride = 3 * control_points.size(1);
    const at::Tensor grid = control_points.contiguous();

    // Sum over the control points around (a, b) and write the result to row `a * num_v + b`; plain
    // loops round the same everywhere.
    const auto sum = [&](const std::vector<float>& along_u,
                         const std::vector<float>& along_v,
                         const at::Tensor& out) {
        float* target = out.data_ptr<float>();
        for (int64_t a = 0; a < num_u; ++a) {
            for (int64_t b = 0; b < num_v; ++b, target += out.size(1)) {
                const float* base = grid.data_ptr<float>() +
                                    stride * u.first[static_cast<size_t>(a)] +
                                    3 * v.first[static_cast<size_t>(b)];
                std::array<float, 3> p{};
                for (int64_t r = 0; r <= u.degree; ++r) {
                    for (int64_t s = 0; s <= v.degree; ++s) {
                        const float weight = along_u[static_cast<size_t>(a * (u.degree + 1) + r)] *
                                             along_v[static_cast<size_t>(b * (v.degree + 1) + s)];
                        const float* point = base + stride * r + 3 * s;
                        for (size_t k = 0; k < 3; ++k) p[k] += weight * point[k];
                    }
                }
                std::copy(p.begin(), p.end(), target);
            }
        }
    };
    sum(u.value, v.value, points);
    sum(u.derivative, v.value, tangent_u);
    sum(u.value, v.derivative, tangent_v);
    const at::Tensor normals = normalized(at::linalg_cross(tangent_u, tangent_v));
    return {points, at::cat({normals, at::zeros({num_u * num_v, 1}, at::kFloat)}, 1)};
}

namespace {

at::Tensor to_tensor(const Vec3& v) {
    return at::tensor(
        {static_cast<float>(v[0]), static_cast<float>(v[1]), static_cast<float>(v[2])});
}

at::Tensor control_points(const Facet& facet) {
    return at::tensor(at::ArrayRef<double>(facet.control_points), at::kFloat)
        .reshape({facet.num_control_points[0], facet.num_control_points[1], 3});
}

// Rotates the first three components; the last one does not change.
at::Tensor turn(const at::Tensor& vectors, const at::Tensor& rotation) {
    at::Tensor sum = vectors.select(1, 0).unsqueeze(1) * rotation.select(1, 0);
    for (int64_t k = 1; k < 3; ++k) {
        sum += vectors.select(1, k).unsqueeze(1) * rotation.select(1, k);
    }
    return at::cat({sum, vectors.narrow(1, 3, 1)}, 1);
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
    // One pair of degrees applies to the whole heliostat: that of the last facet.
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

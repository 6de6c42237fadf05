// SPDX-License-Identifier: MIT
// Clamped uniform B-splines: knots, spans, basis functions and surface points (P4: weights are 1).
#include "raytracer/artist/bspline.h"

#include "raytracer/artist/transforms.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace helioray::artist {
namespace {

// Triangular table of Cox and de Boor (The NURBS Book, A2.2): upper triangle and diagonal hold the
// basis functions of every degree, the lower triangle the knot differences.
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
            // First derivative: differences of the functions one degree lower.
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

    // Sum over the control points around (a, b); written at row `a * num_v + b`, plain loops so
    // that rounding is the same everywhere.
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

}  // namespace helioray::artist

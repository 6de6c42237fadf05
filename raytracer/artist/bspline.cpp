// SPDX-License-Identifier: MIT
// Clamped uniform B-splines: knots, spans, basis functions and surface points (P4: weights are 1).
#include "raytracer/artist/bspline.h"

#include "raytracer/artist/transforms.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

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
    const auto rows = static_cast<int64_t>(parameters.size());
    Basis basis{at::zeros({rows, num_control_points}, at::kFloat),
                at::zeros({rows, num_control_points}, at::kFloat)};
    for (int64_t row = 0; row < rows; ++row) {
        const float t = parameters[static_cast<size_t>(row)];
        const int64_t span = knot_span(t, num_control_points, degree);
        const auto table = basis_table(t, span, degree, knots);
        float* value = basis.value.data_ptr<float>() + row * num_control_points + span - degree;
        float* slope =
            basis.derivative.data_ptr<float>() + row * num_control_points + span - degree;
        const auto p = static_cast<size_t>(degree);
        for (size_t r = 0; r <= p; ++r) value[r] = table[r][p];
        // First derivative: differences of the functions one degree lower.
        for (size_t r = 0; r <= p && p > 0; ++r) {
            const float left = r > 0 ? table[r - 1][p - 1] / table[p][r - 1] : 0.0F;
            const float right = r < p ? table[r][p - 1] / table[p][r] : 0.0F;
            slope[r] = static_cast<float>(degree) * (left - right);
        }
    }
    return basis;
}

SurfacePoints evaluate_surface(const at::Tensor& control_points, const Basis& u, const Basis& v) {
    const auto product = [&](const at::Tensor& along_u, const at::Tensor& along_v) {
        return at::einsum("ai,ijk,bj->abk", {along_u, control_points, along_v}).reshape({-1, 3});
    };
    const at::Tensor points = product(u.value, v.value);
    const at::Tensor tangent_u = product(u.derivative, v.value);
    const at::Tensor tangent_v = product(u.value, v.derivative);
    const at::Tensor normals = normalized(at::linalg_cross(tangent_u, tangent_v));
    const int64_t n = points.size(0);
    return {at::cat({points, at::ones({n, 1}, at::kFloat)}, 1),
            at::cat({normals, at::zeros({n, 1}, at::kFloat)}, 1)};
}

}  // namespace helioray::artist

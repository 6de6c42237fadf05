// SPDX-License-Identifier: MIT
// Elementary 4 x 4 transforms, batched, and small vector helpers whose gradients stay finite.
#include "raytracer/kinematics/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <array>
#include <vector>

namespace helioray {

namespace {

// Joins twelve entries, the first three rows, and the constant last row to [..., 4, 4].
at::Tensor matrix_from_rows(const std::array<at::Tensor, 12>& rows) {
    const at::Tensor zero = at::zeros_like(rows[0]);
    std::vector<at::Tensor> entries(rows.begin(), rows.end());
    entries.insert(entries.end(), {zero, zero, zero, at::ones_like(zero)});
    return at::stack(entries, -1).unflatten(-1, {4, 4});
}

}  // namespace

at::Tensor rotate_e(const at::Tensor& angle) {
    const at::Tensor c = angle.cos(), s = angle.sin(), o = at::zeros_like(c), i = at::ones_like(c);
    return matrix_from_rows({i, o, o, o, o, c, -s, o, o, s, c, o});
}

at::Tensor rotate_n(const at::Tensor& angle) {
    const at::Tensor c = angle.cos(), s = angle.sin(), o = at::zeros_like(c), i = at::ones_like(c);
    return matrix_from_rows({c, o, -s, o, o, i, o, o, s, o, c, o});
}

at::Tensor rotate_u(const at::Tensor& angle) {
    const at::Tensor c = angle.cos(), s = angle.sin(), o = at::zeros_like(c), i = at::ones_like(c);
    return matrix_from_rows({c, -s, o, o, s, c, o, o, o, o, i, o});
}

at::Tensor translate(const at::Tensor& offset) {
    const at::Tensor e = offset.select(-1, 0), n = offset.select(-1, 1), u = offset.select(-1, 2);
    const at::Tensor o = at::zeros_like(e), i = at::ones_like(e);
    return matrix_from_rows({i, o, o, e, o, i, o, n, o, o, i, u});
}

at::Tensor rigid_transform(const at::Tensor& e,
                           const at::Tensor& n,
                           const at::Tensor& u,
                           const at::Tensor& origin) {
    std::array<at::Tensor, 12> rows;
    for (int64_t row = 0; row < 3; ++row) {
        const auto first = static_cast<size_t>(4 * row);
        rows[first] = e.select(-1, row);
        rows[first + 1] = n.select(-1, row);
        rows[first + 2] = u.select(-1, row);
        rows[first + 3] = origin.select(-1, row);
    }
    return matrix_from_rows(rows);
}

UnitVectors normalise_or(const at::Tensor& vectors, const at::Tensor& fallback, double shortest) {
    const at::Tensor square = (vectors * vectors).sum(-1, /*keepdim=*/true);
    const at::Tensor valid = square > shortest * shortest;

    // The root sees a harmless number where there is no direction, so that no NaN reaches the
    // gradient.
    const at::Tensor length = at::where(valid, square, at::ones_like(square)).sqrt();
    return {at::where(valid, vectors / length, fallback), valid.squeeze(-1)};
}

at::Tensor angle_of(const at::Tensor& y, const at::Tensor& x, double undefined) {
    const at::Tensor nowhere = (x == 0) & (y == 0);
    const at::Tensor safe_x = at::where(nowhere, at::ones_like(x), x);
    return at::where(nowhere, at::full_like(y, undefined), at::atan2(y, safe_x));
}

}  // namespace helioray

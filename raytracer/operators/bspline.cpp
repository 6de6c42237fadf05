// SPDX-License-Identifier: MIT
// B-spline basis functions and surfaces in ATen.
#include "raytracer/tracing/surface/bspline.h"

#include "raytracer/operators/surface.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_cross.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>
#include <c10/util/Exception.h>

#include <vector>

namespace helioray::operators {

namespace {

// Computes the non-zero basis functions of one degree from those of the degree below (Cox-de Boor).
// left[j] is the distance from the knot j intervals below the parameter, right[j] the distance to
// the knot j intervals above it.
std::vector<at::Tensor> raise_degree(const std::vector<at::Tensor>& lower,
                                     const std::vector<at::Tensor>& left,
                                     const std::vector<at::Tensor>& right) {
    const size_t degree = lower.size();
    std::vector<at::Tensor> values;
    at::Tensor carried = at::zeros_like(lower[0]);
    for (size_t r = 0; r < degree; ++r) {
        const at::Tensor share = lower[r] / (right[r + 1] + left[degree - r]);
        values.push_back(carried + right[r + 1] * share);
        carried = left[degree - r] * share;
    }
    values.push_back(carried);
    return values;
}

// Computes the derivatives of the basis functions of degree p from the functions of degree p - 1.
std::vector<at::Tensor> derivatives_from(const std::vector<at::Tensor>& lower,
                                         const std::vector<at::Tensor>& left,
                                         const std::vector<at::Tensor>& right) {
    const size_t degree = lower.size();
    std::vector<at::Tensor> derivatives;
    at::Tensor carried = at::zeros_like(lower[0]);
    for (size_t r = 0; r < degree; ++r) {
        const at::Tensor slope =
            static_cast<double>(degree) * lower[r] / (right[r + 1] + left[degree - r]);
        derivatives.push_back(carried - slope);
        carried = slope;
    }
    derivatives.push_back(carried);
    return derivatives;
}

// Sums weight_u * weight_v * point over the window of control points. window: [B, P, a, b, 3].
at::Tensor weighted_sum(const at::Tensor& window, const at::Tensor& u, const at::Tensor& v) {
    const at::Tensor weights = (u.unsqueeze(2) * v.unsqueeze(1)).unsqueeze(-1);
    return (window * weights).sum({2, 3});
}

}  // namespace

BSplineBasis bspline_basis(const at::Tensor& parameters,
                           int64_t num_control_points,
                           int64_t degree) {
    TORCH_CHECK(degree >= 1 && num_control_points > degree,
                "a B-spline of degree ",
                degree,
                " needs a degree of at least 1 and more control points "
                "than its degree, found ",
                num_control_points);
    const at::Tensor knots = at::tensor(clamped_uniform_knots(num_control_points, degree),
                                        parameters.options().requires_grad(false));
    TORCH_CHECK(parameters.dim() == 1 && parameters.scalar_type() == at::kDouble,
                "B-spline parameters must be float64 [P]");
    TORCH_CHECK(((parameters >= 0) & (parameters <= 1)).all().item<bool>(),
                "B-spline parameters must lie in [0, 1]");

    // Find the knot span of every parameter; the last span includes its end.
    const int64_t intervals = num_control_points - degree;
    const at::Tensor span = (parameters.detach() * static_cast<double>(intervals))
                                .floor()
                                .to(at::kLong)
                                .clamp(0, intervals - 1) +
                            degree;

    // Compute the distances to the surrounding knots; index 0 is not used.
    std::vector<at::Tensor> left(1), right(1);
    for (int64_t j = 1; j <= degree; ++j) {
        left.push_back(parameters - knots.index_select(0, span + (1 - j)));
        right.push_back(knots.index_select(0, span + j) - parameters);
    }

    std::vector<at::Tensor> values{at::ones_like(parameters)};
    for (int64_t p = 1; p < degree; ++p) values = raise_degree(values, left, right);
    const std::vector<at::Tensor> derivatives = derivatives_from(values, left, right);
    values = raise_degree(values, left, right);
    return {span - degree, at::stack(values, 1), at::stack(derivatives, 1)};
}

SurfacePoints evaluate_bspline(const at::Tensor& control_points,
                               std::array<int64_t, 2> degrees,
                               const at::Tensor& uv) {
    TORCH_CHECK(control_points.scalar_type() == at::kDouble && control_points.dim() >= 3 &&
                    control_points.size(-1) == 3,
                "control points must be float64 [..., nu, nv, 3], found ",
                control_points.sizes());
    TORCH_CHECK(uv.dim() == 2 && uv.size(1) == 2, "uv must be [P, 2], found ", uv.sizes());
    const int64_t nu = control_points.size(-3), nv = control_points.size(-2);
    const BSplineBasis u = bspline_basis(uv.select(1, 0), nu, degrees[0]);
    const BSplineBasis v = bspline_basis(uv.select(1, 1), nv, degrees[1]);

    // Gather the (degree + 1) x (degree + 1) control points of each parameter pair.
    const int64_t num_points = uv.size(0), wu = degrees[0] + 1, wv = degrees[1] + 1;
    const auto steps = [&](int64_t n) {
        return at::linspace(0, static_cast<double>(n - 1), n, u.first.options());
    };
    const at::Tensor row = u.first.view({-1, 1, 1}) + steps(wu).view({1, -1, 1});
    const at::Tensor column = v.first.view({-1, 1, 1}) + steps(wv).view({1, 1, -1});
    const at::Tensor window = control_points.reshape({-1, nu * nv, 3})
                                  .index_select(1, (row * nv + column).flatten())
                                  .view({-1, num_points, wu, wv, 3});

    std::vector<int64_t> shape = control_points.sizes().vec();
    shape.resize(shape.size() - 3);
    shape.insert(shape.end(), {num_points, 3});
    SurfacePoints result;
    result.points = weighted_sum(window, u.values, v.values).view(shape);
    result.tangent_u = weighted_sum(window, u.derivatives, v.values).view(shape);
    result.tangent_v = weighted_sum(window, u.values, v.derivatives).view(shape);
    const at::Tensor normal = at::linalg_cross(result.tangent_u, result.tangent_v);
    result.normals = normal / (normal * normal).sum(-1, true).sqrt();
    return result;
}

}  // namespace helioray::operators

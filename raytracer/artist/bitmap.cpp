// SPDX-License-Identifier: MIT
// Deposits ray intensities on a bitmap as exact fixed-point sums that do not depend on their order.
#include "raytracer/artist/targets.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/trunc.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

namespace helioray::artist {

at::Tensor splat(const at::Tensor& e,
                 const at::Tensor& u,
                 const at::Tensor& intensity,
                 int64_t width,
                 int64_t height,
                 double scale) {
    const at::Tensor e_low = e.trunc(), u_low = u.trunc();
    const at::Tensor inside = e_low.ge(0)
                                  .logical_and_(e_low.lt(static_cast<double>(width - 1)))
                                  .logical_and_(u_low.ge(0))
                                  .logical_and_(u_low.lt(static_cast<double>(height - 1)));
    // Dropped rays deposit 0 in pixel 0.
    const at::Tensor deposited = intensity.masked_fill(inside.logical_not(), 0);
    const at::Tensor corner =
        (u_low * static_cast<double>(width)).masked_fill(inside.logical_not(), 0).to(at::kLong) +
        e_low.masked_fill(inside.logical_not(), 0).to(at::kLong);
    const at::Tensor fe = e - e_low, fu = u - u_low;

    at::Tensor sums = at::zeros({height * width}, e.options().dtype(at::kLong));
    const auto deposit = [&](const at::Tensor& weight, int64_t offset) {
        const at::Tensor share =
            (weight * deposited).to(at::kDouble).mul_(scale).round_().to(at::kLong).reshape({-1});
        sums.scatter_add_(0, (corner + offset).reshape({-1}), share);
    };
    deposit((1 - fe) * fu, width);
    deposit(fe * fu, width + 1);
    deposit(fe * (1 - fu), 1);
    deposit((1 - fe) * (1 - fu), 0);
    return sums.reshape({height, width}).flip({0});
}

double fixed_point_scale(double total) {
    const double bound = std::max(total, 1e-30);
    return std::exp2(std::min(44.0, std::floor(61.0 - std::log2(bound))));
}

}  // namespace helioray::artist

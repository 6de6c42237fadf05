// SPDX-License-Identifier: MIT
// Motor positions to joint angles and back, for linear and ideal actuators.
#include "raytracer/artist/actuators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

namespace helioray::artist {
namespace {

constexpr double kEpsilon = 1e-6;

// Positive lengths whatever the stored value (P9).
at::Tensor made_positive(const at::Tensor& x) {
    return at::softplus(x, 100, 20) + kEpsilon;
}

// The triangle of one linear actuator and its limits.
struct Triangle {
    at::Tensor increment, offset, radius, stroke0;

    explicit Triangle(const Parameters& p)
        : increment(made_positive(p.increment)),
          offset(made_positive(p.offset)),
          radius(made_positive(p.pivot_radius)),
          stroke0(made_positive(p.initial_stroke)) {}

    at::Tensor clamp_stroke(const at::Tensor& stroke) const {
        const at::Tensor low = (offset - radius).abs() + kEpsilon;
        const at::Tensor high = offset + radius - kEpsilon;
        return at::minimum(at::maximum(stroke, low), high);
    }

    at::Tensor angle(const at::Tensor& motor) const {
        const at::Tensor s = clamp_stroke(motor / increment + stroke0);
        const at::Tensor cosine =
            (offset.square() + radius.square() - s.square()) / (2 * offset * radius);
        return cosine.clamp(-1 + kEpsilon, 1 - kEpsilon).acos();
    }
};

}  // namespace

at::Tensor joint_angles(const Parameters& p, const at::Tensor& motor_positions) {
    if (!p.linear) return motor_positions;
    const Triangle triangle(p);
    const at::Tensor delta =
        triangle.angle(at::zeros_like(motor_positions)) - triangle.angle(motor_positions);
    return at::where(p.clockwise, p.initial_angle + delta, p.initial_angle - delta);
}

at::Tensor motor_positions(const Parameters& p, const at::Tensor& angles) {
    if (!p.linear) return angles;
    const Triangle t(p);
    const at::Tensor delta =
        at::where(p.clockwise, angles - p.initial_angle, p.initial_angle - angles);
    const at::Tensor absolute = t.angle(at::zeros_like(angles)) - delta;
    const at::Tensor cosine = absolute.cos().clamp(-1 + kEpsilon, 1 - kEpsilon);
    const at::Tensor stroke =
        (t.offset.square() + t.radius.square() - 2 * t.offset * t.radius * cosine).sqrt();
    return (t.clamp_stroke(stroke) - t.stroke0) * t.increment;
}

}  // namespace helioray::artist

// SPDX-License-Identifier: MIT
// Forward and inverse kinematics of a rigid body with two joints.
#include "raytracer/artist/kinematics.h"

#include "raytracer/artist/actuators.h"
#include "raytracer/artist/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/asin.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>

#include <numbers>

namespace helioray::artist {
namespace {

at::Tensor column(const at::Tensor& t, int64_t k) {
    return t.select(-1, k);
}

at::Tensor translation(const Parameters& p, int64_t first) {
    return translate(column(p.translation, first),
                     column(p.translation, first + 1),
                     column(p.translation, first + 2));
}

// Tilts of the first and of the second joint.
at::Tensor first_tilt(const Parameters& p) {
    return rotate_n(column(p.rotation, 0)).matmul(rotate_u(column(p.rotation, 1)));
}
at::Tensor second_tilt(const Parameters& p) {
    return rotate_e(column(p.rotation, 2)).matmul(rotate_n(column(p.rotation, 3)));
}

at::Tensor wrap(const at::Tensor& angle) {
    return at::atan2(angle.sin(), angle.cos());
}

// Angle of joint 1 that brings F2 R_u(theta2) (0, -1, 0) onto m, both seen in the n-u plane.
at::Tensor first_angle(const at::Tensor& tilt2, const at::Tensor& theta2, const at::Tensor& m) {
    const at::Tensor reference = at::tensor({0.0F, -1.0F, 0.0F, 0.0F});
    const at::Tensor v = tilt2.matmul(rotate_u(theta2)).matmul(reference);
    const at::Tensor vn = column(v, 1), vu = column(v, 2), mn = column(m, 1), mu = column(m, 2);
    return wrap(at::atan2(vn * mu - vu * mn, vn * mn + vu * mu));
}

at::Tensor within_limits(const Parameters& p, const at::Tensor& motor) {
    return motor.ge(p.minimum).logical_and(motor.le(p.maximum)).all(1);
}

}  // namespace

at::Tensor forward(const Parameters& p, const at::Tensor& motor_positions) {
    const at::Tensor theta = joint_angles(p, motor_positions);
    const at::Tensor joint1 =
        first_tilt(p).matmul(translation(p, 0)).matmul(rotate_e(column(theta, 0)));
    const at::Tensor joint2 =
        second_tilt(p).matmul(translation(p, 3)).matmul(rotate_u(column(theta, 1)));
    const at::Tensor position =
        translate(column(p.position, 0), column(p.position, 1), column(p.position, 2));
    return position.matmul(joint1).matmul(joint2).matmul(translation(p, 6));
}

at::Tensor surface_orientation(const at::Tensor& orientation) {
    const at::Tensor quarter = at::full({1}, std::numbers::pi / 2, orientation.options());
    return orientation.matmul(rotate_e(quarter));
}

InverseSolution inverse(const Parameters& p, const at::Tensor& normal) {
    const double epsilon = 1e-8;
    const at::Tensor tilt2 = second_tilt(p);
    const at::Tensor m = first_tilt(p).transpose(1, 2).matmul(normal.unsqueeze(-1)).squeeze(-1);

    // Joint 2 from the east component of the normal, which joint 1 cannot change.
    const at::Tensor a = tilt2.select(1, 0).select(1, 0), b = tilt2.select(1, 0).select(1, 1);
    const at::Tensor amplitude = (a.square() + b.square()).sqrt();
    const at::Tensor phase = at::atan2(-b, a);
    const at::Tensor arc =
        (column(m, 0) / (amplitude + epsilon)).clamp(-1 + epsilon, 1 - epsilon).asin();
    const at::Tensor natural2 = wrap(arc - phase);
    const at::Tensor rolled2 = wrap(std::numbers::pi - arc - phase);

    const auto solution = [&](const at::Tensor& theta2) {
        return motor_positions(p, at::stack({first_angle(tilt2, theta2, m), theta2}, 1));
    };
    const at::Tensor natural = solution(natural2), rolled = solution(rolled2);
    const at::Tensor natural_valid = within_limits(p, natural);
    return {at::where(natural_valid.unsqueeze(1), natural, rolled),
            natural_valid.logical_or(within_limits(p, rolled)).logical_not()};
}

}  // namespace helioray::artist

// SPDX-License-Identifier: MIT
// Parameters, actuators, forward and inverse kinematics, alignment.
#include "raytracer/artist/kinematics.h"

#include "raytracer/artist/transforms.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/asin.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include <numbers>

namespace helioray::artist {
namespace {

void set_position(const Heliostat& heliostat, float* out) {
    for (size_t k = 0; k < 3; ++k) out[k] = static_cast<float>(heliostat.position[k]);
    out[3] = 1.0F;
}

void set_deviations(const KinematicsDeviations& d, float* translation, float* rotation) {
    for (size_t k = 0; k < 3; ++k) {
        translation[k] = static_cast<float>(d.first_joint_translation[k]);
        translation[3 + k] = static_cast<float>(d.second_joint_translation[k]);
        translation[6 + k] = static_cast<float>(d.concentrator_translation[k]);
    }
    rotation[0] = static_cast<float>(d.first_joint_tilt_n);
    rotation[1] = static_cast<float>(d.first_joint_tilt_u);
    rotation[2] = static_cast<float>(d.second_joint_tilt_e);
    rotation[3] = static_cast<float>(d.second_joint_tilt_n);
}

}  // namespace

Parameters load_parameters(const Scenario& scenario, const std::vector<size_t>& heliostats) {
    const auto n = static_cast<int64_t>(heliostats.size());
    Parameters p;
    p.position = at::zeros({n, 4}, at::kFloat);
    p.translation = at::zeros({n, 9}, at::kFloat);
    p.rotation = at::zeros({n, 4}, at::kFloat);
    p.clockwise = at::zeros({n, 2}, at::kBool);
    for (at::Tensor* t : {&p.minimum,
                          &p.maximum,
                          &p.initial_angle,
                          &p.initial_stroke,
                          &p.increment,
                          &p.offset,
                          &p.pivot_radius}) {
        *t = at::zeros({n, 2}, at::kFloat);
    }
    for (int64_t row = 0; row < n; ++row) {
        const Heliostat& heliostat = scenario.heliostats[heliostats[static_cast<size_t>(row)]];
        set_position(heliostat, p.position.data_ptr<float>() + 4 * row);
        set_deviations(heliostat.kinematics->deviations,
                       p.translation.data_ptr<float>() + 9 * row,
                       p.rotation.data_ptr<float>() + 4 * row);
        for (int64_t axis = 0; axis < 2; ++axis) {
            const Actuator& a = (*heliostat.actuators)[static_cast<size_t>(axis)];
            const auto put = [&](at::Tensor& t, double value) {
                t.data_ptr<float>()[2 * row + axis] = static_cast<float>(value);
            };
            p.linear = a.type == ActuatorType::linear;
            p.clockwise.data_ptr<bool>()[2 * row + axis] = a.clockwise;
            put(p.minimum, a.min_motor_position);
            put(p.maximum, a.max_motor_position);
            if (!p.linear) continue;
            put(p.initial_angle, a.initial_angle);
            put(p.initial_stroke, a.initial_stroke_length);
            put(p.increment, a.increment);
            put(p.offset, a.offset);
            put(p.pivot_radius, a.pivot_radius);
        }
    }
    // Surfaces lie flat while the kinematics' reference points south; axis 1 compensates the
    // difference.
    if (p.linear) p.initial_angle.select(1, 0).sub_(std::numbers::pi / 2);
    return p;
}

Parameters select_rows(const Parameters& all, const at::Tensor& index) {
    Parameters p;
    p.linear = all.linear;
    p.position = all.position.index_select(0, index);
    p.translation = all.translation.index_select(0, index);
    p.rotation = all.rotation.index_select(0, index);
    p.clockwise = all.clockwise.index_select(0, index);
    p.minimum = all.minimum.index_select(0, index);
    p.maximum = all.maximum.index_select(0, index);
    p.initial_angle = all.initial_angle.index_select(0, index);
    p.initial_stroke = all.initial_stroke.index_select(0, index);
    p.increment = all.increment.index_select(0, index);
    p.offset = all.offset.index_select(0, index);
    p.pivot_radius = all.pivot_radius.index_select(0, index);
    return p;
}

namespace {

constexpr double kEpsilon = 1e-6;

// Returns positive lengths for any stored value (P9).
at::Tensor made_positive(const at::Tensor& x) {
    return at::softplus(x, 100, 20) + kEpsilon;
}

// Triangle of one linear actuator with its limits.
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

namespace {

at::Tensor column(const at::Tensor& t, int64_t k) {
    return t.select(-1, k);
}

at::Tensor translation(const Parameters& p, int64_t first) {
    return translate(column(p.translation, first),
                     column(p.translation, first + 1),
                     column(p.translation, first + 2));
}

// Returns the tilts of the first joint.
at::Tensor first_tilt(const Parameters& p) {
    return rotate_n(column(p.rotation, 0)).matmul(rotate_u(column(p.rotation, 1)));
}
at::Tensor second_tilt(const Parameters& p) {
    return rotate_e(column(p.rotation, 2)).matmul(rotate_n(column(p.rotation, 3)));
}

at::Tensor wrap(const at::Tensor& angle) {
    return at::atan2(angle.sin(), angle.cos());
}

// Returns the angle of joint 1 that brings F2 R_u(theta2) (0, -1, 0) onto m, both projected to the
// n-u plane.
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

    // Compute joint 2 from the east component of the normal, which joint 1 cannot change.
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

namespace {

constexpr int64_t kMaxPasses = 4;
constexpr double kTolerance = 1e-4;

// Returns the normals [N, 4] that reflect the incident light from the mirrors' origins to the aim
// points.
at::Tensor wanted_normals(const at::Tensor& orientation,
                          const at::Tensor& incident,
                          const at::Tensor& aim_point) {
    const at::Tensor origin = orientation.select(2, 3).narrow(1, 0, 3);
    const at::Tensor to_aim = normalized(aim_point.narrow(1, 0, 3) - origin);
    const at::Tensor normal = normalized(to_aim - incident.narrow(1, 0, 3));
    return at::cat({normal, at::zeros({normal.size(0), 1}, normal.options())}, 1);
}

}  // namespace

Alignment align_to_aim_points(const Parameters& p,
                              const at::Tensor& incident,
                              const at::Tensor& aim_point) {
    const int64_t n = p.position.size(0);
    const at::Tensor reference = at::tensor({0.0F, -1.0F, 0.0F, 0.0F});
    Alignment result;
    result.motor_positions = at::zeros({n, 2}, at::kFloat);
    result.out_of_range = at::zeros({n}, at::kBool);
    at::Tensor orientation, last_loss;
    for (int64_t pass = 0; pass < kMaxPasses; ++pass) {
        result.motor_positions_per_pass.push_back(result.motor_positions);
        orientation = forward(p, result.motor_positions);
        const at::Tensor wanted = wanted_normals(orientation, incident, aim_point);
        const at::Tensor loss = (wanted - orientation.matmul(reference)).abs().mean(1);
        // The whole batch stops together (P14).
        if (last_loss.defined() && (last_loss - loss).abs().le(kTolerance).all().item<bool>())
            break;
        last_loss = loss;
        InverseSolution solution = inverse(p, wanted);
        ++result.inverse_evaluations;
        result.motor_positions = solution.motor_positions;
        result.out_of_range = solution.out_of_range;
    }
    result.orientation = surface_orientation(orientation);
    return result;
}

Alignment align_to_motor_positions(const Parameters& p, const at::Tensor& motor_positions) {
    Alignment result;
    result.motor_positions = motor_positions;
    result.motor_positions_per_pass = {motor_positions};
    result.out_of_range = at::zeros({motor_positions.size(0)}, at::kBool);
    result.orientation = surface_orientation(forward(p, motor_positions));
    return result;
}

}  // namespace helioray::artist

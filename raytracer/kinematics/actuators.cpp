// SPDX-License-Identifier: MIT
// Drives: motor positions to joint angles and back, limits and reach.
#include "raytracer/kinematics/actuators.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/atan2.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <numbers>

namespace helioray {

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

// Lengths of a linear drive, with a harmless triangle in place of ideal drives.
struct Triangle {
    at::Tensor increment;
    at::Tensor offset;
    at::Tensor pivot_radius;
    at::Tensor initial_stroke;
    at::Tensor sense;  // +1 clockwise, -1 otherwise: sign of the joint angle against the shrinking
                       // triangle angle

    explicit Triangle(const ActuatorParameters& actuators) {
        const auto or_one = [&](const at::Tensor& x) {
            return at::where(actuators.is_linear, x, at::ones_like(x));
        };
        increment = or_one(actuators.increment);
        offset = or_one(actuators.offset);
        pivot_radius = or_one(actuators.pivot_radius);
        initial_stroke = or_one(actuators.initial_stroke);
        sense = actuators.clockwise.to(offset.scalar_type()) * 2 - 1;
    }

    at::Tensor angle_cosine(const at::Tensor& stroke) const {
        return (offset * offset + pivot_radius * pivot_radius - stroke * stroke) /
               (2 * offset * pivot_radius);
    }

    at::Tensor initial_triangle_angle() const { return angle_cosine(initial_stroke).acos(); }
};

}  // namespace

JointAngles joint_angles_from_motor_positions(const ActuatorParameters& actuators,
                                              const at::Tensor& motor_positions) {
    const Triangle triangle(actuators);

    // Law of cosines; beyond the ends of the triangle its angle stays at 0 or pi.
    const at::Tensor stroke = motor_positions / triangle.increment + triangle.initial_stroke;
    const at::Tensor cosine = triangle.angle_cosine(stroke);
    const at::Tensor closes = (stroke > 0) & (cosine < 1) & (cosine > -1);
    const at::Tensor too_long = (stroke > 0) & (cosine <= -1);
    const at::Tensor end =
        at::where(too_long, at::full_like(cosine, std::numbers::pi), at::zeros_like(cosine));
    const at::Tensor triangle_angle =
        at::where(closes, at::where(closes, cosine, at::zeros_like(cosine)).acos(), end);

    const at::Tensor turn = triangle.initial_triangle_angle() - triangle_angle;
    const at::Tensor linear = actuators.initial_angle + triangle.sense * turn;
    return {at::where(actuators.is_linear, linear, motor_positions),
            closes | actuators.is_linear.logical_not()};
}

MotorPositions motor_positions_from_joint_angles(const ActuatorParameters& actuators,
                                                 const at::Tensor& joint_angles) {
    const Triangle triangle(actuators);

    // Linear: the triangle's angle, free of whole turns, then the law of cosines for the stroke.
    const at::Tensor turn = triangle.sense * (joint_angles - actuators.initial_angle);
    const at::Tensor wanted = triangle.initial_triangle_angle() - turn;
    const at::Tensor wrapped = wanted - (wanted.detach() / kTurn).round() * kTurn;
    const at::Tensor exists = (wrapped > 0) & (wrapped < std::numbers::pi);
    const at::Tensor cosine = at::where(exists, wrapped, at::zeros_like(wrapped)).cos();
    const at::Tensor stroke_square = triangle.offset * triangle.offset +
                                     triangle.pivot_radius * triangle.pivot_radius -
                                     2 * triangle.offset * triangle.pivot_radius * cosine;
    const at::Tensor shortest = (triangle.offset - triangle.pivot_radius).abs();
    const at::Tensor longest = triangle.offset + triangle.pivot_radius;
    // Angles in (-pi/2, 0] are nearest to the folded triangle, those beyond to the stretched one.
    const at::Tensor end = at::where(wrapped.abs() < std::numbers::pi / 2, shortest, longest);
    const at::Tensor stroke = at::where(
        exists, at::where(exists, stroke_square, at::ones_like(stroke_square)).sqrt(), end);
    const at::Tensor linear = (stroke - triangle.initial_stroke) * triangle.increment;

    // Ideal: the same orientation a whole number of turns further, where that brings it within the
    // limits.
    const at::Tensor turns =
        ((actuators.min_position - joint_angles).detach() / kTurn).ceil() * kTurn;
    const at::Tensor shifted = joint_angles + turns;
    const at::Tensor helps = limits_are_meaningful(actuators) &
                             within_motor_limits(actuators, joint_angles).logical_not() &
                             (shifted <= actuators.max_position);
    const at::Tensor ideal = at::where(helps, shifted, joint_angles);

    return {at::where(actuators.is_linear, linear, ideal),
            exists | actuators.is_linear.logical_not()};
}

at::Tensor limits_are_meaningful(const ActuatorParameters& actuators) {
    const at::Tensor range = actuators.max_position - actuators.min_position;
    return actuators.is_linear | (range <= 2 * kTurn);
}

at::Tensor within_motor_limits(const ActuatorParameters& actuators, const at::Tensor& positions) {
    const at::Tensor slack = (actuators.max_position - actuators.min_position).abs() * 1e-9;
    const at::Tensor inside = (positions >= actuators.min_position - slack) &
                              (positions <= actuators.max_position + slack);
    return inside | limits_are_meaningful(actuators).logical_not();
}

}  // namespace helioray

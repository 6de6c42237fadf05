// SPDX-License-Identifier: MIT
// Typed calls of the operators.
#include "raytracer/operators/align.h"

#include "raytracer/operators/pose_kernels.h"

#include <ATen/core/dispatch/Dispatcher.h>

namespace helioray::operators {

at::Tensor align(const at::Tensor& parameters,
                 const at::Tensor& sun_direction,
                 const at::Tensor& aim_points,
                 KinematicsType kinematics) {
    static const auto call = c10::Dispatcher::singleton()
                                 .findSchemaOrThrow("helioray::align", "")
                                 .typed<PoseSignature>();
    return call.call(parameters, sun_direction, aim_points, name_of(kinematics));
}

at::Tensor orient(const at::Tensor& parameters,
                  const at::Tensor& motor_positions,
                  const at::Tensor& drives,
                  KinematicsType kinematics) {
    static const auto call = c10::Dispatcher::singleton()
                                 .findSchemaOrThrow("helioray::orient", "")
                                 .typed<PoseSignature>();
    return call.call(parameters, motor_positions, drives, name_of(kinematics));
}

}  // namespace helioray::operators

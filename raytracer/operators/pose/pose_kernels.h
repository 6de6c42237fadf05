// SPDX-License-Identifier: MIT
// Computation of align, orient and motor_positions: tensors with data on any device, computed on
// the CPU.
#pragma once

#include "raytracer/operators/operator_node.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <string_view>

namespace helioray::operators {

/// Parses "rigid_body" or "azimuth_elevation"; throws c10::Error for other names.
KinematicsType parse_kinematics(std::string_view name);

/// Rows of the functions' inputs; see pose_kernels.cpp.
struct AlignRow;
struct OrientRow;
struct MotorRow;

/// A function of `Inputs` tensors with its derivatives; `inputs` are those of align(), orient() or
/// motor_positions().
template <typename Row, size_t Inputs>
struct PoseKernel {
    static constexpr size_t kInputs = Inputs;  ///< number of tensors

    /// Returns orientations [N, 4, 4] or motor positions [N, 2] on the device of the first input.
    /// Throws like the function.
    static at::Tensor forward(const Tensors& inputs, KinematicsType kinematics);
    /// Returns the derivatives of a loss with respect to the inputs from those with respect to the
    /// result.
    static Tensors backward(const at::Tensor& gradient,
                            const Tensors& inputs,
                            KinematicsType kinematics);
    /// Returns the derivatives of a loss with respect to `gradient` and the inputs from its
    /// derivatives `directions` with respect to the results of backward().
    static Tensors backward_of_backward(const Tensors& directions,
                                        const at::Tensor& gradient,
                                        const Tensors& inputs,
                                        KinematicsType kinematics);
};
using AlignKernel = PoseKernel<AlignRow, 3>;
using OrientKernel = PoseKernel<OrientRow, 3>;
using MotorKernel = PoseKernel<MotorRow, 4>;
template <>
at::Tensor AlignKernel::forward(const Tensors& inputs, KinematicsType kinematics);
template <>
at::Tensor OrientKernel::forward(const Tensors& inputs, KinematicsType kinematics);
template <>
at::Tensor MotorKernel::forward(const Tensors& inputs, KinematicsType kinematics);

}  // namespace helioray::operators

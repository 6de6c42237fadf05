// SPDX-License-Identifier: MIT
// Computation behind align, orient and motor_positions: tensors with data on any device, computed
// on the CPU.
#pragma once

#include "raytracer/operators/operator_node.h"
#include "scenario/types.h"

#include <cstddef>
#include <string_view>

namespace helioray::operators {

/// From "rigid_body" or "azimuth_elevation"; throws c10::Error for other names.
KinematicsType kinematics_of(std::string_view name);

/// The rows of the functions' inputs; see pose_kernels.cpp.
struct AlignRow;
struct OrientRow;
struct MotorRow;

/// A function of `Inputs` tensors with its derivatives; `inputs` are those of align(), orient() or
/// motor_positions().
template <typename Row, size_t Inputs>
struct PoseKernel {
    static constexpr size_t kInputs = Inputs;  ///< how many tensors

    /// Orientations [N, 4, 4] or motor positions [N, 2] on the device of the first input. Throws as
    /// the function.
    static at::Tensor forward(const Tensors& inputs, KinematicsType kinematics);
    /// Derivatives of a loss by the inputs from its derivatives by the result.
    static Tensors backward(const at::Tensor& gradient,
                            const Tensors& inputs,
                            KinematicsType kinematics);
    /// Derivatives of a loss by `gradient` and the inputs from its derivatives `directions` by the
    /// results of backward().
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

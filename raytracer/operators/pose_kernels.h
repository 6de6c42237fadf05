// SPDX-License-Identifier: MIT
// Computation behind align and orient: tensors with data on any device, computed on the CPU.
#pragma once

#include "raytracer/operators/operator_node.h"
#include "scenario/types.h"

#include <string_view>

namespace helioray::operators {

/// The dispatcher's signature of both.
using PoseSignature = at::Tensor(const at::Tensor&,
                                 const at::Tensor&,
                                 const at::Tensor&,
                                 std::string_view);

/// From "rigid_body" or "azimuth_elevation"; throws c10::Error for other names.
KinematicsType kinematics_of(std::string_view name);

/// The rows of the two functions' inputs; see pose_kernels.cpp.
struct AlignRow;
struct OrientRow;

/// A function of three tensors with its derivatives; `inputs` are those of align() or orient().
template <typename Row>
struct PoseKernel {
    /// Orientation [N, 4, 4] on the device of the first input. Throws as align() or orient().
    static at::Tensor forward(const Tensors& inputs, KinematicsType kinematics);
    /// Derivatives of a loss by the inputs from its derivatives by the orientation.
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
using AlignKernel = PoseKernel<AlignRow>;
using OrientKernel = PoseKernel<OrientRow>;
template <>
at::Tensor AlignKernel::forward(const Tensors& inputs, KinematicsType kinematics);
template <>
at::Tensor OrientKernel::forward(const Tensors& inputs, KinematicsType kinematics);

}  // namespace helioray::operators

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

/// Functions of three tensors with their derivatives; `inputs` are those of align().
struct AlignKernel {
    /// Orientation [N, 4, 4] on the device of the first input. Throws as align().
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

/// The same; `inputs` are those of orient().
struct OrientKernel {
    /// As AlignKernel has it.
    static at::Tensor forward(const Tensors& inputs, KinematicsType kinematics);
    /// As AlignKernel has it.
    static Tensors backward(const at::Tensor& gradient,
                            const Tensors& inputs,
                            KinematicsType kinematics);
    /// As AlignKernel has it.
    static Tensors backward_of_backward(const Tensors& directions,
                                        const at::Tensor& gradient,
                                        const Tensors& inputs,
                                        KinematicsType kinematics);
};

}  // namespace helioray::operators

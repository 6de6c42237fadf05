// SPDX-License-Identifier: MIT
// align and orient as operators: functions of three tensors and the name of a kinematics.
#include "raytracer/operators/align.h"
#include "raytracer/operators/operator_node.h"
#include "raytracer/operators/pose_kernels.h"
#include "scenario/type_names.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <string>
#include <string_view>
#include <tuple>

namespace helioray::operators {

namespace {

using PoseGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using PoseBackward = PoseGradients(
    const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&, std::string_view);

constexpr const char* kNotTwice =
    "inside torch.func, torch.compile and vmap it has first derivatives only, outside first and "
    "second derivatives";

template <typename Signature>
c10::TypedOperatorHandle<Signature> find(const char* name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

struct Align : AlignKernel {
    static constexpr const char* kName = "helioray::align";
    static constexpr const char* kBackward = "helioray::align_backward";
};

struct Orient : OrientKernel {
    static constexpr const char* kName = "helioray::orient";
    static constexpr const char* kBackward = "helioray::orient_backward";
};

/// The dispatcher's kernels of one of them.
template <typename Operator>
struct Kernels {
    static at::Tensor pose(const at::Tensor& a,
                           const at::Tensor& b,
                           const at::Tensor& c,
                           std::string_view kinematics) {
        return Operator::forward({a, b, c}, kinematics_of(kinematics));
    }

    static PoseGradients backward(const at::Tensor& gradient,
                                  const at::Tensor& a,
                                  const at::Tensor& b,
                                  const at::Tensor& c,
                                  std::string_view kinematics) {
        const Tensors result = Operator::backward(gradient, {a, b, c}, kinematics_of(kinematics));
        return {result[0], result[1], result[2]};
    }

    static at::Tensor pose_shape(const at::Tensor& a,
                                 const at::Tensor&,
                                 const at::Tensor&,
                                 std::string_view kinematics) {
        kinematics_of(kinematics);
        TORCH_CHECK(a.dim() == 2, "parameters must be [N, 16], found shape ", a.sym_sizes());
        return at::empty_symint({a.sym_size(0), 4, 4}, a.options());
    }

    static PoseGradients backward_shapes(const at::Tensor&,
                                         const at::Tensor& a,
                                         const at::Tensor& b,
                                         const at::Tensor& c,
                                         std::string_view) {
        const auto like = [](const at::Tensor& tensor) {
            return at::empty_symint(tensor.sym_sizes(), tensor.options());
        };
        return {like(a), like(b), like(c)};
    }

    static at::Tensor pose_autograd(const at::Tensor& a,
                                    const at::Tensor& b,
                                    const at::Tensor& c,
                                    std::string_view kinematics) {
        static const auto forward = find<PoseSignature>(Operator::kName);
        return with_backward(
            Operator::kName,
            {a, b, c},
            [&] { return Tensors{forward.call(a, b, c, kinematics)}; },
            [name = std::string(kinematics)](const Tensors& gradients,
                                             const Tensors& x) -> Tensors {
                static const auto backward = find<PoseBackward>(Operator::kBackward);
                auto [of_a, of_b, of_c] = backward.call(gradients[0], x[0], x[1], x[2], name);
                return {of_a, of_b, of_c};
            })[0];
    }

    static PoseGradients backward_autograd(const at::Tensor& gradient,
                                           const at::Tensor& a,
                                           const at::Tensor& b,
                                           const at::Tensor& c,
                                           std::string_view kinematics) {
        static const auto backward = find<PoseBackward>(Operator::kBackward);
        const Tensors inputs{gradient, a, b, c};
        const auto forward = [&] {
            auto [of_a, of_b, of_c] = backward.call(gradient, a, b, c, kinematics);
            return Tensors{of_a, of_b, of_c};
        };
        const Tensors result =
            are_plain(inputs)
                ? with_backward(Operator::kBackward,
                                inputs,
                                forward,
                                [name = std::string(kinematics)](const Tensors& directions,
                                                                 const Tensors& x) {
                                    return second_backward(directions, x, name);
                                })
                : without_second_derivative(Operator::kBackward, kNotTwice, inputs, forward);
        return {result[0], result[1], result[2]};
    }

    /// inputs: gradient, a, b, c.
    static Tensors second_backward(Tensors directions,
                                   const Tensors& inputs,
                                   const std::string& kinematics) {
        for (size_t i = 0; i < directions.size(); ++i)
            if (!directions[i].defined()) directions[i] = at::zeros_like(inputs[i + 1]);
        Tensors all = directions;
        all.insert(all.end(), inputs.begin(), inputs.end());
        TORCH_CHECK_NOT_IMPLEMENTED(
            are_plain(all), Operator::kBackward, " is not differentiable: ", kNotTwice);
        return without_second_derivative(Operator::kBackward, kNotTwice, all, [&] {
            return Operator::backward_of_backward(directions,
                                                  inputs[0],
                                                  {inputs[1], inputs[2], inputs[3]},
                                                  kinematics_of(kinematics));
        });
    }
};

}  // namespace

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    m.impl("align", Kernels<Align>::pose);
    m.impl("align_backward", Kernels<Align>::backward);
    m.impl("orient", Kernels<Orient>::pose);
    m.impl("orient_backward", Kernels<Orient>::backward);
}

TORCH_LIBRARY_IMPL(helioray, CUDA, m) {
    m.impl("align", Kernels<Align>::pose);
    m.impl("align_backward", Kernels<Align>::backward);
    m.impl("orient", Kernels<Orient>::pose);
    m.impl("orient_backward", Kernels<Orient>::backward);
}

TORCH_LIBRARY_IMPL(helioray, Meta, m) {
    m.impl("align", Kernels<Align>::pose_shape);
    m.impl("align_backward", Kernels<Align>::backward_shapes);
    m.impl("orient", Kernels<Orient>::pose_shape);
    m.impl("orient_backward", Kernels<Orient>::backward_shapes);
}

TORCH_LIBRARY_IMPL(helioray, Autograd, m) {
    m.impl("align", Kernels<Align>::pose_autograd);
    m.impl("align_backward", Kernels<Align>::backward_autograd);
    m.impl("orient", Kernels<Orient>::pose_autograd);
    m.impl("orient_backward", Kernels<Orient>::backward_autograd);
}

at::Tensor align(const at::Tensor& parameters,
                 const at::Tensor& sun_direction,
                 const at::Tensor& aim_points,
                 KinematicsType kinematics) {
    static const auto call = find<PoseSignature>("helioray::align");
    return call.call(parameters, sun_direction, aim_points, to_string(kinematics));
}

at::Tensor orient(const at::Tensor& parameters,
                  const at::Tensor& motor_positions,
                  const at::Tensor& drives,
                  KinematicsType kinematics) {
    static const auto call = find<PoseSignature>("helioray::orient");
    return call.call(parameters, motor_positions, drives, to_string(kinematics));
}

}  // namespace helioray::operators

// SPDX-License-Identifier: MIT
// Registers align, orient and motor_positions as operators: functions of tensors and the name of a
// kinematics.
#include "raytracer/operators/operator_node.h"
#include "raytracer/operators/pose/align.h"
#include "raytracer/operators/pose/pose_kernels.h"
#include "scenario/types/type_names.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <torch/library.h>

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace helioray::operators {

namespace {

/// Alias that yields a tensor type for each index.
template <size_t>
using Result = at::Tensor;
template <size_t>
using Input = const at::Tensor&;

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
    static constexpr std::array<int64_t, 2> kShape{4, 4};
};

struct Orient : OrientKernel {
    static constexpr const char* kName = "helioray::orient";
    static constexpr const char* kBackward = "helioray::orient_backward";
    static constexpr std::array<int64_t, 2> kShape{4, 4};
};

struct Motors : MotorKernel {
    static constexpr const char* kName = "helioray::motor_positions";
    static constexpr const char* kBackward = "helioray::motor_positions_backward";
    static constexpr std::array<int64_t, 1> kShape{2};
};

/// Dispatcher kernels of one operator.
template <typename Operator, typename Indices = std::make_index_sequence<Operator::kInputs>>
struct Kernels;

template <typename Operator, size_t... I>
struct Kernels<Operator, std::index_sequence<I...>> {
    using Gradients = std::tuple<Result<I>...>;
    using Forward = at::Tensor(Input<I>..., std::string_view);
    using Backward = Gradients(const at::Tensor&, Input<I>..., std::string_view);

    static Gradients as_tuple(const Tensors& list) { return {list[I]...}; }

    static at::Tensor pose(Input<I>... inputs, std::string_view kinematics) {
        return Operator::forward({inputs...}, parse_kinematics(kinematics));
    }

    static Gradients backward(const at::Tensor& gradient,
                              Input<I>... inputs,
                              std::string_view kinematics) {
        return as_tuple(Operator::backward(gradient, {inputs...}, parse_kinematics(kinematics)));
    }

    static at::Tensor pose_shape(Input<I>... inputs, std::string_view kinematics) {
        parse_kinematics(kinematics);
        const Tensors all{inputs...};
        TORCH_CHECK(
            all[0].dim() == 2, "parameters must be [N, 16], found shape ", all[0].sym_sizes());
        std::vector<c10::SymInt> sizes{all[0].sym_size(0)};
        sizes.insert(sizes.end(), Operator::kShape.begin(), Operator::kShape.end());
        return at::empty_symint(sizes, all[0].options());
    }

    static Gradients backward_shapes(const at::Tensor&, Input<I>... inputs, std::string_view) {
        const auto like = [](const at::Tensor& tensor) {
            return at::empty_symint(tensor.sym_sizes(), tensor.options());
        };
        return {like(inputs)...};
    }

    static at::Tensor pose_autograd(Input<I>... inputs, std::string_view kinematics) {
        static const auto forward = find<Forward>(Operator::kName);
        return with_backward(
            Operator::kName,
            {inputs...},
            [&] { return Tensors{forward.call(inputs..., kinematics)}; },
            [name = std::string(kinematics)](const Tensors& gradients,
                                             const Tensors& x) -> Tensors {
                static const auto backward = find<Backward>(Operator::kBackward);
                const Gradients found = backward.call(gradients[0], x[I]..., name);
                return {std::get<I>(found)...};
            })[0];
    }

    static Gradients backward_autograd(const at::Tensor& gradient,
                                       Input<I>... inputs,
                                       std::string_view kinematics) {
        static const auto backward = find<Backward>(Operator::kBackward);
        const Tensors all{gradient, inputs...};
        const auto forward = [&] {
            const Gradients found = backward.call(gradient, inputs..., kinematics);
            return Tensors{std::get<I>(found)...};
        };
        return as_tuple(
            are_plain(all)
                ? with_backward(Operator::kBackward,
                                all,
                                forward,
                                [name = std::string(kinematics)](const Tensors& directions,
                                                                 const Tensors& x) {
                                    return second_backward(directions, x, name);
                                })
                : without_second_derivative(Operator::kBackward, kNotTwice, all, forward));
    }

    /// Computes the backward pass of a backward pass. inputs: the gradient, then the inputs of the
    /// operator.
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
            return Operator::backward_of_backward(
                directions, inputs[0], {inputs[I + 1]...}, parse_kinematics(kinematics));
        });
    }
};

/// Registers the kernels for one dispatch key.
template <typename Operator>
void implement(torch::Library& library) {
    library.impl(Operator::kName, Kernels<Operator>::pose);
    library.impl(Operator::kBackward, Kernels<Operator>::backward);
}

template <typename Operator>
void implement_shapes(torch::Library& library) {
    library.impl(Operator::kName, Kernels<Operator>::pose_shape);
    library.impl(Operator::kBackward, Kernels<Operator>::backward_shapes);
}

template <typename Operator>
void implement_autograd(torch::Library& library) {
    library.impl(Operator::kName, Kernels<Operator>::pose_autograd);
    library.impl(Operator::kBackward, Kernels<Operator>::backward_autograd);
}

}  // namespace

TORCH_LIBRARY_IMPL(helioray, CPU, m) {
    implement<Align>(m);
    implement<Orient>(m);
    implement<Motors>(m);
}

TORCH_LIBRARY_IMPL(helioray, CUDA, m) {
    implement<Align>(m);
    implement<Orient>(m);
    implement<Motors>(m);
}

TORCH_LIBRARY_IMPL(helioray, Meta, m) {
    implement_shapes<Align>(m);
    implement_shapes<Orient>(m);
    implement_shapes<Motors>(m);
}

TORCH_LIBRARY_IMPL(helioray, Autograd, m) {
    implement_autograd<Align>(m);
    implement_autograd<Orient>(m);
    implement_autograd<Motors>(m);
}

at::Tensor align(const at::Tensor& parameters,
                 const at::Tensor& sun_direction,
                 const at::Tensor& aim_points,
                 KinematicsType kinematics) {
    static const auto call = find<Kernels<Align>::Forward>(Align::kName);
    return call.call(parameters, sun_direction, aim_points, to_string(kinematics));
}

at::Tensor orient(const at::Tensor& parameters,
                  const at::Tensor& motor_positions,
                  const at::Tensor& drives,
                  KinematicsType kinematics) {
    static const auto call = find<Kernels<Orient>::Forward>(Orient::kName);
    return call.call(parameters, motor_positions, drives, to_string(kinematics));
}

at::Tensor motor_positions(const at::Tensor& parameters,
                           const at::Tensor& sun_direction,
                           const at::Tensor& aim_points,
                           const at::Tensor& drives,
                           KinematicsType kinematics) {
    static const auto call = find<Kernels<Motors>::Forward>(Motors::kName);
    return call.call(parameters, sun_direction, aim_points, drives, to_string(kinematics));
}

}  // namespace helioray::operators

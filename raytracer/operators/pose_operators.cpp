// SPDX-License-Identifier: MIT
// align and orient as operators: functions of three tensors and the name of a kinematics.
#include "raytracer/operators/align.h"
#include "raytracer/operators/operator_node.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <string>
#include <string_view>
#include <tuple>

namespace helioray::operators {

namespace {

using Pose = at::Tensor(const at::Tensor&, const at::Tensor&, const at::Tensor&, std::string_view);
using PoseGradients = std::tuple<at::Tensor, at::Tensor, at::Tensor>;
using PoseBackward = PoseGradients(
    const at::Tensor&, const at::Tensor&, const at::Tensor&, const at::Tensor&, std::string_view);

KinematicsType kinematics_of(std::string_view name) {
    TORCH_CHECK(name == "rigid_body" || name == "azimuth_elevation",
                "kinematics must be \"rigid_body\" or \"azimuth_elevation\", found \"",
                name,
                "\"");
    return name == "rigid_body" ? KinematicsType::rigid_body : KinematicsType::azimuth_elevation;
}

template <typename Signature>
c10::TypedOperatorHandle<Signature> find(const char* name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

struct Align {
    static constexpr const char* kName = "helioray::align";
    static constexpr const char* kBackward = "helioray::align_backward";
    static constexpr auto compute = align;
};

struct Orient {
    static constexpr const char* kName = "helioray::orient";
    static constexpr const char* kBackward = "helioray::orient_backward";
    static constexpr auto compute = orient;
};

/// The dispatcher's kernels of one of them.
template <typename Operator>
struct Kernels {
    static at::Tensor pose(const at::Tensor& a,
                           const at::Tensor& b,
                           const at::Tensor& c,
                           std::string_view kinematics) {
        return Operator::compute(a, b, c, kinematics_of(kinematics));
    }

    static PoseGradients backward(const at::Tensor& gradient,
                                  const at::Tensor& a,
                                  const at::Tensor& b,
                                  const at::Tensor& c,
                                  std::string_view kinematics) {
        const Tensors result = gradients_by_recomputing(
            [&](const Tensors& x) { return Tensors{pose(x[0], x[1], x[2], kinematics)}; },
            {a, b, c},
            {gradient});
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
        // Torch records what happens inside; derivatives of any order, and nothing is repeated.
        if (are_plain({a, b, c})) return pose(a, b, c, kinematics);
        static const auto forward = find<Pose>(Operator::kName);
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
        const Tensors result = without_second_derivative(
            Operator::kBackward, kFirstDerivativesOnly, {gradient, a, b, c}, [&] {
                static const auto backward = find<PoseBackward>(Operator::kBackward);
                auto [of_a, of_b, of_c] = backward.call(gradient, a, b, c, kinematics);
                return Tensors{of_a, of_b, of_c};
            });
        return {result[0], result[1], result[2]};
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

}  // namespace helioray::operators

// SPDX-License-Identifier: MIT
// Checks of tensors on this rank, and their descriptions.
#include "distributed/tensors/tensor_checks.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

namespace helioray::detail {
namespace {

bool is_type_allowed(at::ScalarType type, TensorUse use) {
    const bool floating =
        type == at::kDouble || type == at::kFloat || type == at::kHalf || type == at::kBFloat16;
    if (use == TensorUse::mean) return floating;
    return use == TensorUse::move || floating || type == at::kLong || type == at::kInt;
}

std::string describe_allowed_types(TensorUse use) {
    return use == TensorUse::mean
               ? "means need float64, float32, float16 or bfloat16"
               : "reductions need int64, int32, float64, float32, float16 or bfloat16";
}

}  // namespace

at::ScalarType sum_type(at::ScalarType type) {
    return type == at::kHalf || type == at::kBFloat16 ? at::kFloat : type;
}

void check_tensor(const at::Tensor& tensor,
                  const std::string& operation,
                  TensorUse use,
                  std::optional<int> cuda_index) {
    const auto refuse = [&](const std::string& reason) {
        throw std::invalid_argument(operation + ": the tensor " + reason);
    };
    if (!tensor.defined()) refuse("is undefined; pass a tensor with values");
    if (tensor.layout() != at::kStrided) refuse("is not dense; convert it with to_dense()");
    if (!is_type_allowed(tensor.scalar_type(), use))
        refuse(std::string("has the type ") + c10::toString(tensor.scalar_type()) + "; " +
               describe_allowed_types(use));
    const bool on_device = cuda_index && tensor.is_cuda() && tensor.get_device() == *cuda_index;
    if (!tensor.is_cpu() && !on_device)
        refuse("is on " + tensor.device().str() + ", not on this rank's device or the CPU");
    if (tensor.requires_grad() && at::GradMode::is_enabled())
        refuse("requires a gradient, which this operation would lose; detach it first");
}

void check_in_place(const at::Tensor& tensor,
                    const std::string& operation,
                    TensorUse use,
                    std::optional<int> cuda_index) {
    check_tensor(tensor, operation, use, cuda_index);
    if (!tensor.is_contiguous())
        throw std::invalid_argument(operation +
                                    ": the tensor is not contiguous; pass tensor.contiguous()");
    if (tensor.is_conj() || tensor.is_neg())
        throw std::invalid_argument(
            operation + ": the tensor is a conjugate or negated view; resolve it first");
}

std::string describe_shape(at::IntArrayRef sizes) {
    std::string text;
    for (const auto size : sizes) text += (text.empty() ? "" : ", ") + std::to_string(size);
    return text;
}

std::string describe_tensor(const at::Tensor& tensor) {
    return std::string(c10::toString(tensor.scalar_type())) + " [" +
           describe_shape(tensor.sizes()) + "]" + (tensor.is_cuda() ? " on CUDA" : " on the host");
}

std::string describe_type(const at::Tensor& tensor) {
    return std::string(c10::toString(tensor.scalar_type())) +
           (tensor.is_cuda() ? " on CUDA" : " on the host");
}

std::string format_shape(at::IntArrayRef sizes) {
    return fmt::format("{}", fmt::join(sizes, " "));
}

std::vector<std::int64_t> parse_shape(const std::string& text) {
    std::vector<std::int64_t> sizes;
    std::istringstream stream(text);
    for (std::int64_t size = 0; stream >> size;) sizes.push_back(size);
    return sizes;
}

at::Tensor detach_contiguous(const at::Tensor& tensor) {
    return tensor.detach().resolve_conj().resolve_neg().contiguous();
}

at::Tensor view_as_bytes(const at::Tensor& tensor) {
    // A contiguous tensor of one element may have any stride, so view() alone could fail.
    return tensor.detach().as_strided({tensor.numel()}, {1}).view(at::kByte);
}

}  // namespace helioray::detail

// SPDX-License-Identifier: MIT
// Checks, descriptions and views of tensors that are sent to other ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

/// Kind of operation, which determines the types that it accepts.
enum class TensorUse {
    move,    ///< copies values unchanged: any type
    reduce,  ///< adds or compares: int64, int32, float64, float32, float16 or bfloat16
    mean     ///< computes means: the floating-point types
};

/// Returns the type in which values are added: float32 for float16 and bfloat16, so that a sum is
/// rounded once instead of on every rank; else the type itself.
at::ScalarType sum_type(at::ScalarType type);

/// Throws std::invalid_argument, with `operation` at the start of the message, unless the tensor is
/// defined, dense, of an accepted type, on the CPU or this rank's CUDA device, and does not require
/// a gradient while gradients are recorded.
void check_tensor(const at::Tensor& tensor,
                  const std::string& operation,
                  TensorUse use,
                  std::optional<int> cuda_index);

/// Checks a tensor that is changed in place: as check_tensor(), and it must be contiguous.
void check_in_place(const at::Tensor& tensor,
                    const std::string& operation,
                    TensorUse use,
                    std::optional<int> cuda_index);

/// Returns type, shape and place: "Long [64, 64] on the host".
std::string describe_tensor(const at::Tensor& tensor);

/// Returns type and place: "Long on the host".
std::string describe_type(const at::Tensor& tensor);

/// Serialises a shape for other ranks: sizes separated by blanks.
std::string format_shape(at::IntArrayRef sizes);
/// Parses the output of format_shape().
std::vector<std::int64_t> parse_shape(const std::string& text);

/// Returns a shape for messages: "64, 64".
std::string describe_shape(at::IntArrayRef sizes);

/// Returns the values of a tensor without its graph, contiguous, with conjugation and negation
/// resolved. Shares the memory of the tensor if possible.
at::Tensor detach_contiguous(const at::Tensor& tensor);

/// Returns the memory of a contiguous tensor as a one-dimensional tensor of bytes that shares it.
at::Tensor view_as_bytes(const at::Tensor& tensor);

}  // namespace helioray::detail

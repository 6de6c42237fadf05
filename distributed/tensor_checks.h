// SPDX-License-Identifier: MIT
// Checks of tensors before they go to other ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace helioray::detail {

/// The purpose of an operation, which decides the tensors that it accepts.
enum class TensorUse {
    move,    ///< copied unchanged: any type
    reduce,  ///< int64, int32, float64, float32, float16 or bfloat16
    mean     ///< one of the floating-point types
};

/// The type that sums of a type are formed in: float32 for float16 and bfloat16, so that a sum is
/// rounded once instead of on every rank; else the type itself.
at::ScalarType sum_type(at::ScalarType type);

/// Throws std::invalid_argument, beginning with `operation`, unless the tensor is defined, dense,
/// of a type for its use, on the CPU or on this rank's CUDA device, and free of gradients that
/// would get lost.
void check_tensor(const at::Tensor& tensor,
                  const std::string& operation,
                  TensorUse use,
                  std::optional<int> cuda_index);

/// The same, and the tensor must be contiguous, since it is changed in place.
void check_in_place(const at::Tensor& tensor,
                    const std::string& operation,
                    TensorUse use,
                    std::optional<int> cuda_index);

/// Throws std::invalid_argument unless there is one list of indices for each of `ranks` ranks, and
/// all of them exist along `dim`.
void check_indices(int ranks,
                   const at::Tensor& tensor,
                   const std::vector<at::Tensor>& indices,
                   std::int64_t dim);

/// "Long [64, 64] on the host".
std::string describe_tensor(const at::Tensor& tensor);

/// "Long on the host".
std::string describe_type(const at::Tensor& tensor);

/// Sizes with blanks between them, for other ranks, and back.
std::string format_shape(at::IntArrayRef sizes);
std::vector<std::int64_t> parse_shape(const std::string& text);

/// "64, 64".
std::string describe_shape(at::IntArrayRef sizes);

/// The values of a tensor without gradients, contiguous and as the memory holds them; shares it
/// where that can be.
at::Tensor detach_contiguous(const at::Tensor& tensor);

/// The memory of a plain tensor as one-dimensional bytes; shares it.
at::Tensor view_as_bytes(const at::Tensor& tensor);

}  // namespace helioray::detail

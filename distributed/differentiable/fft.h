// SPDX-License-Identifier: MIT
// Two-dimensional Fourier transforms of arrays that are divided over the ranks.
#pragma once

#include "distributed/ranks/process_group.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace helioray {

/// Normalisation as in LibTorch: the factor 1/(H W) belongs to the inverse transform (backward) or
/// to the transform (forward), or its square root to both (ortho).
enum class FftNorm { backward, ortho, forward };

// Both functions are collective and return the results of LibTorch's rfft2 and irfft2 of the whole
// array. Their backward passes are the exact adjoints for the sum of the losses of all ranks. H and
// W are >= 1; ranks may have no rows or columns. Each function makes one exchange between the
// ranks. The rules of differentiable/collectives.h apply.

/// Returns the spectrum, complex [..., h, W/2 + 1], of a real image (float64 or float32). `image`
/// holds this rank's columns [..., H, w]; the ranks divide the W columns in any way. The H rows of
/// the spectrum are divided as by partition_range(). Columns of negative frequencies are omitted.
at::Tensor distributed_rfft2(const ProcessGroup& group,
                             const at::Tensor& image,
                             FftNorm norm = FftNorm::backward);

/// Returns the real image [..., H, w] of a spectrum. `spectrum` holds this rank's rows, complex
/// [..., h, width/2 + 1]; the ranks divide the H rows in any way. The `width` columns of the image
/// are divided as by partition_range(). As in LibTorch, imaginary parts that contradict a real
/// image are ignored.
at::Tensor distributed_irfft2(const ProcessGroup& group,
                              const at::Tensor& spectrum,
                              std::int64_t width,
                              FftNorm norm = FftNorm::backward);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Two-dimensional Fourier transforms of arrays that are divided over ranks.
#pragma once

#include "distributed/process_group.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace helioray {

/// Where the factor 1/(H W) goes: into the inverse (backward), into the transform (forward), or its
/// square root into both (ortho).
enum class FftNorm { backward, ortho, forward };

// Both are collective, differentiable with exact adjoints for the sum of all ranks' losses, take
// any H, W >= 1 and any number of ranks (some may be left with nothing), and equal LibTorch's
// rfft2 and irfft2 of the whole array. The rules of differentiable/collectives.h hold. One exchange
// each.

/// image: real (float64 or float32) [..., H, w], the ranks' columns w of W side by side, in any
/// division. Returns the spectrum, complex [..., h, W/2 + 1]: rows are divided over the ranks as
/// partition_range divides H, columns of negative frequency are left out.
at::Tensor distributed_rfft2(const ProcessGroup& group,
                             const at::Tensor& image,
                             FftNorm norm = FftNorm::backward);

/// spectrum: complex [..., h, width/2 + 1], the ranks' rows h of H below each other, in any
/// division. Returns the image, real [..., H, w]: columns are divided over the ranks as
/// partition_range divides `width`. As in LibTorch, imaginary parts that a real image cannot have
/// are ignored.
at::Tensor distributed_irfft2(const ProcessGroup& group,
                              const at::Tensor& spectrum,
                              std::int64_t width,
                              FftNorm norm = FftNorm::backward);

}  // namespace helioray

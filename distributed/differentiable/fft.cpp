// SPDX-License-Identifier: MIT
// Transform along one dimension, exchange, transform along the other dimension.
#include "distributed/differentiable/fft.h"

#include "distributed/differentiable/collectives.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/fft_fft.h>
#include <ATen/ops/fft_ifft.h>
#include <ATen/ops/full.h>
#include <ATen/ops/real.h>

#include <stdexcept>
#include <string>

namespace helioray {
namespace {

constexpr std::int64_t kRows = -2, kColumns = -1;

const char* norm_name(FftNorm norm) {
    switch (norm) {
        case FftNorm::ortho:
            return "ortho";
        case FftNorm::forward:
            return "forward";
        case FftNorm::backward:
            break;
    }
    return "backward";
}

at::Tensor transform_along(bool inverse, const at::Tensor& tensor, std::int64_t dim, FftNorm norm) {
    // Ranks without rows or columns have nothing to transform.
    if (tensor.numel() == 0)
        return tensor.is_complex()
                   ? tensor
                   : tensor.to(tensor.scalar_type() == at::kDouble ? at::kComplexDouble
                                                                   : at::kComplexFloat);
    return inverse ? at::fft_ifft(tensor, {}, dim, norm_name(norm))
                   : at::fft_fft(tensor, {}, dim, norm_name(norm));
}

}  // namespace

at::Tensor distributed_rfft2(const ProcessGroup& group, const at::Tensor& image, FftNorm norm) {
    if (!image.defined() || !image.is_floating_point() || image.dim() < 2)
        throw std::invalid_argument(
            "distributed_rfft2: the image must be real, with two dimensions or more");
    const at::Tensor rows_done = transform_along(false, image, kRows, norm);
    const at::Tensor turned = differentiable::transpose_shards(group, rows_done, kRows, kColumns);
    const std::int64_t width = turned.size(kColumns);
    if (width < 1) throw std::invalid_argument("distributed_rfft2: the image has no columns");
    return transform_along(false, turned, kColumns, norm).narrow(kColumns, 0, width / 2 + 1);
}

at::Tensor distributed_irfft2(const ProcessGroup& group,
                              const at::Tensor& spectrum,
                              std::int64_t width,
                              FftNorm norm) {
    if (!spectrum.defined() || !spectrum.is_complex() || spectrum.dim() < 2)
        throw std::invalid_argument(
            "distributed_irfft2: the spectrum must be complex, with two dimensions or more");
    const std::int64_t half = width / 2 + 1;
    if (width < 1 || spectrum.size(kColumns) != half)
        throw std::invalid_argument("distributed_irfft2: an image " + std::to_string(width) +
                                    " columns wide has " + std::to_string(half) +
                                    " frequencies, not " + std::to_string(spectrum.size(kColumns)));
    // A column of negative frequency is the mirrored conjugate of the column of the positive
    // frequency. Both contribute the same real part to the image, so weight the positive one by 2.
    at::Tensor weights = at::full({half},
                                  2.0,
                                  at::TensorOptions()
                                      .dtype(c10::toRealValueType(spectrum.scalar_type()))
                                      .device(spectrum.device()));
    weights[0] = 1.0;
    if (width % 2 == 0) weights[half - 1] = 1.0;
    const at::Tensor whole = at::constant_pad_nd(spectrum.mul(weights), {0, width - half}, 0.0);
    const at::Tensor columns_done = transform_along(true, whole, kColumns, norm);
    const at::Tensor turned =
        differentiable::transpose_shards(group, columns_done, kColumns, kRows);
    return at::real(transform_along(true, turned, kRows, norm));
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// ARTIST's random ray distortions: the stream of Torch's CPU generator, drawn row by row.
#include "raytracer/artist/row_rays.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace helioray::artist {
namespace {

constexpr int64_t kBlock = 16;       // number of values that Torch fills at a time
constexpr int64_t kPiece = 1 << 18;  // number of values per refill, a multiple of kBlock

}  // namespace

DistortionStream::DistortionStream(uint64_t seed, int64_t total, double mean, double sigma)
    : generator_(at::detail::createCPUGenerator(seed)),
      undrawn_(total),
      mean_(mean),
      sigma_(sigma),
      buffer_(at::empty({0}, at::kFloat)) {}

int64_t DistortionStream::available(int64_t count) {
    if (num_taken_ == buffer_.size(0)) {
        if (undrawn_ == 0) throw std::logic_error("distortion stream is exhausted");
        refill();
    }
    return std::min(count, buffer_.size(0) - num_taken_);
}

void DistortionStream::refill() {
    // The last piece takes the remainder, so that it never has fewer values than one block.
    const int64_t size = undrawn_ < kPiece + kBlock ? undrawn_ : kPiece;
    buffer_ = at::empty({size}, at::kFloat).normal_(0, 1, generator_);
    undrawn_ -= size;
    num_taken_ = 0;
}

at::Tensor DistortionStream::take(int64_t count) {
    std::vector<at::Tensor> pieces;
    while (count > 0) {
        const int64_t size = available(count);
        pieces.push_back(buffer_.narrow(0, num_taken_, size));
        num_taken_ += size;
        count -= size;
    }
    return at::cat(pieces).mul_(static_cast<float>(sigma_)).add_(static_cast<float>(mean_));
}

void DistortionStream::skip(int64_t count) {
    while (count > 0) {
        const int64_t size = available(count);
        num_taken_ += size;
        count -= size;
    }
}

DistortionStream DistortionStream::fork() const {
    DistortionStream copy = *this;  // buffers are only read
    copy.generator_ = generator_.clone();
    return copy;
}

}  // namespace helioray::artist

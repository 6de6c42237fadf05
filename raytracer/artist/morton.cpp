// SPDX-License-Identifier: MIT
// Morton codes of points: 30 bits, ten per axis, interleaved.
#include "raytracer/artist/morton.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/amin.h>

namespace helioray::artist {

uint32_t expand_bits(uint32_t value) {
    value &= 0x3FF;
    value = (value | value << 16) & 0x030000FF;
    value = (value | value << 8) & 0x0300F00F;
    value = (value | value << 4) & 0x030C30C3;
    value = (value | value << 2) & 0x09249249;
    return value;
}

std::vector<uint32_t> morton_codes(const at::Tensor& points) {
    const at::Tensor low = points.amin(0);
    const at::Tensor extent = (points.amax(0) - low).max() + 1e-6;
    const at::Tensor cells = ((points - low) / extent * 1023).to(at::kInt).contiguous();
    const int32_t* cell = cells.data_ptr<int32_t>();
    std::vector<uint32_t> codes(static_cast<size_t>(points.size(0)));
    for (uint32_t& code : codes) {
        code = expand_bits(static_cast<uint32_t>(cell[1])) << 2 |
               expand_bits(static_cast<uint32_t>(cell[0])) << 1 |
               expand_bits(static_cast<uint32_t>(cell[2]));
        cell += 3;
    }
    return codes;
}

}  // namespace helioray::artist

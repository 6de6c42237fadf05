// SPDX-License-Identifier: MIT
// Checks of the scenario every_collective.
#pragma once

#include "distributed/ranks/process_group.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>

#include <vector>

namespace helioray::test {

/// Returns values that differ between the ranks and between the elements.
inline at::Tensor make_values(int rank,
                              std::vector<std::int64_t> shape,
                              at::ScalarType type = at::kDouble) {
    std::int64_t count = 1;
    for (const auto size : shape) count *= size;
    return at::arange(count, at::kLong).add(100 * rank + 7).to(type).reshape(shape);
}

/// Checks point-to-point messages.
void check_messages(const ProcessGroup& group);
/// Checks the exchange of texts.
void check_texts(const ProcessGroup& group);
/// Checks fused reductions.
void check_fused(const ProcessGroup& group);

}  // namespace helioray::test

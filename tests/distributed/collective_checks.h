// SPDX-License-Identifier: MIT
// Checks of the scenario every_collective, by subject.
#pragma once

#include "distributed/process_group.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>

#include <vector>

namespace helioray::test {

/// Different on every rank, in every place, and for every length.
inline at::Tensor make_values(int rank,
                            std::vector<std::int64_t> shape,
                            at::ScalarType type = at::kDouble) {
    std::int64_t count = 1;
    for (const auto size : shape) count *= size;
    return at::arange(count, at::kLong).add(100 * rank + 7).to(type).reshape(shape);
}

void check_messages(const ProcessGroup& group);
void check_objects(const ProcessGroup& group);
void check_fused(const ProcessGroup& group);

}  // namespace helioray::test

// SPDX-License-Identifier: MIT
// Structured values between ranks.
#pragma once

#include "distributed/process_group.h"

#include <ATen/core/ivalue.h>

#include <vector>

namespace helioray {

// Collective, with ranks within the group and errors as in collectives.h.

/// Values of all ranks, by rank, on every rank: numbers, strings, lists, tuples, dictionaries and
/// tensors (as LibTorch pickles them), in any nesting and different on every rank.
std::vector<c10::IValue> all_gather_objects(const ProcessGroup& group, const c10::IValue& mine);

/// Root's value on every rank.
c10::IValue broadcast_object(const ProcessGroup& group, const c10::IValue& value, int root = 0);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Collectives on structured values.
#pragma once

#include "distributed/ranks/process_group.h"

#include <ATen/core/ivalue.h>

#include <vector>

namespace helioray {

// Ranks are numbered within the group. Errors are those of collectives.h.

/// Returns the values of all ranks, indexed by rank, on every rank. A value consists of numbers,
/// strings, lists, tuples, dictionaries and tensors, as LibTorch pickles them; the ranks may pass
/// values of different structure.
std::vector<c10::IValue> all_gather_objects(const ProcessGroup& group, const c10::IValue& mine);

/// Returns the root's value on every rank.
c10::IValue broadcast_object(const ProcessGroup& group, const c10::IValue& value, int root = 0);

}  // namespace helioray

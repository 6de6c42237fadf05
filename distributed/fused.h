// SPDX-License-Identifier: MIT
// Many small tensors in few messages.
#pragma once

#include "distributed/process_group.h"
#include "distributed/reduction.h"

#include <ATen/core/Tensor.h>

#include <map>
#include <string>

namespace helioray {

/// all_reduce of every tensor of the map, in place, with one message for all floating-point and
/// one for all integer tensors. Names, types and shapes are the same on every rank, and are
/// compared before anything is sent. Packed by name: float16 and bfloat16 are reduced as float32,
/// everything floating as float64 where one of them is; integers as int64. Tensors may have any
/// strides. Throws as all_reduce does.
void fused_all_reduce(const ProcessGroup& group,
                      std::map<std::string, at::Tensor>& tensors,
                      Reduction = Reduction::sum);

}  // namespace helioray

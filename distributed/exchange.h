// SPDX-License-Identifier: MIT
// Parts of one type from every rank to every rank.
#pragma once

#include "distributed/channel.h"
#include "distributed/group_state.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace helioray::detail {

using Shape = std::vector<std::int64_t>;

/// Collective. parts[r] goes to rank r (undefined: nothing does); what comes from rank r has
/// shapes[r]. All ranks have agreed on this before.
std::vector<at::Tensor> exchange(Channel& channel,
                                 const std::string& operation,
                                 const std::vector<at::Tensor>& parts,
                                 const std::vector<Shape>& shapes,
                                 const at::TensorOptions& options);

/// Throws std::invalid_argument unless there is one list of indices per rank, and all of them exist
/// along `dim`.
void check_indices(const GroupState& state,
                   const at::Tensor& tensor,
                   const std::vector<at::Tensor>& indices,
                   std::int64_t dim);

}  // namespace helioray::detail

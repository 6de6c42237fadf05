// SPDX-License-Identifier: MIT
// Texts between ranks.
#pragma once

#include "distributed/process_group.h"

#include <string>
#include <vector>

namespace helioray {

// Collective, with ranks within the group and errors as in collectives.h. A text may hold any
// bytes, and be empty.

/// Texts of all ranks, by rank, on every rank.
std::vector<std::string> all_gather_strings(const ProcessGroup& group, const std::string& mine);

/// Texts of all ranks, by rank, on root, nothing elsewhere.
std::vector<std::string> gather_strings(const ProcessGroup& group,
                                        const std::string& mine,
                                        int root = 0);

/// Root's text on every rank.
std::string broadcast_string(const ProcessGroup& group, const std::string& text, int root = 0);

/// Entry r of root's list on rank r.
std::string scatter_strings(const ProcessGroup& group,
                            const std::vector<std::string>& texts,
                            int root = 0);

}  // namespace helioray

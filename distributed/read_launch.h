// SPDX-License-Identifier: MIT
// Rank, size and store address from the variables of each launcher.
#pragma once

#include "distributed/variables.h"

namespace helioray::detail {

/// Completes `info` from the variables of info.launcher. Throws LaunchError for what is missing,
/// malformed or contradictory: a launcher that was chosen is never taken for a single process.
void read_launch(VariableReader& read, LaunchInfo& info);

/// The store of `info` at an address.
void set_store(LaunchInfo& info, const StoreAddress& address);

}  // namespace helioray::detail

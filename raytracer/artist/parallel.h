// SPDX-License-Identifier: MIT
// Work on several threads whose ATen operations are single-threaded.
#pragma once

#include <cstdint>
#include <functional>

namespace helioray::artist {

/// Calls body(0) ... body(n - 1), on as many threads as ATen may use (at::get_num_threads), in any
/// order. Within a body ATen does not split its operations: vectorised functions round differently
/// at the ends of a piece, so pieces must not depend on the number of threads. Rethrows the first
/// exception of a body.
void for_each_index(int64_t n, const std::function<void(int64_t)>& body);

}  // namespace helioray::artist

// SPDX-License-Identifier: MIT
// Runs independent work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace helioray {

/// Calls function(i) once for every i in [0, count), on at most num_threads threads including the
/// calling one (only on it for num_threads < 2). Indices are distributed in ascending order, each
/// to the next free thread, so calls must not depend on each other. Returns when all calls have
/// returned. After a call that throws, no further calls begin, and the exception with the lowest
/// index is rethrown, for any number of threads.
void parallel_for(size_t count, int num_threads, const std::function<void(size_t)>& function);

/// Runs work that is too small to be distributed one by one: calls function(begin, end) for
/// consecutive ranges of `share` indices (the last one may be shorter). The ranges do not depend on
/// the number of threads.
void parallel_shares(size_t count,
                     size_t share,
                     int num_threads,
                     const std::function<void(size_t begin, size_t end)>& function);

}  // namespace helioray

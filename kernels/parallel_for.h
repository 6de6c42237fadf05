// SPDX-License-Identifier: MIT
// Independent work on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace helioray {

/// Calls function(i) once for every i in [0, count), on at most num_threads threads, the calling
/// one among them (alone for num_threads < 2). Indices are dealt in ascending order, each to the
/// next thread that is free, so calls must not depend on each other. Returns when all calls have
/// returned. After a call that throws no further ones begin, and the exception of the lowest index
/// reaches the caller, whatever the number of threads.
void parallel_for(size_t count, int num_threads, const std::function<void(size_t)>& function);

/// The same for work too small to be dealt one by one: calls function(begin, end) for consecutive
/// ranges of `share` indices (the last one may be shorter), always the same ones.
void parallel_shares(size_t count,
                     size_t share,
                     int num_threads,
                     const std::function<void(size_t begin, size_t end)>& function);

}  // namespace helioray

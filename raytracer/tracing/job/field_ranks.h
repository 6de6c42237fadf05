// SPDX-License-Identifier: MIT
// Interface between calculations on a whole field and the processes that share the work.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// Throws if the program has to stop. It is cheap, and any thread may call it. An empty function
/// means that nothing can stop the work.
using StopCheck = std::function<void()>;

/// Calls `stop` unless it is empty.
inline void obey(const StopCheck& stop) {
    if (stop) stop();
}

/// Processes that share the work on a field. Each process has the whole input and gets the whole
/// output.
struct FieldRanks {
    size_t rank = 0;   ///< rank of this process
    size_t count = 1;  ///< number of processes
    /// Returns the texts of all ranks, indexed by rank, on every rank. It is collective: all ranks
    /// have to call it.
    std::function<std::vector<std::string>(const std::string& mine)> gather;
    StopCheck stop = {};  ///< called several times per second while this process works
};

}  // namespace helioray

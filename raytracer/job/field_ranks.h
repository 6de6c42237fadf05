// SPDX-License-Identifier: MIT
// Work on the heliostats of a field that processes share.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// Throws where the program wants to stop. Cheap; any thread may call it. Empty: the work goes on.
using StopCheck = std::function<void()>;

/// Calls it if there is one.
inline void obey(const StopCheck& stop) {
    if (stop) stop();
}

/// The processes that share the work on a field. Each has all the input and gets all the output.
struct FieldRanks {
    size_t rank = 0;   ///< of this process
    size_t count = 1;  ///< how many there are
    /// The texts of all ranks, by rank, on every rank. Collective; not called by one rank alone.
    std::function<std::vector<std::string>(const std::string& mine)> gather;
    StopCheck stop = {};  ///< several times per second of the work of this process
};

}  // namespace helioray

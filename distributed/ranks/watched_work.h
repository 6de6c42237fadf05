// SPDX-License-Identifier: MIT
// Work of a rank between two collectives whose progress the other ranks watch.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace helioray {

/// Work that a rank does while the others may wait for it without a time-out. Its progress is part
/// of the heartbeats: a rank that makes none for DistributedOptions::timeout hangs, also if its
/// process is alive. A slow rank that makes progress does not. Calls to the other ranks and waits
/// for them are progress, since they have their own time-outs. While a thread waits for a disk or a
/// network file system, the limit is five times as long.
struct WatchedWork {
    std::string phase;  ///< what the rank does, for messages: "tracing"
    /// Returns a number that changes whenever a part of the work is done. Called by another thread.
    std::function<std::uint64_t()> progress;
    /// Processor time of this process counts as progress, at least 2 % of the time that passes.
    /// Parts of the work may then take any time. Set it to false for work on a device, because a
    /// thread that waits for a device may consume processor time.
    bool counts_processor_time = true;
};

}  // namespace helioray

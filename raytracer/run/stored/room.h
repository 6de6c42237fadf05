// SPDX-License-Identifier: MIT
// Memory and disk that a run needs, found before any work.
#pragma once

#include "raytracer/tracing/geometry/aiming.h"
#include "scenario/types/run_config.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

namespace helioray::run {

/// Bytes of memory that this process may use at most: those of the machine, or fewer by the limit
/// of its control group or of its address space (ulimit -v).
std::uint64_t usable_memory();

/// Throws InputError where the maps of single heliostats (output.per_heliostat) take more than
/// `usable` bytes of memory: 8 bytes for each pixel of each active heliostat. aims: of the active
/// heliostats.
void check_memory(const RunConfig& config, std::span<const Aim> aims, std::uint64_t usable);

/// Bytes on the disk that a run's files take until it has ended.
struct DiskRoom {
    std::uint64_t least = 0;  ///< where everything that is compressed becomes as small as it can
    std::uint64_t most = 0;   ///< where nothing becomes smaller
};

/// The room for the result of a single run (num_steps 0), or for the finished steps of a series and
/// the file they are joined to, without the steps that earlier starts have stored beside `output`.
/// aims: of the active heliostats.
DiskRoom disk_room(const RunConfig& config,
                   std::span<const Aim> aims,
                   std::size_t num_steps,
                   const std::filesystem::path& output);

}  // namespace helioray::run

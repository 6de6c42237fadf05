// SPDX-License-Identifier: MIT
// The fused tracing kernel: from random numbers to flux bitmaps, one call per list of work units.
#pragma once

#include "kernels/instruction_set.h"
#include "kernels/trace_types.h"

#include <atomic>
#include <cstdint>

namespace helioray::kernels {

/// How the CPU traces, and how its caller watches and stops it.
struct CpuOptions {
    int num_threads = 1;  ///< this one among them; below 1 counts as 1
    InstructionSet instruction_set = InstructionSet::automatic;  ///< see resolve_instruction_set()
    std::atomic<int64_t>* rays_done = nullptr;  ///< progress, increased per finished unit
    const std::atomic<bool>* cancel =
        nullptr;  ///< when it becomes true the call returns early (sums are then partial)
};

/// Traces units [0, num_units) and adds to sums. Bitwise independent of threads, instruction set
/// and order of units. Throws std::invalid_argument as resolve_instruction_set() does.
void trace_flux_cpu(const FieldView& field,
                    const WorkUnit* units,
                    int64_t num_units,
                    const SumsView& sums,
                    const CpuOptions& options);

}  // namespace helioray::kernels

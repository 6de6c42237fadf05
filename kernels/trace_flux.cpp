// SPDX-License-Identifier: MIT
// Work units on CPU threads, with the best instruction set of this processor.
#include "kernels/trace_flux.h"

#include "kernels/cpu/block_functions.h"
#include "kernels/cpu/thread_buffers.h"

#include <cmath>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace helioray::kernels {

namespace {

bool available(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx512:
            return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
        case InstructionSet::avx2:
            return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
        default:
            return true;
    }
}

TraceBlock block_function(InstructionSet set) {
    if (set == InstructionSet::automatic) set = best_instruction_set();
    if (!available(set)) {
        throw std::invalid_argument(std::string("this processor has no ") + to_string(set));
    }
    switch (set) {
        case InstructionSet::avx512:
            return trace_block_avx512;
        case InstructionSet::avx2:
            return trace_block_avx2;
        default:
            return trace_block_portable;
    }
}

void add(int64_t* sum, int64_t value) {
    __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
}

/// Traces both halves of a unit and adds what belongs to single heliostats; bitmaps stay in the
/// thread's buffers.
void trace_unit(const FieldView& field,
                const WorkUnit& unit,
                TraceBlock trace_block,
                ThreadBuffers& buffers,
                const SumsView& sums) {
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    for (int32_t i = unit.first_heliostat; i < unit.first_heliostat + unit.num_heliostats; ++i) {
        const HeliostatRecord& h = field.heliostats[i];
        BlockSums half[2];
        for (int k = 0; k < 2; ++k) {
            const int64_t block = 2 * static_cast<int64_t>(unit.pair) + k;
            half[k] = trace_block(field, h, block, unit.rays_per_block, buffers.half(k));
        }
        int64_t* energy = sums.energy + static_cast<int64_t>(i) * kNumEnergySums;
        for (int k = 0; k < kNumEnergySums; ++k)
            add(energy + k, half[0].energy[k] + half[1].energy[k]);
        const auto difference =
            static_cast<double>(half[0].energy[kDeliveredSum] - half[1].energy[kDeliveredSum]);
        add(sums.power_square + i, std::llrint(field.square_scale * (difference * difference)));
        if (sums.heliostat_flux != nullptr)
            buffers.flush(unit.target, field.square_scale, sums.heliostat_flux + i * num_pixels);
    }
    buffers.flush(unit.target, field.square_scale, nullptr);
}

}  // namespace

InstructionSet best_instruction_set() {
    for (const InstructionSet set : {InstructionSet::avx512, InstructionSet::avx2}) {
        if (available(set)) return set;
    }
    return InstructionSet::portable;
}

const char* to_string(InstructionSet set) {
    switch (set) {
        case InstructionSet::avx512:
            return "AVX-512";
        case InstructionSet::avx2:
            return "AVX2";
        case InstructionSet::portable:
            return "portable";
        default:
            return "automatic";
    }
}

void trace_flux_cpu(const FieldView& field,
                    const WorkUnit* units,
                    int64_t num_units,
                    const SumsView& sums,
                    const CpuOptions& options) {
    const TraceBlock trace_block = block_function(options.instruction_set);
    std::atomic<int64_t> next{0};
    std::mutex merging;
    const auto work = [&] {
        ThreadBuffers buffers(field);
        for (int64_t i = next++; i < num_units; i = next++) {
            if (options.cancel != nullptr && options.cancel->load(std::memory_order_relaxed))
                return;
            trace_unit(field, units[i], trace_block, buffers, sums);
            if (options.rays_done != nullptr) {
                options.rays_done->fetch_add(2 * units[i].rays_per_block * units[i].num_heliostats,
                                             std::memory_order_relaxed);
            }
        }
        const std::lock_guard lock(merging);
        buffers.merge_into(sums);
    };
    std::vector<std::jthread> threads;
    for (int t = 1; t < options.num_threads && t < num_units; ++t) threads.emplace_back(work);
    work();
}

}  // namespace helioray::kernels

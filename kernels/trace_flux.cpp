// SPDX-License-Identifier: MIT
// Work units on CPU threads, with the best instruction set of this processor.
#include "kernels/trace_flux.h"

#include "kernels/cpu/block_functions.h"
#include "kernels/cpu/run_units.h"
#include "kernels/cpu/thread_buffers.h"
#include "kernels/ray/unit_assertions.h"

#include <cmath>
#include <mutex>

namespace helioray::kernels {

namespace {

BlockFunctions block_functions(InstructionSet set) {
    switch (resolve_instruction_set(set)) {
        case InstructionSet::avx512:
            return {trace_block_avx512, add_tiles_avx512};
        case InstructionSet::avx2:
            return {trace_block_avx2, add_tiles_avx2};
        default:
            return {trace_block_portable, add_tiles_portable};
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
    assert_unit(field, unit);
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

/// Traces the units of one thread; its bitmaps reach the global sums at its end.
class UnitTracer {
  public:
    UnitTracer(const FieldView& field,
               const BlockFunctions& functions,
               const SumsView& sums,
               std::mutex& merging)
        : field_(field),
          trace_block_(functions.trace_block),
          sums_(sums),
          merging_(merging),
          buffers_(field, functions.add_tiles) {}
    UnitTracer(const UnitTracer&) = delete;
    UnitTracer& operator=(const UnitTracer&) = delete;
    ~UnitTracer() {
        const std::lock_guard lock(merging_);
        buffers_.merge_into(sums_);
    }

    void operator()(const WorkUnit& unit) {
        trace_unit(field_, unit, trace_block_, buffers_, sums_);
    }

  private:
    const FieldView& field_;
    TraceBlock trace_block_;
    const SumsView& sums_;
    std::mutex& merging_;
    ThreadBuffers buffers_;
};

}  // namespace

void trace_flux_cpu(const FieldView& field,
                    const WorkUnit* units,
                    int64_t num_units,
                    const SumsView& sums,
                    const CpuOptions& options) {
    const BlockFunctions functions = block_functions(options.instruction_set);
    std::mutex merging;
    run_units(
        units, num_units, options, [&] { return UnitTracer(field, functions, sums, merging); });
}

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// Work units on CPU threads, with the best instruction set of this processor.
#include "kernels/trace_flux.h"

#include "kernels/core/longs.h"
#include "kernels/cpu/block_functions.h"
#include "kernels/cpu/run_units.h"
#include "kernels/cpu/thread_buffers.h"
#include "kernels/ray/unit_assertions.h"

#include <mutex>
#include <vector>

namespace helioray::kernels {

namespace {

BlockFunctions block_functions(InstructionSet set) {
    switch (resolve_instruction_set(set)) {
        case InstructionSet::avx512:
            return {trace_blocks_avx512, add_tiles_avx512};
        case InstructionSet::avx2:
            return {trace_blocks_avx2, add_tiles_avx2};
        default:
            return {trace_blocks_portable, add_tiles_portable};
    }
}

/// Atomic where other threads add as well; otherwise not, because heliostats of few rays would wait
/// for it: 3 % of the time with 300 rays.
template <bool kShared>
void add(int64_t* sum, int64_t value) {
    if constexpr (kShared) {
        __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
    } else {
        *sum += value;
    }
}

/// Adds the sums of both blocks of heliostat i.
template <bool kShared>
void add_heliostat(const FieldView& field, int32_t i, const PairSums& pair, const SumsView& sums) {
    const BlockSums(&half)[2] = pair.half;
    int64_t* energy = sums.energy + static_cast<int64_t>(i) * kNumEnergySums;
    for (int k = 0; k < kNumEnergySums; ++k)
        add<kShared>(energy + k, half[0].energy[k] + half[1].energy[k]);
    add<kShared>(sums.power_square + i,
                 scaled_square(half[0].energy[kDeliveredSum] - half[1].energy[kDeliveredSum],
                               field.square_scale));
}

/// Traces the units of one thread; its bitmaps reach the global sums at its end.
class UnitTracer {
  public:
    UnitTracer(const FieldView& field,
               const BlockFunctions& functions,
               const SumsView& sums,
               const CpuOptions& options,
               std::mutex& merging)
        : field_(field),
          add_heliostat_(options.num_threads > 1 ? add_heliostat<true> : add_heliostat<false>),
          trace_blocks_(functions.trace_blocks),
          sums_(sums),
          num_pixels_(static_cast<int64_t>(field.bitmap_width) * field.bitmap_height),
          merging_(merging),
          buffers_(field, functions.add_tiles) {}
    UnitTracer(const UnitTracer&) = delete;
    UnitTracer& operator=(const UnitTracer&) = delete;
    ~UnitTracer() {
        const std::lock_guard lock(merging_);
        buffers_.merge_into(sums_);
    }

    void operator()(const WorkUnit& unit) {
        assert_unit(field_, unit);
        if (sums_.heliostat_flux == nullptr) {
            trace(unit, nullptr);
            return;
        }
        // Each heliostat has a bitmap of its own.
        WorkUnit single = unit;
        single.num_heliostats = 1;
        for (int32_t i = 0; i < unit.num_heliostats; ++i) {
            single.first_heliostat = unit.first_heliostat + i;
            trace(single, sums_.heliostat_flux + single.first_heliostat * num_pixels_);
        }
    }

  private:
    void trace(const WorkUnit& unit, int64_t* heliostat_flux) {
        blocks_.resize(static_cast<size_t>(unit.num_heliostats));
        trace_blocks_(field_, unit, buffers_.halves(), blocks_.data());
        for (int32_t i = 0; i < unit.num_heliostats; ++i) {
            add_heliostat_(
                field_, unit.first_heliostat + i, blocks_[static_cast<size_t>(i)], sums_);
        }
        buffers_.flush(unit.target, field_.square_scale, heliostat_flux);
    }

    const FieldView& field_;
    void (*add_heliostat_)(const FieldView&, int32_t, const PairSums&, const SumsView&);
    TraceBlocks trace_blocks_;
    const SumsView& sums_;
    const int64_t num_pixels_;
    std::mutex& merging_;
    ThreadBuffers buffers_;
    std::vector<PairSums> blocks_;  ///< of the unit under way
};

}  // namespace

void trace_flux_cpu(const FieldView& field,
                    const WorkUnit* units,
                    int64_t num_units,
                    const SumsView& sums,
                    const CpuOptions& options) {
    const BlockFunctions functions = block_functions(options.instruction_set);
    std::mutex merging;
    run_units(units, num_units, options, [&] {
        return UnitTracer(field, functions, sums, options, merging);
    });
}

}  // namespace helioray::kernels

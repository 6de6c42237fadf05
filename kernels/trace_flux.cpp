// SPDX-License-Identifier: MIT
// Work units on CPU threads, with the best instruction set of this processor.
#include "kernels/trace_flux.h"

#include "kernels/cpu/block_functions.h"
#include "kernels/cpu/run_units.h"
#include "kernels/cpu/thread_buffers.h"
#include "kernels/ray/unit_assertions.h"

#include <atomic>
#include <cmath>
#include <mutex>
#include <vector>

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

/// Both halves of one heliostat's rays in a unit.
struct Halves {
    BlockSums half[2];
    int64_t power_square;

    int64_t energy(int k) const { return half[0].energy[k] + half[1].energy[k]; }
};

/// Bitmaps stay in the thread's buffers.
Halves trace_halves(const FieldView& field,
                    const WorkUnit& unit,
                    int32_t heliostat,
                    TraceBlock trace_block,
                    ThreadBuffers& buffers) {
    Halves halves;
    for (int k = 0; k < 2; ++k) {
        const int64_t block = 2 * static_cast<int64_t>(unit.pair) + k;
        halves.half[k] = trace_block(
            field, field.heliostats[heliostat], block, unit.rays_per_block, buffers.half(k));
    }
    const auto difference = static_cast<double>(halves.half[0].energy[kDeliveredSum] -
                                                halves.half[1].energy[kDeliveredSum]);
    halves.power_square = std::llrint(field.square_scale * (difference * difference));
    return halves;
}

/// Traces a unit and adds what belongs to single heliostats.
void trace_unit(const FieldView& field,
                const WorkUnit& unit,
                TraceBlock trace_block,
                ThreadBuffers& buffers,
                const SumsView& sums) {
    assert_unit(field, unit);
    const int64_t num_pixels = static_cast<int64_t>(field.bitmap_width) * field.bitmap_height;
    for (int32_t i = unit.first_heliostat; i < unit.first_heliostat + unit.num_heliostats; ++i) {
        const Halves halves = trace_halves(field, unit, i, trace_block, buffers);
        int64_t* energy = sums.energy + static_cast<int64_t>(i) * kNumEnergySums;
        for (int k = 0; k < kNumEnergySums; ++k) add(energy + k, halves.energy(k));
        add(sums.power_square + i, halves.power_square);
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

bool trace_heliostats_cpu(const FieldView& field,
                          const WorkUnit* units,
                          int64_t units_per_heliostat,
                          std::span<const int32_t> heliostats,
                          const CpuOptions& options,
                          const std::function<void(const HeliostatSums&)>& take) {
    const BlockFunctions functions = block_functions(options.instruction_set);
    std::atomic<int64_t> num_taken{0};
    // All units of a heliostat on one thread, so that its sums never leave it.
    std::vector<WorkUnit> first_units;
    first_units.reserve(heliostats.size());
    for (const int32_t i : heliostats) first_units.push_back(units[i * units_per_heliostat]);
    run_units(first_units.data(), std::ssize(first_units), options, [&] {
        return [&, buffers = ThreadBuffers(field, functions.add_tiles)](
                   const WorkUnit& first) mutable {
            HeliostatSums sums{};
            sums.heliostat = first.first_heliostat;
            const WorkUnit* own = units + first.first_heliostat * units_per_heliostat;
            for (const WorkUnit& unit : std::span(own, static_cast<size_t>(units_per_heliostat))) {
                assert_unit(field, unit);
                const Halves halves =
                    trace_halves(field, unit, sums.heliostat, functions.trace_block, buffers);
                for (int k = 0; k < kNumEnergySums; ++k) sums.energy[k] += halves.energy(k);
                sums.power_square += halves.power_square;
                buffers.flush(unit.target, field.square_scale, nullptr);
            }
            const ThreadBuffers::View bitmaps = buffers.sums(first.target);
            sums.flux = bitmaps.flux;
            sums.flux_square = bitmaps.square;
            sums.first_pixel = bitmaps.first;
            sums.last_pixel = bitmaps.last;
            take(sums);
            buffers.clear(first.target);
            ++num_taken;
            // run_units counts the first unit.
            if (options.rays_done != nullptr)
                *options.rays_done += 2 * first.rays_per_block * (units_per_heliostat - 1);
        };
    });
    return num_taken == std::ssize(heliostats);
}

}  // namespace helioray::kernels

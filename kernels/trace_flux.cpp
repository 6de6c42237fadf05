// SPDX-License-Identifier: MIT
// Traces work units on CPU threads, with the best instruction set of this processor.
#include "kernels/trace_flux.h"

#include "kernels/core/scalar.h"
#include "kernels/cpu/set_functions.h"
#include "kernels/cpu/thread_buffers.h"
#include "kernels/ray/unit_assertions.h"
#include "kernels/run_units.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace helioray::kernels {

namespace {

/// Adds atomically if other threads add as well; otherwise not, because for heliostats of few rays
/// atomic additions take 3 % of the time with 300 rays.
template <bool kShared>
void add(int64_t* sum, int64_t value) {
    if constexpr (kShared) {
        __atomic_fetch_add(sum, value, __ATOMIC_RELAXED);
    } else {
        *sum += value;
    }
}

int64_t energy(const PairSums& pair, int k) {
    return pair.half[0].energy[k] + pair.half[1].energy[k];
}

int64_t shielded(const PairSums& pair) {
    return pair.half[0].shielded + pair.half[1].shielded;
}

int64_t reflected(const PairSums& pair, int k) {
    return pair.half[0].reflected[k] + pair.half[1].reflected[k];
}

int64_t power_square(const FieldView& field, const PairSums& pair) {
    return scaled_square(pair.half[0].energy[kDeliveredSum] - pair.half[1].energy[kDeliveredSum],
                         field.square_scale);
}

/// Adds the sums of both blocks of heliostat i.
template <bool kShared>
void add_heliostat(const FieldView& field, int32_t i, const PairSums& pair, const SumsView& sums) {
    int64_t* of_heliostat = sums.energy + static_cast<int64_t>(i) * kNumEnergySums;
    for (int k = 0; k < kNumEnergySums; ++k) add<kShared>(of_heliostat + k, energy(pair, k));
    add<kShared>(sums.power_square + i, power_square(field, pair));
    if (sums.shielded != nullptr) add<kShared>(sums.shielded + i, shielded(pair));
    if (sums.reflected == nullptr) return;
    int64_t* of_reflections = sums.reflected + static_cast<int64_t>(i) * kNumReflectedSums;
    for (int k = 0; k < kNumReflectedSums; ++k)
        add<kShared>(of_reflections + k, reflected(pair, k));
}

ThreadBuffers::Wanted wanted_parts(const SumsView& sums) {
    if (sums.flux_difference != nullptr) return ThreadBuffers::Wanted::signed_parts;
    return sums.flux_square == nullptr && sums.heliostat_flux == nullptr
               ? ThreadBuffers::Wanted::flux
               : ThreadBuffers::Wanted::parts_of_units;
}

/// Traces the units of one thread; its bitmaps are added to the global sums at the end.
class UnitTracer {
  public:
    UnitTracer(const FieldView& field,
               const SetFunctions& functions,
               const SumsView& sums,
               const CpuOptions& options,
               std::mutex& merging)
        : field_(field),
          add_heliostat_(options.num_threads > 1 ? add_heliostat<true> : add_heliostat<false>),
          trace_blocks_(functions.trace_blocks),
          sums_(sums),
          num_pixels_(static_cast<int64_t>(field.bitmap_width) * field.bitmap_height),
          merging_(merging),
          buffers_(field, functions.add_tiles, wanted_parts(sums)) {}
    UnitTracer(const UnitTracer&) = delete;
    UnitTracer& operator=(const UnitTracer&) = delete;
    ~UnitTracer() {
        const std::lock_guard lock(merging_);
        buffers_.merge_into(sums_);
    }

    void operator()(const WorkUnit& unit) {
        assert_unit(field_, unit);
        if (sums_.heliostat_flux == nullptr) {
            trace(unit);
            buffers_.flush(unit.target, field_.square_scale, nullptr);
            return;
        }
        // Squares are those of the unit, as without maps of single heliostats.
        WorkUnit single = unit;
        single.num_heliostats = 1;
        for (int32_t i = 0; i < unit.num_heliostats; ++i) {
            single.first_heliostat = unit.first_heliostat + i;
            trace(single);
            int64_t* const map = sums_.heliostat_flux + single.first_heliostat * num_pixels_;
            if (unit.num_heliostats == 1) {
                buffers_.flush(unit.target, field_.square_scale, map);
                return;
            }
            buffers_.end_heliostat(unit.target, map);
        }
        buffers_.flush_unit(unit.target, field_.square_scale);
    }

  private:
    void trace(const WorkUnit& unit) {
        blocks_.resize(static_cast<size_t>(unit.num_heliostats));
        trace_blocks_(field_, unit, buffers_.halves(unit.target), blocks_.data());
        for (int32_t i = 0; i < unit.num_heliostats; ++i) {
            add_heliostat_(
                field_, unit.first_heliostat + i, blocks_[static_cast<size_t>(i)], sums_);
        }
    }

    const FieldView& field_;
    void (*add_heliostat_)(const FieldView&, int32_t, const PairSums&, const SumsView&);
    TraceBlocks* trace_blocks_;
    const SumsView& sums_;
    const int64_t num_pixels_;
    std::mutex& merging_;
    ThreadBuffers buffers_;
    std::vector<PairSums> blocks_;  ///< sums of the current unit
};

}  // namespace

int64_t trace_flux_cpu(const FieldView& field,
                       const WorkUnit* units,
                       int64_t num_units,
                       const SumsView& sums,
                       const CpuOptions& options) {
    const SetFunctions functions = select_functions(options.instruction_set);
    std::mutex merging;
    return run_units(units, num_units, options, [&] {
        return UnitTracer(field, functions, sums, options, merging);
    });
}

bool trace_heliostats_cpu(const FieldView& field,
                          const WorkUnit* units,
                          int64_t units_per_heliostat,
                          std::span<const int32_t> heliostats,
                          const CpuOptions& options,
                          const std::function<void(const HeliostatSums&)>& take) {
    const SetFunctions functions = select_functions(options.instruction_set);
    std::atomic<int64_t> num_taken{0};
    // Trace all units of a heliostat on one thread, so that its sums need not be shared.
    std::vector<WorkUnit> first_units;
    first_units.reserve(heliostats.size());
    for (const int32_t i : heliostats) first_units.push_back(units[i * units_per_heliostat]);
    run_units(first_units.data(), std::ssize(first_units), options, [&] {
        return [&,
                buffers = ThreadBuffers(
                    field, functions.add_tiles, ThreadBuffers::Wanted::parts_of_units)](
                   const WorkUnit& first) mutable {
            HeliostatSums sums{};
            sums.heliostat = first.first_heliostat;
            const WorkUnit* own = units + first.first_heliostat * units_per_heliostat;
            for (const WorkUnit& unit : std::span(own, static_cast<size_t>(units_per_heliostat))) {
                assert_unit(field, unit);
                PairSums pair;
                functions.trace_blocks(field, unit, buffers.halves(unit.target), &pair);
                for (int k = 0; k < kNumEnergySums; ++k) sums.energy[k] += energy(pair, k);
                sums.power_square += power_square(field, pair);
                sums.shielded += shielded(pair);
                for (int k = 0; k < kNumReflectedSums; ++k) sums.reflected[k] += reflected(pair, k);
                buffers.flush(unit.target, field.square_scale, nullptr);
            }
            const ThreadBuffers::View bitmaps = buffers.sums(first.target);
            sums.flux = bitmaps.flux;
            sums.flux_square = bitmaps.square;
            sums.first_pixel = bitmaps.first;
            sums.last_pixel = bitmaps.last;
            sums.surface_square = bitmaps.surface_square;
            take(sums);
            buffers.clear(first.target);
            ++num_taken;
            // run_units() counts the first unit.
            if (options.rays_done != nullptr)
                *options.rays_done += 2 * first.rays_per_block * (units_per_heliostat - 1);
        };
    });
    return num_taken == std::ssize(heliostats);
}

}  // namespace helioray::kernels

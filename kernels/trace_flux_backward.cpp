// SPDX-License-Identifier: MIT
// Traces backward work units on CPU threads.

#include "kernels/core/sums_layout.h"
#include "kernels/cpu/set_functions.h"
#include "kernels/ray/unit_assertions.h"
#include "kernels/run_units.h"
#include "kernels/trace_flux.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace helioray::kernels {

namespace {

/// Range of elements of FieldView::floats with control points of a heliostat, [begin, end).
struct FloatRange {
    int64_t begin = 0;
    int64_t end = 0;
};

FloatRange control_point_range(const FieldView& field, const HeliostatRecord& h) {
    FloatRange range{std::numeric_limits<int64_t>::max(), 0};
    for (int32_t i = h.first_facet; i < h.first_facet + h.num_facets; ++i) {
        const FacetRecord& facet = field.facets[i];
        if (facet.kind != FacetKind::bspline) continue;
        const int64_t count =
            3 * static_cast<int64_t>(facet.num_control_points[0]) * facet.num_control_points[1];
        range.begin = std::min(range.begin, facet.control_points);
        range.end = std::max(range.end, facet.control_points + count);
    }
    return range.end == 0 ? FloatRange{} : range;
}

/// Returns a scaled derivative as an integer.
int64_t round_to_quanta(double derivative, double scale) {
    // The limit is far beyond the bounds for which the scale is chosen, and avoids undefined
    // behaviour if a bound is wrong.
    constexpr double kLimit = 9.0e18;
    return static_cast<int64_t>(std::llrint(std::clamp(derivative * scale, -kLimit, kLimit)));
}

/// Gradients of the maps that a unit of rays may light.
class MapGradients {
  public:
    /// flux_gradient: as for trace_flux_backward_cpu().
    MapGradients(const FieldView& field, const float* flux_gradient)
        : field_(field),
          all_(flux_gradient),
          num_pixels_(static_cast<int64_t>(field.bitmap_width) * field.bitmap_height),
          surfaces_(gather_maps(surface_maps(field), flux_gradient, num_pixels_)) {}

    /// Returns the map of a target, or those of all surfaces of receivers if it is one of them.
    const float* of(int32_t target) const {
        return field_.targets[target].in_receiver != 0 ? surfaces_.data()
                                                       : all_ + target * num_pixels_;
    }

  private:
    const FieldView& field_;
    const float* all_;
    int64_t num_pixels_;
    std::vector<float> surfaces_;
};

/// Adds to sums to which other threads also add.
struct SharedSums {
    static void add(int64_t* sum, int64_t quanta) {
        __atomic_fetch_add(sum, quanta, __ATOMIC_RELAXED);
    }
};

/// Adds to sums that no other thread uses, in a tenth of the time.
struct OwnSums {
    static void add(int64_t* sum, int64_t quanta) { *sum += quanta; }
};

/// Sums of one block, in double precision and in the order of the rays.
template <typename Sums>
class BlockSumsBuffer {
  public:
    /// Traces the blocks of a unit. trace_block: as TraceBlockBackward.
    template <typename TraceBlock>
    void trace(const FieldView& field,
               const WorkUnit& unit,
               int32_t heliostat,
               int half,
               const TraceBlock& trace_block,
               const float* gradient,
               const GradientScale& scale,
               const GradientSums& sums) {
        const HeliostatRecord& h = field.heliostats[heliostat];
        const FloatRange range = control_point_range(field, h);
        std::fill(std::begin(heliostat_), std::end(heliostat_), 0.0);
        const auto size = static_cast<size_t>(range.end - range.begin);
        if (floats_.size() < size + kStretch) floats_.resize(size + kStretch, 0.0);
        trace_block(field,
                    h,
                    2 * static_cast<int64_t>(unit.pair) + half,
                    unit.rays_per_block,
                    gradient,
                    {heliostat_, floats_.data(), range.begin, range.end - range.begin});
        int64_t* of_heliostat =
            sums.heliostats + static_cast<int64_t>(heliostat) * kNumHeliostatGradients;
        for (int i = 0; i < kNumHeliostatGradients; ++i)
            Sums::add(of_heliostat + i, round_to_quanta(heliostat_[i], scale.heliostat[i]));
        move_floats(size, scale.floats, sums.floats + range.begin);
    }

  private:
    /// Number of floats that are tested together.
    static constexpr size_t kStretch = 16;

    /// Adds the block's derivatives to the sums and sets them to zero. A block of few rays affects
    /// few control points, so runs of zeros are skipped.
    void move_floats(size_t size, double scale, int64_t* sums) {
        for (size_t begin = 0; begin < size; begin += kStretch) {
            double* stretch = floats_.data() + begin;
            uint64_t any = 0;
            for (size_t i = 0; i < kStretch; ++i) any |= std::bit_cast<uint64_t>(stretch[i]);
            if (any == 0) continue;
            for (size_t i = 0; i < kStretch; ++i) {
                if (stretch[i] == 0.0) continue;
                Sums::add(sums + begin + i, round_to_quanta(stretch[i], scale));
            }
            std::fill_n(stretch, kStretch, 0.0);
        }
    }

    double heliostat_[kNumHeliostatGradients] = {};
    std::vector<double> floats_;  ///< zeros between blocks, with a run of zeros at the end
};

}  // namespace

GradientScale gradient_scale(const FieldView& field,
                             const WorkUnit* units,
                             int64_t num_units,
                             float largest_gradient,
                             float edge_reach) {
    // Bound the power of all rays, the steepest change of the gradient, and the longest lever arm.
    double power = 1.0;
    for (int64_t u = 0; u < num_units; ++u) {
        for (int32_t i = 0; i < units[u].num_heliostats; ++i) {
            const HeliostatRecord& h = field.heliostats[units[u].first_heliostat + i];
            power += 2.0 * static_cast<double>(units[u].rays_per_block) *
                     static_cast<double>(h.ray_power);
        }
    }
    double lever = 1.0;
    // Beside an edge, edge_density() is at most 4 / reach.
    double per_metre = edge_reach > 0.0f ? 4.0 / static_cast<double>(edge_reach) : 1e-9;
    const auto add_map = [&](const TargetRecord& target) {
        per_metre = std::max({per_metre,
                              static_cast<double>(field.bitmap_width) / target.width,
                              static_cast<double>(field.bitmap_height) / target.height});
    };
    for (int32_t i = 0; i < field.num_surfaces; ++i) add_map(field.surfaces[i].shape);
    for (int32_t i = 0; i < field.num_heliostats; ++i) {
        const HeliostatRecord& h = field.heliostats[i];
        add_map(field.targets[h.target]);
        lever = std::max(lever,
                         2.0 * static_cast<double>(std::hypot(
                                   h.translation[0], h.translation[1], h.translation[2])));
    }
    const double value = power * std::max(static_cast<double>(largest_gradient), 1e-30);
    const double position = 2.0 * value * per_metre;
    const double angle = position * lever + value;
    // The margin allows for light at grazing incidence, for samples many widths out and for short
    // facets, with mirrors among the surfaces of receivers also for what these magnify.
    const double margin = field.reflects != 0 ? 0x1p16 : 0x1p10;
    const auto exact_scale = [](double bound) {
        return std::exp2(std::floor(62.0 - std::log2(bound)));
    };
    GradientScale scale{};
    std::fill(std::begin(scale.heliostat), std::end(scale.heliostat), exact_scale(margin * angle));
    // A turn moves the mirror's points by less than this distance (metres), in addition to turning
    // its normals.
    constexpr double kMirrorSize = 50.0;
    for (int i = 0; i < 9; ++i)
        scale.heliostat[kRotationGradient + i] =
            exact_scale(margin * (angle + kMirrorSize * position));
    for (int i = 0; i < 3; ++i)
        scale.heliostat[kTranslationGradient + i] = exact_scale(margin * position);
    scale.heliostat[kValueGradient] = exact_scale(2.0 * value);
    scale.floats = exact_scale(margin * angle);
    return scale;
}

void trace_flux_backward_cpu(const FieldView& field,
                             const WorkUnit* units,
                             int64_t num_units,
                             const float* flux_gradient,
                             const GradientScale& scale,
                             const GradientSums& sums,
                             const CpuOptions& options) {
    const SetFunctions functions = select_functions(options.instruction_set);
    const auto trace_block = [&](const FieldView& whole,
                                 const HeliostatRecord& h,
                                 int64_t block,
                                 int64_t rays_per_block,
                                 const float* gradient,
                                 const BlockGradient& into) {
        functions.trace_block_backward(
            whole, h, block, rays_per_block, gradient, options.edge_reach, into);
    };
    const MapGradients gradients(field, flux_gradient);
    const auto trace = [&]<typename Sums>(Sums) {
        run_units(units, num_units, options, [&] {
            return [&, buffer = BlockSumsBuffer<Sums>()](const WorkUnit& unit) mutable {
                assert_unit(field, unit);
                const float* gradient = gradients.of(unit.target);
                for (int32_t i = 0; i < unit.num_heliostats; ++i) {
                    for (int half = 0; half < 2; ++half) {
                        buffer.trace(field,
                                     unit,
                                     unit.first_heliostat + i,
                                     half,
                                     trace_block,
                                     gradient,
                                     scale,
                                     sums);
                    }
                }
            };
        });
    };
    if (options.num_threads > 1) {
        trace(SharedSums{});
    } else {
        trace(OwnSums{});
    }
}

}  // namespace helioray::kernels

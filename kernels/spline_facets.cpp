// SPDX-License-Identifier: MIT
// Areas, sampling tables, grids and patches of many facets, computed in packs.
#include "kernels/spline_facets.h"

#include "kernels/core/quadrature.h"
#include "kernels/core/trace_types.h"
#include "kernels/cpu/set_functions.h"

#include <algorithm>
#include <cstddef>

namespace helioray::kernels {

namespace {

/// A value of all lanes, aligned to the largest vectors.
struct alignas(kMaxPackLanes * sizeof(double)) PackValue {
    double lanes[kMaxPackLanes];
};

/// Memory for a number of values of all lanes.
class PackMemory {
  public:
    PackMemory(size_t num_values, int64_t num_lanes)
        : values_((num_values * static_cast<size_t>(num_lanes) + kMaxPackLanes - 1) /
                  kMaxPackLanes) {}

    double* data() { return values_.data()->lanes; }

  private:
    std::vector<PackValue> values_;
};

/// Calls function(first, count) for packs of facets [first, first + count) that together cover all
/// facets.
template <typename Function>
void for_each_pack(size_t num_facets, int64_t num_lanes, Function function) {
    const auto lanes = static_cast<size_t>(num_lanes);
    for (size_t first = 0; first < num_facets; first += lanes)
        function(first, std::min(lanes, num_facets - first));
}

/// Returns the number of pieces that resolves every interval of a sampling table.
int resolving_pieces(int spans) {
    return spans * std::max(1, 16 / spans);
}

/// Inverts a cumulative distribution given at borders 1, 2, ... (0 at the first one) and linear
/// between them: kSamplingTableSize + 1 parameters. One lane of a pack.
void invert_marginal(const std::vector<double>& borders,
                     const double* cumulative,
                     int64_t num_lanes,
                     double total,
                     float* table) {
    const size_t num_nodes = borders.size() - 1;
    const auto step = static_cast<size_t>(num_lanes);
    size_t i = 0;
    double before = 0.0;
    double after = cumulative[0];
    for (int k = 0; k <= kSamplingTableSize; ++k) {
        const double wanted = total * k / kSamplingTableSize;
        while (i + 1 < num_nodes && after < wanted) {
            before = after;
            after = cumulative[++i * step];
        }
        const double share = (wanted - before) / (after - before);
        table[k] = static_cast<float>(
            std::clamp(borders[i] + share * (borders[i + 1] - borders[i]), 0.0, 1.0));
    }
    table[0] = 0.0f;
    table[kSamplingTableSize] = 1.0f;
}

}  // namespace

SplineFacets::Axis::Axis(int n, int p) : num_control_points(n), degree(p) {
    const QuadratureNodes nodes = quadrature_nodes(resolving_pieces(n - p));
    weights = nodes.weight;
    for (const double t : nodes.position) bspline_basis<0>(t, n, p, at_nodes.emplace_back());
    double border = 0.0;
    borders.push_back(border);
    for (const double weight : weights) borders.push_back(border += weight);
    for (int i = 0; i < kGridSize; ++i) {
        bspline_basis<0>(
            static_cast<double>(i) / (kGridSize - 1), n, p, on_grid[static_cast<size_t>(i)]);
    }
}

SplineFacets::SplineFacets(int num_u, int num_v, int degree_u, int degree_v)
    : u_(num_u, degree_u), v_(num_v, degree_v) {}

SplineAxis SplineFacets::Axis::view() const {
    return {num_control_points,
            degree,
            static_cast<int>(weights.size()),
            weights.data(),
            at_nodes.data(),
            on_grid.data()};
}

size_t SplineFacets::num_control_values() const {
    return size_t{3} * static_cast<size_t>(u_.num_control_points) *
           static_cast<size_t>(v_.num_control_points);
}

void SplineFacets::areas_and_tables(std::span<const double* const> control_points,
                                    double* areas,
                                    float* const* tables,
                                    InstructionSet set) const {
    const FacetPackFunctions pack = select_functions(set).facet_pack;
    PackMemory workspace(num_control_values() + 6 * static_cast<size_t>(v_.num_control_points),
                         pack.num_lanes);
    PackMemory area(1, pack.num_lanes);
    PackMemory cumulative_u(u_.weights.size(), pack.num_lanes);
    PackMemory cumulative_v(v_.weights.size(), pack.num_lanes);
    for_each_pack(control_points.size(), pack.num_lanes, [&](size_t first, size_t count) {
        const double* lanes[kMaxPackLanes];
        for (size_t i = 0; i < kMaxPackLanes; ++i)
            lanes[i] = control_points[first + std::min(i, count - 1)];
        pack.integrate(u_.view(),
                       v_.view(),
                       lanes,
                       workspace.data(),
                       area.data(),
                       cumulative_u.data(),
                       cumulative_v.data());
        for (size_t i = 0; i < count; ++i) {
            const double total = areas[first + i] = area.data()[i];
            if (!(total > 0.0)) continue;
            float* table = tables[first + i];
            invert_marginal(u_.borders, cumulative_u.data() + i, pack.num_lanes, total, table);
            table += kSamplingTableSize + 1;
            invert_marginal(v_.borders, cumulative_v.data() + i, pack.num_lanes, total, table);
        }
    });
}

void SplineFacets::sample(std::span<const double* const> control_points,
                          FacetGrid* const* grids,
                          InstructionSet set) const {
    const FacetPackFunctions pack = select_functions(set).facet_pack;
    PackMemory workspace(num_control_values() + 6 * static_cast<size_t>(u_.num_control_points),
                         pack.num_lanes);
    FacetGrid spare;
    for_each_pack(control_points.size(), pack.num_lanes, [&](size_t first, size_t count) {
        const double* lanes[kMaxPackLanes];
        FacetGrid* targets[kMaxPackLanes];
        for (size_t i = 0; i < kMaxPackLanes; ++i) {
            lanes[i] = control_points[first + std::min(i, count - 1)];
            targets[i] = i < count ? grids[first + i] : &spare;
        }
        pack.sample(u_.view(), v_.view(), lanes, workspace.data(), targets);
    });
}

void fit_patches(std::span<const FacetGrid> grids, BentPatch* patches, InstructionSet set) {
    const FacetPackFunctions pack = select_functions(set).facet_pack;
    PackMemory workspace(size_t{3} * kGridSamples, pack.num_lanes);
    BentPatch spare;
    for_each_pack(grids.size(), pack.num_lanes, [&](size_t first, size_t count) {
        const FacetGrid* lanes[kMaxPackLanes];
        BentPatch* targets[kMaxPackLanes];
        for (size_t i = 0; i < kMaxPackLanes; ++i) {
            lanes[i] = &grids[first + std::min(i, count - 1)];
            targets[i] = i < count ? patches + first + i : &spare;
        }
        pack.fit(lanes, workspace.data(), targets);
    });
}

}  // namespace helioray::kernels

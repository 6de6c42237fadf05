// SPDX-License-Identifier: MIT
// The rectangles of all heliostats of the field, aligned where they are active.
#include "raytracer/artist/blockers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tensor.h>

#include <map>

namespace helioray::artist {

Rectangles field_rectangles(const Scenario& scenario,
                            const ArtistRun& run,
                            const std::vector<Group>& groups,
                            const std::vector<Alignment>& alignments,
                            SurfaceStore& surfaces) {
    std::vector<at::Tensor> corners;
    for (size_t g = 0; g < groups.size(); ++g) {
        const at::Tensor index = corner_indices(num_points(scenario, groups[g], run));
        std::map<size_t, int64_t> row_of;
        for (const size_t s : groups[g].samples) {
            row_of.emplace(run.samples[s].heliostat, static_cast<int64_t>(row_of.size()));
        }
        for (const size_t h : groups[g].heliostats) {
            const at::Tensor flat = surfaces.sample(h).points.index_select(0, index);
            const auto row = row_of.find(h);
            if (row != row_of.end()) {
                const at::Tensor turned =
                    flat.matmul(alignments[g].orientation.select(0, row->second).t());
                corners.push_back(turned.narrow(1, 0, 3));
            } else {
                const Vec3& p = scenario.heliostats[h].position;
                corners.push_back(flat.narrow(1, 0, 3) + at::tensor({static_cast<float>(p[0]),
                                                                     static_cast<float>(p[1]),
                                                                     static_cast<float>(p[2])}));
            }
        }
    }
    return make_rectangles(at::stack(corners).contiguous());
}

}  // namespace helioray::artist

// SPDX-License-Identifier: MIT
// Records of surfaces.
#include "raytracer/physical/surface_records.h"

#include "raytracer/parallel_for.h"

#include <utility>

namespace helioray::physical {

namespace {

struct Missing {
    SurfaceRequest request;
    SurfaceRecords records;
};

}  // namespace

void add_surface_records(const std::vector<SurfaceRequest>& requests,
                         KnownSurfaces& known,
                         int num_threads) {
    // Each surface once, with all that is asked of it and what is known of it already.
    std::vector<Missing> missing;
    std::unordered_map<const Surface*, size_t> index;
    for (const SurfaceRequest& request : requests) {
        const auto found = known.find(request.surface);
        const bool has_facets = found != known.end() && found->second->facets.has_value();
        const bool has_shape = found != known.end() && found->second->shape.has_value();
        if ((has_facets || !request.facets) && (has_shape || !request.shape)) continue;
        const auto [place, is_new] = index.try_emplace(request.surface, missing.size());
        if (is_new) {
            missing.push_back({{request.surface, false, false}, {}});
            if (found != known.end()) missing.back().records = *found->second;
        }
        SurfaceRequest& wanted = missing[place->second].request;
        wanted.facets = wanted.facets || (request.facets && !has_facets);
        wanted.shape = wanted.shape || (request.shape && !has_shape);
    }

    parallel_for(missing.size(), num_threads, [&](size_t i) {
        auto& [request, records] = missing[i];
        if (request.facets) records.facets = facet_records(*request.surface);
        if (request.shape) records.shape = mirror_shape(*request.surface);
    });
    for (Missing& one : missing)
        known[one.request.surface] = std::make_shared<const SurfaceRecords>(std::move(one.records));
}

}  // namespace helioray::physical

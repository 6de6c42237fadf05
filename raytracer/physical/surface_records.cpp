// SPDX-License-Identifier: MIT
// Records of surfaces.
#include "raytracer/physical/surface_records.h"

#include "raytracer/parallel_for.h"

#include <algorithm>
#include <span>
#include <utility>

namespace helioray::physical {

namespace {

struct Missing {
    SurfaceRequest request;
    SurfaceRecords records;
};

/// Surfaces that a thread computes at once: facets of several fill the lanes of vectors, and few
/// enough stay in a processor's own memory. Fewer where threads would have none.
size_t surfaces_per_part(size_t num_surfaces, int num_threads) {
    constexpr size_t kMost = 8;
    const auto threads = static_cast<size_t>(std::max(1, num_threads));
    return std::clamp<size_t>((num_surfaces + threads - 1) / threads, 1, kMost);
}

/// Those of the surfaces that a member of the request asks for.
std::vector<Missing*> asked_for(std::span<Missing> missing, bool SurfaceRequest::*what) {
    std::vector<Missing*> chosen;
    for (Missing& one : missing) {
        if (one.request.*what) chosen.push_back(&one);
    }
    return chosen;
}

std::vector<const Surface*> surfaces_of(const std::vector<Missing*>& chosen) {
    std::vector<const Surface*> surfaces;
    for (const Missing* one : chosen) surfaces.push_back(one->request.surface);
    return surfaces;
}

void compute(std::span<Missing> missing, const SplineBases& bases) {
    const std::vector<Missing*> facets = asked_for(missing, &SurfaceRequest::facets);
    std::vector<FacetRecords> records = facet_records(surfaces_of(facets), bases);
    for (size_t i = 0; i < facets.size(); ++i) facets[i]->records.facets = std::move(records[i]);
    const std::vector<Missing*> shaped = asked_for(missing, &SurfaceRequest::shape);
    std::vector<MirrorShape> shapes = mirror_shapes(surfaces_of(shaped), bases);
    for (size_t i = 0; i < shaped.size(); ++i) shaped[i]->records.shape = std::move(shapes[i]);
}

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

    std::vector<const Surface*> surfaces;
    for (const Missing& one : missing) surfaces.push_back(one.request.surface);
    const SplineBases bases(surfaces);
    const size_t part = surfaces_per_part(missing.size(), num_threads);
    parallel_for((missing.size() + part - 1) / part, num_threads, [&](size_t i) {
        const size_t first = i * part;
        compute(std::span(missing).subspan(first, std::min(part, missing.size() - first)), bases);
    });
    for (Missing& one : missing)
        known[one.request.surface] = std::make_shared<const SurfaceRecords>(std::move(one.records));
}

}  // namespace helioray::physical

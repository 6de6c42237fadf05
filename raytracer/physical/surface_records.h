// SPDX-License-Identifier: MIT
// What a trace needs to know of surfaces, wherever their mirrors stand: areas, sampling tables and
// shapes, which cost more than all else that is made before rays are traced.
#pragma once

#include "kernels/trace_types.h"
#include "raytracer/physical/occlusion/mirror_shape.h"
#include "raytracer/physical/spline_bases.h"
#include "scenario/types.h"

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace helioray::physical {

/// Facets of one surface as the kernels read them.
struct FacetRecords {
    std::vector<kernels::FacetRecord> facets;  ///< offsets count from the begin of floats
    std::vector<float> floats;                 ///< control points and sampling tables
    double area = 0.0;                         ///< square metres, of all facets
};

/// Throws InputError for a facet without area, naming it.
FacetRecords facet_records(const Surface& surface);

/// The same of several surfaces, in their order, which takes less time than each alone; `bases` are
/// those of the surfaces. Equal bits however surfaces are divided over calls.
std::vector<FacetRecords> facet_records(std::span<const Surface* const> surfaces,
                                        const SplineBases& bases);

/// Of one surface, as far as they were asked for.
struct SurfaceRecords {
    std::optional<FacetRecords> facets;
    std::optional<MirrorShape> shape;  ///< for shading and blocking
};

/// Records by surface. Surfaces must outlive them and never change.
using KnownSurfaces = std::unordered_map<const Surface*, std::shared_ptr<const SurfaceRecords>>;

/// What is wanted of a surface.
struct SurfaceRequest {
    const Surface* surface = nullptr;
    bool facets = true;
    bool shape = true;
};

/// Adds what is not known yet, each surface once, on num_threads threads; equal bits for any number
/// of them. Throws InputError for a facet without area, naming it.
void add_surface_records(const std::vector<SurfaceRequest>& requests,
                         KnownSurfaces& known,
                         int num_threads);

}  // namespace helioray::physical

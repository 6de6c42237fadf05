// SPDX-License-Identifier: MIT
// Everything that a trace needs of surfaces, wherever their mirrors stand (areas, sampling tables
// and shapes, which cost more than all else that is made before rays are traced), and the facets
// of a field.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/physical/occlusion/mirror_shape.h"
#include "raytracer/physical/spline_bases.h"
#include "scenario/types.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
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

/// Which records of a surface are requested.
struct SurfaceRequest {
    const Surface* surface = nullptr;
    bool facets = true;
    bool shape = true;
};

/// Adds the records that are not known yet, each surface once, on num_threads threads; equal bits
/// for any number of them. Throws InputError for a facet without area, naming it.
void add_surface_records(const std::vector<SurfaceRequest>& requests,
                         KnownSurfaces& known,
                         int num_threads);

/// Facets of the mirrors in use, and the floats that they and others refer to. Mirrors that share
/// records share a place; a new mirror takes the place of an unused one.
class FacetStore {
  public:
    /// Facets of one mirror.
    struct Range {
        int32_t first = 0;
        int32_t count = 0;
        double area = 0.0;  ///< square metres, of all its facets
    };

    /// num_shared: how many floats at the beginning belong to no mirror.
    explicit FacetStore(size_t num_shared) : floats_(num_shared), num_shared_(num_shared) {}
    std::span<float> shared_floats() { return {floats_.data(), num_shared_}; }

    /// The mirror's place; one user more. The records are known by their address and must live
    /// until they are released.
    Range acquire(const FacetRecords& records);
    /// One user less.
    void release(const FacetRecords& records);

    const std::vector<kernels::FacetRecord>& facets() const { return facets_; }
    const std::vector<float>& floats() const { return floats_; }

  private:
    struct Place {
        Range range;
        int64_t first_float = 0;
        int64_t users = 0;
    };

    std::vector<kernels::FacetRecord> facets_;
    std::vector<float> floats_;  ///< shared ones, then control points and sampling tables
    size_t num_shared_;
    std::unordered_map<const FacetRecords*, Place> places_;
    std::map<std::pair<size_t, size_t>, std::vector<Place>> free_;  ///< by facets and floats
};

}  // namespace helioray::physical

// SPDX-License-Identifier: MIT
// Records of surfaces that do not depend on the poses of their mirrors (areas, sampling tables and
// shapes, which are the most expensive part of the preparation), and the facets of a field.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/physical/occlusion/mirror_shape.h"
#include "raytracer/tracing/physical/spline_bases.h"
#include "scenario/types/types.h"

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace helioray::physical {

/// Facets of one surface in the form that the kernels read.
struct FacetRecords {
    /// Facet records; offsets count from the start of `floats`.
    std::vector<kernels::FacetRecord> facets;
    std::vector<float> floats;  ///< control points and sampling tables
    double area = 0.0;          ///< area of all facets, m2
};

/// Returns the records of a surface. Throws InputError for a facet without area, naming it.
FacetRecords facet_records(const Surface& surface);

/// Returns the records of several surfaces in their order, which is faster than one call per
/// surface. `bases` must contain the basis functions of the surfaces. The result does not depend on
/// how the surfaces are divided over calls, to the last bit.
std::vector<FacetRecords> facet_records(std::span<const Surface* const> surfaces,
                                        const SplineBases& bases);

/// Requested records of one surface.
struct SurfaceRecords {
    std::optional<FacetRecords> facets;
    std::optional<MirrorShape> shape;  ///< for shading and blocking
};

/// Records by surface. Surfaces must outlive them and never change.
using KnownSurfaces = std::unordered_map<const Surface*, std::shared_ptr<const SurfaceRecords>>;

/// Selects the records of a surface to build.
struct SurfaceRequest {
    const Surface* surface = nullptr;
    bool facets = true;
    bool shape = true;
};

/// Adds the records that are not known yet, each surface once, with num_threads threads. The
/// records do not depend on the number of threads. Throws InputError for a facet without area,
/// naming it.
void add_surface_records(const std::vector<SurfaceRequest>& requests,
                         KnownSurfaces& known,
                         int num_threads);

/// Facets of the mirrors in use, and the floats to which they and other records refer. Mirrors with
/// shared records share an entry; a new mirror reuses the space of an unused one.
class FacetStore {
  public:
    /// Facets of one mirror.
    struct Range {
        int32_t first = 0;
        int32_t count = 0;
        double area = 0.0;  ///< area of all facets of the mirror, m2
    };

    /// Creates a store. num_shared: number of floats at the beginning that belong to no mirror.
    explicit FacetStore(size_t num_shared) : floats_(num_shared), num_shared_(num_shared) {}
    std::span<float> shared_floats() { return {floats_.data(), num_shared_}; }

    /// Adds a user of the records and returns the range of their facets. Records are identified by
    /// their address and must exist until they are released.
    Range acquire(const FacetRecords& records);
    /// Removes a user of the records.
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
    std::vector<float> floats_;  ///< shared floats, then control points and sampling tables
    size_t num_shared_;
    std::unordered_map<const FacetRecords*, Place> places_;
    /// Unused entries by number of facets and floats.
    std::map<std::pair<size_t, size_t>, std::vector<Place>> free_;
};

}  // namespace helioray::physical

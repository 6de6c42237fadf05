// SPDX-License-Identifier: MIT
// Facets of a field: those of its mirrors, one after the other.
#pragma once

#include "raytracer/physical/surface_records.h"

#include <map>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace helioray::physical {

/// The kernels' name of a shape.
kernels::FacetKind facet_kind(FacetShape shape);

/// Facets of the mirrors in use, and the floats that they and others refer to. Mirrors that share
/// records share a place; a new mirror takes the place of one that nobody uses any more.
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

// SPDX-License-Identifier: MIT
// Facets of a field: those of its surfaces, one after the other.
#pragma once

#include "raytracer/physical/surface_records.h"

#include <map>
#include <vector>

namespace helioray::physical {

/// The kernels' name of a shape.
kernels::FacetKind facet_kind(FacetShape shape);

/// Facets of the surfaces seen so far; heliostats that share a surface share its records.
class FacetStore {
  public:
    struct Range {
        int32_t first = 0;
        int32_t count = 0;
        double area = 0.0;  ///< square metres, of all its facets
    };

    /// Adds the surface's records unless they are there.
    Range add(const Surface& surface, const FacetRecords& records);

    std::vector<kernels::FacetRecord> facets;
    std::vector<float> floats;  ///< control points and sampling tables

  private:
    std::map<const Surface*, Range> ranges_;
};

}  // namespace helioray::physical

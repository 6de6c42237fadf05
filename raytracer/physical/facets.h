// SPDX-License-Identifier: MIT
// Facet records of a surface: frames, areas and sampling tables.
#pragma once

#include "kernels/trace_types.h"
#include "scenario/types.h"

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

    /// Adds the surface unless it is there. Throws InputError for a facet without area, naming it.
    Range add(const Surface& surface);

    std::vector<kernels::FacetRecord> facets;
    std::vector<float> floats;  ///< control points and sampling tables

  private:
    std::map<const Surface*, Range> ranges_;
};

}  // namespace helioray::physical

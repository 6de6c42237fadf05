// SPDX-License-Identifier: MIT
// Basis functions of B-spline facets, shared by facets with the same number of control points.
#pragma once

#include "kernels/spline_facets.h"
#include "scenario/types/types.h"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace helioray::physical {

/// Basis functions for every number of control points and degree of some facets. Immutable, so
/// threads may share it.
class SplineBases {
  public:
    /// Computes the basis functions of the surfaces' B-splines, except those of a degree above 7.
    explicit SplineBases(std::span<const Surface* const> surfaces);

    /// Returns the basis functions of a B-spline facet of these surfaces. Throws InputError like
    /// check_degrees().
    const kernels::SplineFacets& find(const Facet& facet) const;

  private:
    std::map<std::array<int64_t, 4>, kernels::SplineFacets> bases_;
};

/// Groups B-spline facets by their basis functions. Result is the type computed for each facet.
template <typename Result>
class SplineGroups {
  public:
    explicit SplineGroups(const SplineBases& bases) : bases_(bases) {}

    /// Adds a facet; for_each() passes `result` on with it. Throws InputError like check_degrees().
    void add(const Facet& facet, Result result) {
        Group& group = groups_[&bases_.find(facet)];
        group.control_points.push_back(facet.control_points.data());
        group.results.push_back(result);
    }

    /// Calls function(basis functions, control points of the facets, their results) for each group.
    template <typename Function>
    void for_each(Function function) const {
        for (const auto& [basis, group] : groups_)
            function(*basis, std::span(group.control_points), std::span(group.results));
    }

  private:
    struct Group {
        std::vector<const double*> control_points;
        std::vector<Result> results;
    };

    const SplineBases& bases_;
    std::map<const kernels::SplineFacets*, Group> groups_;
};

}  // namespace helioray::physical

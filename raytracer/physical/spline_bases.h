// SPDX-License-Identifier: MIT
// The basis functions of B-spline facets, shared by all that have equally many control points.
#pragma once

#include "kernels/spline_facets.h"
#include "scenario/types.h"

#include <array>
#include <map>
#include <span>
#include <vector>

namespace helioray::physical {

/// Basis functions for every number of control points and degree among some facets. Never changes,
/// so threads may share it.
class SplineBases {
  public:
    /// For the B-splines of the surfaces; those of a degree above 7 are left out.
    explicit SplineBases(std::span<const Surface* const> surfaces);

    /// Of a B-spline facet of these surfaces; throws InputError as check_degrees.
    const kernels::SplineFacets& of(const Facet& facet) const;

  private:
    std::map<std::array<int64_t, 4>, kernels::SplineFacets> bases_;
};

/// B-spline facets in groups with equal basis functions; Result is the type computed for each.
template <typename Result>
class SplineGroups {
  public:
    explicit SplineGroups(const SplineBases& bases) : bases_(bases) {}

    /// `result` is handed on with the facet. Throws InputError as check_degrees.
    void add(const Facet& facet, Result result) {
        Group& group = groups_[&bases_.of(facet)];
        group.control_points.push_back(facet.control_points.data());
        group.results.push_back(result);
    }

    /// Calls function(basis functions, control points of the facets, their results) per group.
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

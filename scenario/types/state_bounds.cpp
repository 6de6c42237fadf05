// SPDX-License-Identifier: MIT
// Finds the largest values of a table of states.
#include "scenario/types/state_bounds.h"

#include <algorithm>

namespace helioray {

namespace {

/// Adds the values of a name's rows, and `common` if some time has none.
std::optional<double> largest_of_rows(const StateConfig& state,
                                      const std::string& name,
                                      std::optional<double> MirrorState::*member,
                                      double common) {
    const auto rows = state.rows.find(name);
    if (rows == state.rows.end()) return std::nullopt;
    bool has_gap = rows->second.begin()->first != INT64_MIN;
    std::optional<double> largest;
    for (const auto& [instant, row] : rows->second) {
        const std::optional<double>& value = row.*member;
        has_gap = has_gap || !value;
        if (value) largest = std::max(largest.value_or(*value), *value);
    }
    return has_gap ? std::max(largest.value_or(common), common) : largest;
}

}  // namespace

double largest_value(const StateConfig& state,
                     const std::string& name,
                     std::optional<double> MirrorState::*member,
                     double common) {
    const double of_all = largest_of_rows(state, "", member, common).value_or(common);
    return name.empty() ? of_all : largest_of_rows(state, name, member, of_all).value_or(of_all);
}

}  // namespace helioray

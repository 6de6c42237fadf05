// SPDX-License-Identifier: MIT
// Finds the states that are in force at an instant.
#include "scenario/types/heliostat_state.h"

#include <algorithm>
#include <iterator>

namespace helioray {

namespace {

/// Returns the latest row of a name up to an instant, or null.
const MirrorState* find_row(const StateConfig& state,
                            const std::string& name,
                            std::int64_t instant) {
    const auto rows = state.rows.find(name);
    if (rows == state.rows.end()) return nullptr;
    const auto next = rows->second.upper_bound(instant);
    return next == rows->second.begin() ? nullptr : &std::prev(next)->second;
}

template <typename T>
void complete(std::optional<T>& member, const std::optional<T>& other) {
    if (!member) member = other;
}

}  // namespace

bool StateConfig::has_times() const {
    return std::any_of(rows.begin(), rows.end(), [](const auto& of_name) {
        return of_name.second.size() > 1 || of_name.second.begin()->first != INT64_MIN;
    });
}

MirrorState state_at(const StateConfig& state, const std::string& name, std::int64_t instant) {
    const MirrorState* const own = find_row(state, name, instant);
    const MirrorState* const all = find_row(state, "", instant);
    if (!own) return all ? *all : MirrorState{};
    MirrorState found = *own;
    if (!all) return found;
    complete(found.reflectivity, all->reflectivity);
    complete(found.soiling, all->soiling);
    complete(found.slope_error, all->slope_error);
    complete(found.specularity_error, all->specularity_error);
    for (size_t axis = 0; axis < 2; ++axis)
        complete(found.tracking_bias[axis], all->tracking_bias[axis]);
    complete(found.tracking_error, all->tracking_error);
    complete(found.available, all->available);
    // An aim point belongs to its target.
    if (!found.target) complete(found.point, all->point);
    complete(found.target, all->target);
    complete(found.dni_share, all->dni_share);
    return found;
}

}  // namespace helioray

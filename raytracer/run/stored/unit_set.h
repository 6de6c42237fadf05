// SPDX-License-Identifier: MIT
// Sets of work units of a job.
#pragma once

#include "kernels/host/partition.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace helioray::run {

/// A set of work units as half-open ranges.
class UnitSet {
  public:
    using Range = std::pair<std::int64_t, std::int64_t>;  ///< [begin, end)

    /// Adds a range of units, none of which may be in the set.
    void add(Range range) {
        if (range.first >= range.second) return;
        auto at = std::lower_bound(ranges_.begin(), ranges_.end(), range);
        if (at != ranges_.end() && at->first == range.second) {
            range.second = at->second;
            at = ranges_.erase(at);
        }
        if (at != ranges_.begin() && std::prev(at)->second == range.first) {
            std::prev(at)->second = range.second;
        } else {
            ranges_.insert(at, range);
        }
    }

    /// Returns the ranges, ascending and separated.
    const std::vector<Range>& ranges() const { return ranges_; }

    /// Returns the parts of the ranges that lie in [begin, end).
    std::vector<Range> within(Range range) const {
        return range_without(range, range_without(range, ranges_));
    }

    /// Returns true if the sets have a unit in common.
    bool overlaps(const UnitSet& other) const {
        return std::any_of(other.ranges_.begin(), other.ranges_.end(), [&](const Range& range) {
            return !within(range).empty();
        });
    }

    /// Returns one past the last unit; 0 for an empty set.
    std::int64_t end() const { return ranges_.empty() ? 0 : ranges_.back().second; }

  private:
    std::vector<Range> ranges_;
};

}  // namespace helioray::run

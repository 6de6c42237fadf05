// SPDX-License-Identifier: MIT
// Which work units of a job are traced.
#pragma once

#include "kernels/partition.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace helioray::run {

/// A set of work units as half-open ranges.
class UnitSet {
  public:
    using Range = std::pair<std::int64_t, std::int64_t>;  ///< [begin, end)

    /// Adds units of which the set holds none.
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

    /// Its ranges, ascending and apart from each other.
    const std::vector<Range>& ranges() const { return ranges_; }

    /// Those of [begin, end).
    std::vector<Range> within(Range range) const {
        return range_without(range, range_without(range, ranges_));
    }

    /// Whether it holds a unit of another set.
    bool overlaps(const UnitSet& other) const {
        return std::any_of(other.ranges_.begin(), other.ranges_.end(), [&](const Range& range) {
            return !within(range).empty();
        });
    }

    /// One past its last unit; 0 for an empty set.
    std::int64_t end() const { return ranges_.empty() ? 0 : ranges_.back().second; }

  private:
    std::vector<Range> ranges_;
};

}  // namespace helioray::run

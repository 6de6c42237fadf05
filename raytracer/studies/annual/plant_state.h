// SPDX-License-Identifier: MIT
// Soiling, washing and outages of heliostats on the days of a year.
#pragma once

#include "scenario/types/heliostat_state.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace helioray {

/// State of heliostats day by day. Days are counted from 1970-01-01.
///
/// Soiling is constant during a day: `washed_to` on the day of washing, and higher by
/// `soiling_per_day` on each following day, at most 1. Before the first day, washing went on in the
/// same way; without washing, the mirrors are clean on the first day. A washing reaches a fraction
/// of the heliostats, in their order in the scenario, and the next washing goes on from there.
///
/// Outages last whole days. On each day a heliostat in order fails with one probability and a
/// heliostat out of order is repaired with another one, so that outages have the configured mean
/// duration and share of the days; the first day has the configured share as well.
class PlantState {
  public:
    /// heliostats: indices of the heliostats in the scenario, which has `num_in_scenario`. The
    /// state of a heliostat depends only on its index, the configuration and the days.
    PlantState(const StateConfig& config,
               std::vector<std::size_t> heliostats,
               std::size_t num_in_scenario,
               std::int64_t first_day,
               std::int64_t last_day);

    /// Returns the number of heliostats.
    std::size_t num_heliostats() const { return heliostats_.size(); }
    /// Returns the fraction of the reflectivity that soiling leaves. heliostat: index in the list
    /// of the constructor.
    double clean_share(std::size_t heliostat, std::int64_t day) const;
    /// Returns false on days on which the heliostat is out of order.
    bool is_available(std::size_t heliostat, std::int64_t day) const;

    double mean_soiling() const;  ///< Returns the mean over heliostats and days
    double outage_share() const;  ///< Returns the fraction of the heliostats' days with outages

  private:
    std::size_t num_days() const { return static_cast<std::size_t>(last_day_ - first_day_ + 1); }
    void draw_outages();

    StateConfig config_;
    std::vector<std::size_t> heliostats_;
    std::size_t num_in_scenario_;
    std::int64_t first_day_;
    std::int64_t last_day_;
    std::vector<bool> is_out_;  ///< [heliostats, days]; empty without outages
};

}  // namespace helioray

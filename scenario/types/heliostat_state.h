// SPDX-License-Identifier: MIT
// State of the heliostats: what single heliostats have instead of the settings of the whole field,
// from a table by name and time, and how soiling, washing and outages go on over a year.
#pragma once

#include "scenario/types/vector_math.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace helioray {

/// State of one heliostat. Members that are not set leave the setting of the configuration in
/// force.
struct MirrorState {
    std::optional<double> reflectivity;       ///< reflected fraction of the power, clean mirror
    std::optional<double> soiling;            ///< fraction of the reflectivity that soiling takes
    std::optional<double> slope_error;        ///< standard deviation about each tangent, radians
    std::optional<double> specularity_error;  ///< standard deviation about each axis, radians
    /// Constant tracking error of axis 1 and axis 2 of the drive, radians.
    std::array<std::optional<double>, 2> tracking_bias;
    std::optional<double> tracking_error;  ///< standard deviation per axis, radians
    std::optional<bool> available;         ///< false: the heliostat is not active
    std::optional<std::string> target;     ///< name of the target
    std::optional<Vec3> point;             ///< aim point, metres, ENU
    std::optional<double> dni_share;       ///< fraction of the irradiance that arrives
};

/// Days on which mirrors are washed.
enum class WashDay { never, monday, tuesday, wednesday, thursday, friday, saturday, sunday };

/// Section state of the configuration.
struct StateConfig {
    std::optional<std::filesystem::path> file;  ///< table of states
    /// Rows by name of the heliostat, an empty name for all heliostats, and by the instant from
    /// which they apply (milliseconds since 1970; the lowest number for rows without a time).
    std::map<std::string, std::map<std::int64_t, MirrorState>> rows;
    std::map<std::string, std::string> places;  ///< place of the first row of each name

    // The following members apply to years only.
    double soiling_per_day = 0.0;            ///< increase of the soiling per day
    WashDay wash_day = WashDay::never;       ///< day of the week on which mirrors are washed
    std::optional<std::int64_t> wash_after;  ///< days from one washing to the next
    double washed_share = 1.0;               ///< fraction of the heliostats in one washing
    double washed_to = 0.0;                  ///< soiling after washing
    double outage_share = 0.0;               ///< fraction of the days on which a heliostat is out
    double outage_days = 3.0;                ///< mean duration of an outage, days
    std::uint64_t outage_seed = 1;           ///< seed of the outages

    /// Returns true if there are rows that apply from a time on.
    bool has_times() const;
    /// Returns true if mirrors are washed.
    bool has_washing() const { return wash_day != WashDay::never || wash_after.has_value(); }
    /// Returns true if the state changes from day to day of a year.
    bool changes_over_year() const { return soiling_per_day > 0.0 || outage_share > 0.0; }
};

/// Returns the state of a heliostat at an instant: its latest row up to then, and for members that
/// this row does not set the latest row for all heliostats.
MirrorState state_at(const StateConfig& state, const std::string& name, std::int64_t instant);

}  // namespace helioray

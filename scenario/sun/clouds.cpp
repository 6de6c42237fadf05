// SPDX-License-Identifier: MIT
// Clouds by heliostat, and moving cloud maps.
#include "scenario/sun/clouds.h"

#include "scenario/files/error.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace helioray {

namespace {

/// Returns the position's time in milliseconds since 1970.
std::int64_t require_instant(const SunConfig& sun) {
    const std::string time = position_time(sun);
    if (!time.empty()) return milliseconds_of(parse_iso_time(time).normalised);
    throw InputError(Problem{"sun.clouds",
                             "the position of the sun has no time",
                             "these clouds change with it",
                             "give the position as sun.time or sun.times, or clouds that stand"});
}

/// Collects heliostats for which the file has no value.
class ClearHeliostats {
  public:
    void add(const Heliostat& heliostat) {
        if (count_++ == 0) first_ = heliostat.name;
    }
    void warn(const std::string& why,
              const Scenario& scenario,
              std::vector<std::string>& warnings) const {
        if (count_ == 0) return;
        warnings.push_back(
            fmt::format("sun.clouds.file: {} of {} heliostats {} and get all of the sunlight (the "
                        "first: '{}')",
                        count_,
                        scenario.heliostats.size(),
                        why,
                        first_));
    }

  private:
    size_t count_ = 0;
    std::string first_;
};

std::vector<double> shares_of_table(const SunConfig& sun,
                                    const Scenario& scenario,
                                    std::vector<std::string>& warnings) {
    const CloudConfig& clouds = *sun.clouds;
    auto rows = clouds.by_heliostat.begin();
    if (clouds.by_heliostat.size() > 1 || rows->first != INT64_MIN) {
        rows = clouds.by_heliostat.upper_bound(require_instant(sun));
        if (rows == clouds.by_heliostat.begin()) {
            throw InputError(Problem{
                "sun.clouds.file",
                fmt::format(
                    "'{}' has no row at {} or before", clouds.file.string(), position_time(sun)),
                "rows count from their time on",
                "add rows for this time"});
        }
        rows = std::prev(rows);
    }
    std::vector<double> shares(scenario.heliostats.size(), 1.0);
    ClearHeliostats clear;
    std::map<std::string, double> left = rows->second;
    for (size_t i = 0; i < shares.size(); ++i) {
        const auto own = left.find(scenario.heliostats[i].name);
        if (own == left.end()) {
            clear.add(scenario.heliostats[i]);
            continue;
        }
        shares[i] = own->second;
        left.erase(own);
    }
    if (left.empty()) {
        clear.warn("have no row in the table of clouds", scenario, warnings);
        return shares;
    }
    throw InputError(Problem{"sun.clouds.file",
                             fmt::format("the scenario has no heliostat '{}'", left.begin()->first),
                             "its share would be left out",
                             "check its name"});
}

std::vector<double> shares_of_map(const SunConfig& sun,
                                  const Scenario& scenario,
                                  std::vector<std::string>& warnings) {
    const CloudConfig& clouds = *sun.clouds;
    const bool moves = clouds.velocity != std::array<double, 2>{};
    const double seconds =
        moves ? 1e-3 * static_cast<double>(require_instant(sun) - *clouds.map_instant) : 0.0;
    std::vector<double> shares;
    ClearHeliostats clear;
    for (const Heliostat& heliostat : scenario.heliostats) {
        const double east = heliostat.position[0] - clouds.velocity[0] * seconds;
        const double north = heliostat.position[1] - clouds.velocity[1] * seconds;
        const std::optional<double> share = clouds.map->at(east, north);
        if (!share) clear.add(heliostat);
        shares.push_back(share.value_or(1.0));
    }
    clear.warn("are located beyond the map of clouds", scenario, warnings);
    return shares;
}

}  // namespace

std::vector<double> sunlit_shares(const SunConfig& sun,
                                  const Scenario& scenario,
                                  std::vector<std::string>& warnings) {
    if (!sun.clouds) return {};
    if (!sun.clouds->map && sun.clouds->by_heliostat.empty())
        throw InputError(Problem{"sun.clouds.file",
                                 "a map in an HDF5 file cannot be read here",
                                 sun.clouds->file.string(),
                                 "give the clouds as a CSV table"});
    return sun.clouds->map ? shares_of_map(sun, scenario, warnings)
                           : shares_of_table(sun, scenario, warnings);
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Numbers of every heliostat of a result, by the names that users know.
#pragma once

#include "raytracer/job/result.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// One number per heliostat.
struct HeliostatQuantity {
    /// The kind of the numbers, which decides their unit.
    enum class Kind {
        power,  ///< W (of a year J); also shown as a share of solar_power
        share,  ///< of 1
    };

    std::string name;   ///< "efficiency", "cosine_loss"; as in result files where these have it
    std::string title;  ///< "Efficiency", "Cosine loss"
    std::string description;                              ///< one sentence
    Kind kind = Kind::power;                              ///< unit of `value`
    std::function<double(const HeliostatResult&)> value;  ///< W or a share, after `kind`

    /// The value as a share of the heliostat's solar_power; NaN for one without sun.
    double share(const HeliostatResult& heliostat) const;
};

/// efficiency (target_power / solar_power), the energy terms in the order of energy_term_infos(),
/// and target_power_std_error.
const std::vector<HeliostatQuantity>& heliostat_quantities();

/// The quantity of a name; "_loss", "_power" and "_energy" may be left out ("cosine", "target").
/// Throws InputError for an unknown name; `where` says where it was given.
const HeliostatQuantity& heliostat_quantity(
    const std::string& name,
    const std::string& where,
    const std::vector<HeliostatQuantity>& among = heliostat_quantities());

/// The unit of the energy terms of a result: "W", "J" for those of a year, or "1" for ARTIST's rays
/// without a power.
std::string energy_unit(const RunResult& result);

}  // namespace helioray

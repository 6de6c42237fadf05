// SPDX-License-Identifier: MIT
// Quantities of every heliostat of a result, by the names that users know.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <functional>
#include <string>
#include <vector>

namespace helioray {

/// A quantity with one number per heliostat.
struct HeliostatQuantity {
    /// Kind of the numbers, which determines their unit.
    enum class Kind {
        /// Power in W (energy in J for a year); can also be shown as a fraction of solar_power.
        power,
        share,  ///< fraction, from 0 to 1
    };

    /// Name, "efficiency" or "cosine_loss"; equal to the name in result files, if stored there.
    std::string name;
    std::string title;        ///< title, "Efficiency" or "Cosine loss"
    std::string description;  ///< description, one sentence
    Kind kind = Kind::power;  ///< kind of the numbers
    /// Value in W or a fraction, depending on `kind`.
    std::function<double(const HeliostatResult&)> value;

    /// Returns the value as a fraction of the heliostat's solar_power; NaN for a heliostat without
    /// sun.
    double share(const HeliostatResult& heliostat) const;
};

/// Returns a name in words: "cosine loss" for "cosine_loss".
std::string with_spaces(std::string name);

/// Returns a name as a title: "Cosine loss", or "Standard error of x" for "x_std_error".
std::string title_of(const std::string& name);

/// Returns efficiency (target_power / solar_power) and the numbers in W or "1" of
/// heliostat_columns(): energy terms and target_power_std_error.
const std::vector<HeliostatQuantity>& heliostat_quantities();

/// Returns the quantity of a name, in which "_loss", "_power" and "_energy" may be omitted
/// ("cosine", "target"). Throws InputError for an unknown name; `where` is the place of the name in
/// the message.
const HeliostatQuantity& heliostat_quantity(
    const std::string& name,
    const std::string& where,
    const std::vector<HeliostatQuantity>& among = heliostat_quantities());

/// Returns the unit of the energy terms of a result: "W", "J" for those of a year, or "1" for
/// ARTIST's rays without a power.
std::string energy_unit(const RunResult& result);

}  // namespace helioray

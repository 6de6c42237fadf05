// SPDX-License-Identifier: MIT
// The columns of a sweep that its tables, summaries and reports have in common, declared once.
#pragma once

#include "raytracer/studies/sweep/sweep.h"
#include "scenario/files/columns.h"
#include "scenario/files/visit_members.h"

#include <array>
#include <stdexcept>
#include <string>

namespace helioray::sweep {

/// Name of the column of the efficiency.
inline constexpr const char* kEfficiency = "efficiency";
/// Name of the column of its standard error.
inline constexpr const char* kEfficiencyError = "efficiency_std_error";

/// Dimension of a number, which determines its unit.
enum class Dimension { power, flux, area };

/// Returns the unit of a number. energy_unit: SweepRow::energy_unit.
inline std::string unit_of(Dimension dimension, const std::string& energy_unit) {
    if (dimension == Dimension::area) return "m2";
    return dimension == Dimension::flux && energy_unit == "W" ? "W/m2" : energy_unit;
}

/// A number of each target, a column for each target of the sweep.
struct TargetNumber {
    const char* name;             ///< name without unit
    Dimension dimension;          ///< dimension of the number
    const char* description;      ///< one sentence
    double SweepTarget::*member;  ///< member that holds its value

    /// Returns the beginning of the columns' names: "power_w:".
    std::string prefix(const std::string& energy_unit) const {
        return name + unit_ending(unit_of(dimension, energy_unit)) + ":";
    }
};

/// All numbers of targets in the order of the table.
inline constexpr std::array kTargetNumbers{
    TargetNumber{"power", Dimension::power, "Power on the target.", &SweepTarget::power},
    TargetNumber{"power_std_error",
                 Dimension::power,
                 "Standard error of the power on the target.",
                 &SweepTarget::power_std_error},
    TargetNumber{"peak_flux",
                 Dimension::flux,
                 "Largest flux on the target without noise.",
                 &SweepTarget::peak_flux},
    TargetNumber{"peak_flux_std_error",
                 Dimension::flux,
                 "Standard error of the peak flux.",
                 &SweepTarget::peak_flux_std_error},
    TargetNumber{
        "peak_area", Dimension::area, "Area that measures the peak flux.", &SweepTarget::peak_area},
    TargetNumber{"peak_pixel",
                 Dimension::flux,
                 "Largest pixel on the target, raised by the noise of the rays.",
                 &SweepTarget::peak_pixel}};
static_assert(count_members<SweepTarget>() == kTargetNumbers.size() + 1,
              "a new member of SweepTarget needs its row in kTargetNumbers");

/// Returns the number that a member of SweepTarget holds.
consteval TargetNumber target_number(double SweepTarget::*member) {
    for (const TargetNumber& number : kTargetNumbers)
        if (number.member == member) return number;
    throw std::logic_error("no row of kTargetNumbers has this member");
}

}  // namespace helioray::sweep

// SPDX-License-Identifier: MIT
// The yield of a year from a series of sun positions and the sunlight of that year.
#pragma once

#include "raytracer/annual/irradiance.h"
#include "raytracer/annual/sky_grid.h"
#include "raytracer/results/series.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helioray {

/// One number per month, January first.
using Months = std::array<double, 12>;

/// Short names of the months, for tables and pictures.
inline constexpr std::array<const char*, 12> kMonthNames{
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/// The name of an energy term of a year: "solar_energy" for "solar_power"; losses keep their names.
inline std::string energy_name(const std::string& term) {
    constexpr std::string_view kPower = "_power";
    return term.ends_with(kPower) ? term.substr(0, term.size() - kPower.size()) + "_energy" : term;
}

/// An energy in J with its errors.
struct YearEnergy {
    double value = 0.0;  ///< J; the sum of `months`
    /// From the finite number of rays: the sum of the positions' standard errors, because all of
    /// them share their random numbers; an upper limit.
    double std_error = 0.0;
    /// From the finite number of sun positions: how much the sum changes when every second
    /// declination is left out, plus the same for hour angles. An upper limit where these converge.
    double quadrature_error = 0.0;
    Months months{};  ///< J, its parts
};

/// A year of one heliostat.
struct AnnualHeliostat {
    std::string name;      ///< as in the scenario
    std::string target;    ///< name of the target it serves
    EnergyTerms energy;    ///< the energy terms in J, not W
    YearEnergy on_target;  ///< energy.target_power with its errors and months
};

/// A year of one target.
struct AnnualTarget {
    std::string name;   ///< as in the scenario
    YearEnergy energy;  ///< incident on it
};

/// The energy that a field collects in a year. Start, shut-down and defocusing of receivers are not
/// modelled: every heliostat works whenever the sun is at the minimal elevation or higher.
struct AnnualYield {
    Provenance provenance;           ///< of the series behind it
    std::string irradiance;          ///< where it comes from: IrradianceYear::source
    std::vector<std::string> notes;  ///< remarks for users about the irradiance; not in the file
    GeodeticPosition plant;          ///< from the scenario; annual_yield() leaves it empty
    double min_elevation_deg = 0.0;  ///< of the sun; below it the field rests

    double insolation = 0.0;            ///< direct normal, J/m2, whenever the sun is up
    YearEnergy usable;                  ///< J/m2, from the minimal elevation on; its errors are 0
    std::vector<AnnualTarget> targets;  ///< [T] that are aimed at
    std::vector<AnnualHeliostat> heliostats;  ///< [N] active ones, in the scenario's order
    EnergyTerms energy;                       ///< of the field, J
    YearEnergy on_targets;                    ///< on all of them together
    /// The plant for pictures of the field: its poses at noon in the middle of the grid
    /// (an equinox where the sun rises all year), with energies of the year in J (unit "J") and
    /// without flux. Nothing in files of earlier versions.
    std::optional<RunResult> plan;

    int declinations = 0;                  ///< of the grid of sun positions
    int hours = 0;                         ///< hour angles of each declination
    std::vector<SkyGrid::Node> nodes;      ///< [declinations * hours], as SkyGrid::nodes()
    std::vector<double> weights;           ///< J/m2 of each node
    std::vector<double> field_efficiency;  ///< target power / solar power at each node
    std::vector<double> efficiency;        ///< the same [nodes * N], node by node
};

/// Steps of the series are the grid's nodes, in their order. Throws std::invalid_argument where
/// they are not.
AnnualYield annual_yield(const SkyGrid& grid,
                         const IrradianceYear& year,
                         const SeriesResult& series);

/// Sets the plan from the state of the plant: targets, orientations, aim points and outlines of
/// `standing`. Throws std::invalid_argument for other heliostats or targets.
void set_plan(AnnualYield& yield, const RunResult& standing);

}  // namespace helioray

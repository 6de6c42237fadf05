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
    std::string name;    ///< as in the scenario
    std::string target;  ///< name of the target it serves
    EnergyTerms energy;  ///< the energy terms in J, not W
    /// J that it would have brought to its target while it was turned off (see YearAiming). Solar
    /// energy is the sum of the losses, this one, and what arrives.
    double defocus_loss = 0.0;
    YearEnergy on_target;  ///< energy.target_power with its errors and months
};

/// A year of one target.
struct AnnualTarget {
    std::string name;   ///< as in the scenario
    YearEnergy energy;  ///< incident on it
};

/// How the aim points of a year were chosen, where a strategy did.
struct YearAiming {
    std::string strategy;        ///< its word in the configuration
    double center_energy = 0.0;  ///< J on all targets with strategy center, whatever the limits
    int limited_positions = 0;   ///< of the sun, at which strategy center exceeds a limit
    std::optional<double> worst_limit_share;   ///< largest flux over its limit; nothing: no limits
    double worst_limit_share_std_error = 0.0;  ///< of it
    std::string violation;  ///< what cannot be kept, and where worst; empty: all limits are
};

/// The energy that a field collects in a year. Start and shut-down of receivers are not modelled:
/// every heliostat works whenever the sun is at the minimal elevation or higher, unless flux limits
/// turn it off.
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
    double defocus_loss = 0.0;                ///< of the field, J; 0 without flux limits
    std::optional<YearAiming> aiming;         ///< nothing: the default aim points
    YearEnergy on_targets;                    ///< on all of them together
    /// The plant for pictures of the field: its poses at noon in the middle of the grid
    /// (an equinox where the sun rises all year), with energies of the year in J (unit "J") and
    /// without flux. Nothing in files of earlier versions.
    std::optional<RunResult> plan;

    int declinations = 0;              ///< of the grid of sun positions
    int hours = 0;                     ///< hour angles of each declination
    std::vector<SkyGrid::Node> nodes;  ///< [declinations * hours], as SkyGrid::nodes()
    std::vector<double> weights;       ///< J/m2 of each node
    /// Target power / solar power at each node; under flux limits that of a cloudless sky.
    std::vector<double> field_efficiency;
    std::vector<double> efficiency;  ///< the same [nodes * N], node by node
};

/// Steps of a series at several irradiances: under flux limits, what a plant does at a position of
/// the sun is not proportional to the irradiance.
struct YearLevels {
    YearAiming aiming;  ///< its center_energy is not used
    /// [nodes + 1]: steps first_step[i] to first_step[i + 1] - 1 belong to node i, by ascending
    /// irradiance. Below the first one everything is proportional to the irradiance.
    std::vector<std::size_t> first_step;
    std::vector<double> defocus_loss;  ///< [T * N] W, as SeriesResult::energy
    std::vector<double> center_power;  ///< [T] W on all targets with strategy center
};

/// Steps of the series are the grid's nodes, in their order, or with `levels` several of each node.
/// Between two irradiances powers are interpolated linearly: as they are concave in it, the result
/// is rather too low, and the change without every second irradiance is part of quadrature_error.
/// Throws std::invalid_argument where steps and nodes do not fit.
AnnualYield annual_yield(const SkyGrid& grid,
                         const IrradianceYear& year,
                         const SeriesResult& series,
                         const std::optional<YearLevels>& levels = std::nullopt);

/// Sets the plan from the state of the plant: targets, orientations, aim points and outlines of
/// `standing`. Throws std::invalid_argument for other heliostats or targets.
void set_plan(AnnualYield& yield, const RunResult& standing);

/// Returns a warning for each target that no light reaches all year, although the sun shines on
/// heliostats that aim at it (see raytracer/results/light_warnings.h).
std::vector<std::string> light_warnings(const AnnualYield& yield);

}  // namespace helioray

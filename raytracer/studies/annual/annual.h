// SPDX-License-Identifier: MIT
// Yield of a year, from a series of sun positions and the sunlight of that year.
#pragma once

#include "raytracer/results/series/series.h"
#include "raytracer/studies/annual/plant_state.h"
#include "raytracer/studies/annual/sky_grid.h"
#include "raytracer/studies/annual/weather/irradiance.h"

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

/// Returns the name of an energy term for a year: "solar_energy" for "solar_power"; losses keep
/// their names.
inline std::string energy_name(const std::string& term) {
    constexpr std::string_view kPower = "_power";
    return term.ends_with(kPower) ? term.substr(0, term.size() - kPower.size()) + "_energy" : term;
}

/// An energy with its errors.
struct YearEnergy {
    double value = 0.0;  ///< energy, J; the sum of `months`
    /// Upper limit of the error from the finite number of rays, J: the sum of the positions'
    /// standard errors, because all positions use the same random numbers.
    double std_error = 0.0;
    /// Error from the finite number of sun positions, J: the change of the sum without every second
    /// declination, plus the change without every second hour angle. It is an upper limit if the
    /// sums converge.
    double quadrature_error = 0.0;
    Months months{};  ///< energy by month, J
};

/// Yield of one heliostat in a year.
struct AnnualHeliostat {
    std::string name;    ///< name in the scenario
    std::string target;  ///< name of the heliostat's target
    EnergyTerms energy;  ///< energy terms, J instead of W
    /// Energy lost while flux limits kept the heliostat off (see YearAiming), J. Solar energy is
    /// the sum of the losses, this loss and the next two, and the energy on the target.
    double defocus_loss = 0.0;
    /// Energy that clean mirrors would have brought to the target in addition, J.
    double soiling_loss = 0.0;
    /// Energy that the heliostat, as dirty as it was, would have brought to the target during its
    /// outages, J.
    double outage_loss = 0.0;
    YearEnergy on_target;  ///< energy.target_power with its errors and months, J
};

/// Yield of one target in a year.
struct AnnualTarget {
    std::string name;   ///< name in the scenario
    YearEnergy energy;  ///< incident energy, J
};

/// Results of a strategy for the aim points of a year.
struct YearAiming {
    std::string strategy;  ///< name of the strategy in the configuration
    /// Energy on all targets with strategy center, without regard to limits, J.
    double center_energy = 0.0;
    /// Number of sun positions at which strategy center exceeds a limit.
    int limited_positions = 0;
    /// Largest ratio of flux to limit; not set without limits.
    std::optional<double> worst_limit_share;
    double worst_limit_share_std_error = 0.0;  ///< standard error of worst_limit_share
    /// Description of the worst violated limit; empty if all limits are met.
    std::string violation;
};

/// Soiling and outages of a year, as means over heliostats and days.
struct YearState {
    double mean_soiling = 0.0;  ///< mean fraction of the reflectivity that soiling took
    double outage_share = 0.0;  ///< fraction of the days on which heliostats were out of order
};

/// The energy that a field collects in a year. Start-up and shut-down of receivers are not
/// modelled: every heliostat works while the sun is at or above the minimal elevation, unless flux
/// limits turn it off.
struct AnnualYield {
    Provenance provenance;           ///< provenance of the traced series
    std::string irradiance;          ///< source of the irradiance, IrradianceYear::source
    std::vector<std::string> notes;  ///< remarks for users about the irradiance; not in the file
    /// Position of the plant, from the scenario; not set by annual_yield().
    GeodeticPosition plant;
    /// Minimal elevation of the sun, below which the field does not work, degrees.
    double min_elevation_deg = 0.0;

    double insolation = 0.0;  ///< direct normal insolation while the sun is up, J/m2
    YearEnergy usable;        ///< insolation from the minimal elevation on, J/m2; its errors are 0
    std::vector<AnnualTarget> targets;        ///< targets at which heliostats aim, [T]
    std::vector<AnnualHeliostat> heliostats;  ///< active heliostats in the scenario's order, [N]
    EnergyTerms energy;                       ///< energy terms of the field, J
    double defocus_loss = 0.0;         ///< defocus loss of the field, J; 0 without flux limits
    double soiling_loss = 0.0;         ///< soiling loss of the field, J
    double outage_loss = 0.0;          ///< outage loss of the field, J
    std::optional<YearState> state;    ///< not set for clean mirrors without outages
    std::optional<YearAiming> aiming;  ///< not set for the default aim points
    YearEnergy on_targets;             ///< energy on all targets together, J
    /// The plant for pictures of the field: its poses at noon in the middle of the grid (an equinox
    /// if the sun rises all year), with energies of the year in J (unit "J") and without flux. Not
    /// set for files of earlier versions.
    std::optional<RunResult> plan;

    int declinations = 0;  ///< number of declinations of the grid of sun positions
    int hours = 0;         ///< number of hour angles per declination
    /// Sun positions, [declinations * hours], as in SkyGrid::nodes().
    std::vector<SkyGrid::Node> nodes;
    std::vector<double> weights;  ///< insolation that each node represents, J/m2
    /// Target power / solar power of the field at each node; with flux limits at the irradiance of
    /// a cloudless sky.
    std::vector<double> field_efficiency;
    /// Target power / solar power of each heliostat, [nodes * N], node by node.
    std::vector<double> efficiency;
};

/// Steps of a series at several irradiances: with flux limits, the power of a plant at a position
/// of the sun is not proportional to the irradiance.
struct YearLevels {
    YearAiming aiming;  ///< results of the strategy; center_energy is not used
    /// Index of the first step of each node, [nodes + 1]: steps first_step[i] to first_step[i + 1]
    /// - 1 belong to node i, by ascending irradiance. Below the first of them, power is
    /// proportional to the irradiance.
    std::vector<std::size_t> first_step;
    /// Defocus losses, [T * N] W, in the order of SeriesResult::energy.
    std::vector<double> defocus_loss;
    std::vector<double> center_power;  ///< power on all targets with strategy center, [T] W
};

/// Computes the yield. The steps of the series are the grid's nodes in their order, or with
/// `levels` several steps per node. Powers are interpolated linearly between two irradiances; they
/// are concave, so the result tends to be too low, and the change without every second irradiance
/// is part of quadrature_error. Throws std::invalid_argument if steps and nodes do not match.
///
/// The series is that of clean mirrors without outages. `state` has its heliostats in their order;
/// power is proportional to the reflectivity, so the power of a day is that of the series times
/// clean_share(), or nothing during an outage. The losses by soiling and outages are exact for this
/// plant. A heliostat that is out of order shades and blocks its neighbours as if it worked, and
/// aim points are those of the clean plant.
AnnualYield annual_yield(const SkyGrid& grid,
                         const IrradianceYear& year,
                         const SeriesResult& series,
                         const std::optional<YearLevels>& levels = std::nullopt,
                         const PlantState* state = nullptr);

/// Sets the plan from the state of the plant: targets, orientations, aim points and outlines of
/// `plant`. Throws std::invalid_argument for other heliostats or targets.
void set_plan(AnnualYield& yield, const RunResult& plant);

/// A loss of a year that is not an energy term of single sun positions.
struct YearLoss {
    const char* name;                   ///< "defocus_loss"
    const char* description;            ///< one sentence about the field
    const char* heliostat_description;  ///< one sentence about a heliostat
    const char* report_description;     ///< one sentence beside the energy terms of a report
    bool is_of_state;            ///< set with a state of heliostats; otherwise with aim points
    double AnnualYield::*field;  ///< loss of the field
    double AnnualHeliostat::*heliostat;  ///< loss of a heliostat
    double HeliostatResult::*plan;       ///< loss of a heliostat in AnnualYield::plan

    /// Returns true if tables of the year show the loss.
    bool is_shown(const AnnualYield& yield) const {
        return is_of_state ? yield.state.has_value() : yield.aiming.has_value();
    }
};
/// Returns all losses in the order in which they are written and printed.
const std::vector<YearLoss>& year_losses();

/// Returns a warning for each target that receives no light all year, although the sun shines on
/// heliostats that aim at it (see raytracer/results/light_warnings.h).
std::vector<std::string> light_warnings(const AnnualYield& yield);

}  // namespace helioray

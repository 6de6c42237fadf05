// SPDX-License-Identifier: MIT
// Efficiency of a field by position of the sun.
#pragma once

#include "raytracer/studies/annual/sky_grid.h"
#include "raytracer/studies/efficiency/sun_rectangle.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// The light on one target, for P entries of the rectangle; maps have the shape [height, width] as
/// in TargetResult.
struct EfficiencyTarget {
    Target target;                             ///< target in the scenario
    std::int64_t width = 0;                    ///< width of the maps, pixels
    std::int64_t height = 0;                   ///< height of the maps, pixels
    std::vector<double> efficiency;            ///< power / (irradiance * area of all mirrors), [P]
    std::vector<double> efficiency_std_error;  ///< standard error of the efficiency, [P]
    /// Interpolation error of the efficiency as in EfficiencyTable, [P].
    std::vector<double> interpolation_error;
    /// Fraction of the target's power in each pixel, [P, height, width]. The sum of a map is 1, or
    /// 0 if the target receives no light.
    std::vector<double> flux_share;
    std::vector<double> flux_share_std_error;  ///< standard error of flux_share, [P, height, width]
};

/// Efficiency and normalised flux maps over a rectangle of sun positions. All efficiencies refer to
/// irradiance * area of all active mirrors, and count light that is incident on the targets.
struct EfficiencyTable {
    /// Creates a table without numbers.
    explicit EfficiencyTable(SunRectangle rectangle) : suns(std::move(rectangle)) {}

    Provenance provenance;  ///< provenance with the rays and fingerprint of all traced positions
    std::string grid;       ///< traced grid: "rectangle", or "year" for a SkyGrid
    SunRectangle suns;      ///< sun positions of the entries
    std::size_t positions = 0;    ///< number of sun positions traced for the entries
    std::size_t checks = 0;       ///< number of additional positions traced for interpolation_error
    double latitude = 0.0;        ///< latitude of the plant, radians
    std::int64_t heliostats = 0;  ///< number of active heliostats
    double mirror_area = 0.0;     ///< mirror area of all active heliostats, m2
    double land_area = 0.0;       ///< area of the convex hull of the active heliostats, m2
    /// Mean height of the mirrors' centres above the origin, metres.
    double mean_mirror_height = 0.0;
    /// Energy terms as fractions, [P]: solar_power is 1, target_power is the efficiency of the
    /// field.
    std::vector<EnergyTerms> shares;
    /// Fraction of the sunlight on mirrors that are parked because they cannot follow the sun, [P].
    /// Together with the losses and the efficiency it sums to 1.
    std::vector<double> parked_loss;
    /// Standard error of the efficiency from the finite number of rays, [P].
    std::vector<double> std_error;
    /// Error of linear interpolation of the efficiency about an entry, and error of an entry that
    /// was itself interpolated (grid "year"), [P]: see SunRectangle::interpolation_error() and the
    /// rules of SkyGrid.
    std::vector<double> interpolation_error;
    /// True for entries that the sun reaches, [P]; always true if the rectangle itself was traced.
    /// Other entries contain the numbers of the nearest position that the sun reaches.
    std::vector<bool> reached;
    std::vector<EfficiencyTarget> targets;  ///< targets at which heliostats aim
};

/// Efficiency of the field at any position of the sun, with its errors.
struct EfficiencyEstimate {
    EnergyTerms shares;                ///< energy terms as in the table
    double parked_loss = 0.0;          ///< parked loss as in the table
    double std_error = 0.0;            ///< largest standard error of the cell
    double interpolation_error = 0.0;  ///< largest interpolation error of the cell
    /// True if the table covers the sun. Otherwise the numbers are those of the nearest entries.
    bool is_covered = true;
};

/// Interpolates the table linearly. azimuth, elevation: radians.
EfficiencyEstimate efficiency_at(const EfficiencyTable& table, double azimuth, double elevation);

/// Plan of a table: the sun positions to trace, and the computation of entries from them.
struct EfficiencyPlan {
    SunRectangle suns;  ///< sun positions of the entries
    /// Positions traced instead of the entries, which are interpolated.
    std::optional<SkyGrid> year;
    double latitude = 0.0;  ///< latitude of the plant, radians
    double dni = 1000.0;    ///< irradiance of every position, W/m2
    /// Include the middles of cells in interpolation_error: for a rectangle they are traced, for a
    /// year they are interpolated like the entries.
    bool has_checks = true;

    /// Returns the positions to trace. For a rectangle these are its entries, with the zenith only
    /// once, then its middles.
    std::vector<SunRectangle::Sun> positions() const;
    /// Returns the number of middles at the end of the positions.
    std::size_t num_checks() const { return has_checks && !year ? suns.middles().size() : 0; }
};

/// Computes the table from the results of the plan's positions; `step` returns the result of a
/// position by its number and is called once for each, in order. Heliostats without sunlight (see
/// add_idle_heliostats()) are parked in this position; those that never have any are not part of
/// the plant. Throws the exceptions of `step`, and std::invalid_argument for results of different
/// plants.
EfficiencyTable efficiency_table(const EfficiencyPlan& plan,
                                 const std::function<RunResult(std::size_t position)>& step);

/// Returns the sums of the shares over all entries, for is_shown().
EnergyTerms summed_shares(const EfficiencyTable& table);

/// Returns a warning for each target that receives no light at some or all of the positions that
/// the sun reaches (see raytracer/results/light_warnings.h).
std::vector<std::string> light_warnings(const EfficiencyTable& table);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// What a field brings to its targets, by position of the sun.
#pragma once

#include "raytracer/annual/sky_grid.h"
#include "raytracer/efficiency/sun_rectangle.h"
#include "raytracer/job/result.h"
#include "scenario/types.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace helioray {

/// The light on one target. P entries of the rectangle, maps of [height, width] as in TargetResult.
struct EfficiencyTarget {
    Target target;                             ///< as the scenario has it
    std::int64_t width = 0;                    ///< pixels
    std::int64_t height = 0;                   ///< pixels
    std::vector<double> efficiency;            ///< [P] power / (irradiance * area of all mirrors)
    std::vector<double> efficiency_std_error;  ///< [P]
    std::vector<double> interpolation_error;   ///< [P] of the efficiency, as in EfficiencyTable
    /// [P, height, width] share of the target's power in each pixel; the sum of a map is 1, or 0
    /// where no light arrives.
    std::vector<double> flux_share;
    std::vector<double> flux_share_std_error;  ///< [P, height, width]
};

/// Efficiency and normalised flux maps over a rectangle of sun positions. All efficiencies refer to
/// irradiance * area of all active mirrors, and count light that is incident on the targets.
struct EfficiencyTable {
    /// Without numbers yet.
    explicit EfficiencyTable(SunRectangle rectangle) : suns(std::move(rectangle)) {}

    Provenance provenance;            ///< rays and fingerprint are those of all traced positions
    std::string grid;                 ///< what was traced: "rectangle", or "year" for a SkyGrid
    SunRectangle suns;                ///< the entries
    std::size_t positions = 0;        ///< of the sun that were traced for the entries
    std::size_t checks = 0;           ///< traced besides, to find interpolation_error
    double latitude = 0.0;            ///< of the plant, radians
    std::int64_t heliostats = 0;      ///< active ones
    double mirror_area = 0.0;         ///< m2, of all active heliostats
    double land_area = 0.0;           ///< m2, of the convex hull of the active heliostats
    double mean_mirror_height = 0.0;  ///< metres, of their middles above the origin
    /// [P] the energy terms as shares: solar_power is 1, target_power the efficiency of the field.
    std::vector<EnergyTerms> shares;
    /// [P] share of the sunlight on mirrors that are parked because they cannot follow the sun.
    /// With it the losses and the efficiency sum up to 1.
    std::vector<double> parked_loss;
    std::vector<double> std_error;  ///< [P] of the efficiency, from the finite number of rays
    /// [P] by how much linear interpolation of the efficiency errs about an entry, and how far an
    /// entry may be off that was itself interpolated (grid "year"): see
    /// SunRectangle::interpolation_error() and the rules of SkyGrid.
    std::vector<double> interpolation_error;
    /// [P] whether the sun gets there; all where the rectangle itself was traced. Other entries
    /// have the numbers of the nearest position that the sun reaches.
    std::vector<bool> reached;
    std::vector<EfficiencyTarget> targets;  ///< that are aimed at
};

/// Efficiency of the field at any position of the sun, with its errors.
struct EfficiencyEstimate {
    EnergyTerms shares;                ///< as in the table
    double parked_loss = 0.0;          ///< as in the table
    double std_error = 0.0;            ///< the largest of the cell
    double interpolation_error = 0.0;  ///< the largest of the cell
    /// Whether the table covers the sun. Elsewhere the numbers are those of the nearest entries.
    bool is_covered = true;
};

/// Interpolates linearly. azimuth, elevation: radians.
EfficiencyEstimate efficiency_at(const EfficiencyTable& table, double azimuth, double elevation);

/// What a table is made of: the sun positions that are traced, and how entries follow from them.
struct EfficiencyPlan {
    SunRectangle suns;            ///< the table's entries
    std::optional<SkyGrid> year;  ///< traced in their place, and interpolated
    double latitude = 0.0;        ///< of the plant, radians
    double dni = 1000.0;          ///< W/m2, of every position
    /// Whether the middles of cells take part in interpolation_error: those of a rectangle are
    /// traced, those of a year are interpolated as its entries.
    bool has_checks = true;

    /// The positions to trace. Of a rectangle its entries, the zenith once, then its middles.
    std::vector<SunRectangle::Sun> positions() const;
    /// How many of them are middles, at the end.
    std::size_t num_checks() const { return has_checks && !year ? suns.middles().size() : 0; }
};

/// Makes the table from the results of the plan's positions, which `step` gives by their number,
/// once each and in order. Heliostats without sunlight (see add_idle_heliostats()) are parked in
/// this position; those that never have any are no part of the plant. Throws what `step` throws,
/// and std::invalid_argument for results of different plants.
EfficiencyTable efficiency_table(const EfficiencyPlan& plan,
                                 const std::function<RunResult(std::size_t position)>& step);

/// Returns a warning for each target that no light reaches at some or all of the positions that the
/// sun reaches (see raytracer/results/light_warnings.h).
std::vector<std::string> light_warnings(const EfficiencyTable& table);

}  // namespace helioray

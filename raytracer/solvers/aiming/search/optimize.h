// SPDX-License-Identifier: MIT
// Optimiser for the most power under limits on cells, or for the smallest distance from a target
// flux map.
#pragma once

#include "raytracer/solvers/aiming/model/flux_model.h"
#include "raytracer/solvers/aiming/model/wanted_map.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace helioray::aiming {

/// Rectangle of allowed aim points.
struct Range2 {
    SurfacePoint low, high;  ///< Corners; equal if the heliostat cannot move

    /// Returns true if the point is within the rectangle, with a tolerance of one micrometre.
    bool contains(SurfacePoint p) const {
        constexpr double kHair = 1e-6;
        return p.x > low.x - kHair && p.x < high.x + kHair && p.y > low.y - kHair &&
               p.y < high.y + kHair;
    }
};

/// Aim points that heliostats keep if new ones would be close to them.
struct HeldAims {
    /// Smallest move that is carried out, metres along the unrolled surface
    double least_move = 0.0;
    /// Held aim point by heliostat; not set for heliostats that may aim anywhere. Empty if no aim
    /// point is held.
    std::vector<std::optional<SurfacePoint>> points;

    /// Returns true if a heliostat keeps its held aim point instead of aiming here.
    bool keeps(size_t heliostat, SurfacePoint aim) const;
};

/// Optimisation problem: the most power on the lit cells, or the smallest distance from a target
/// flux map, with no cell above its limit.
struct AimProblem {
    const FluxModel* model = nullptr;
    std::vector<Range2> ranges;  ///< Allowed aim points by heliostat
    std::vector<double> limits;  ///< Limit by cell, W; infinity for cells without a limit
    /// True if the initial solution solves nearly the same problem, so that fewer steps are enough.
    bool starts_near = false;
    /// True if heliostats may only be turned off, but not moved.
    bool only_turns_off = false;
    /// True if heliostats only move from where they are, without a search for other solutions,
    /// unless that costs more than a hundredth of the power.
    bool only_settles = false;
    /// Fraction of the usual number of operations of exchange().
    double effort = 1.0;
    /// Target flux map to approximate; null if the objective is the power
    const WantedMap* wanted = nullptr;
    /// Traced power beyond the model by cell, W, used with a target flux map; empty means 0.
    std::vector<double> beyond;
    HeldAims held;

    /// Returns the contribution of a cell to the distance from the target flux map, given the
    /// modelled power.
    WantedMap::Part part(size_t cell, double modelled) const {
        return wanted->part(cell, modelled + (beyond.empty() ? 0.0 : beyond[cell]));
    }
};

/// Settings of all heliostats with the prices of the limits.
struct AimSolution {
    std::vector<Setting> settings;
    /// Shadow prices by cell, W per W: power gained per W of a higher limit
    std::vector<double> prices;
    int64_t iterations = 0;
    bool is_searched = false;  ///< True if exchange() has changed the settings
};

/// Improves a solution, starting from its settings and prices, with an augmented Lagrangian for the
/// limits and projected L-BFGS for the aim points. A heliostat that costs more than it brings is
/// used in part or turned off; in the result each heliostat is on or off. The limits hold to within
/// the fraction `tolerance`, unless they can only be kept by turning off every heliostat. Held aim
/// points are kept if new ones would be close to them, except those that have to move because of
/// the limits.
void solve(const AimProblem& problem, double tolerance, AimSolution& solution);

}  // namespace helioray::aiming

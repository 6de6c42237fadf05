// SPDX-License-Identifier: MIT
// The most power under limits on cells, or the smallest distance from a wanted map.
#pragma once

#include "raytracer/aiming/flux_model.h"
#include "raytracer/aiming/wanted_map.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace helioray::aiming {

/// Where aim points may be.
struct Range2 {
    SurfacePoint low, high;  ///< equal where the heliostat cannot move

    /// Whether a point is within, give or take a micrometre.
    bool contains(SurfacePoint p) const {
        constexpr double kHair = 1e-6;
        return p.x > low.x - kHair && p.x < high.x + kHair && p.y > low.y - kHair &&
               p.y < high.y + kHair;
    }
};

/// Aim points that heliostats keep where new ones are near.
struct HeldAims {
    double least_move = 0.0;  ///< metres along the unrolled surface
    /// By heliostat; nothing for one that may aim anywhere. Empty: nobody has one.
    std::vector<std::optional<SurfacePoint>> points;

    /// Whether a heliostat stays where it is rather than aim here.
    bool keeps(size_t heliostat, SurfacePoint aim) const;
};

/// What is sought: the most power on the lit cells, or a wanted map, with no cell above its limit.
struct AimProblem {
    const FluxModel* model = nullptr;
    std::vector<Range2> ranges;  ///< by heliostat
    std::vector<double> limits;  ///< W, by cell; infinity where there is none
    /// The solution to improve is that of nearly the same problem, so that fewer steps do.
    bool starts_near = false;
    /// Heliostats may only be turned off, where they are.
    bool only_turns_off = false;
    /// Fraction of the usual number of operations of exchange().
    double effort = 1.0;
    const WantedMap* wanted = nullptr;  ///< to come as close to as possible; null: power counts
    /// W, by cell: what rays bring to a wanted map beyond the model; empty: nothing.
    std::vector<double> beyond;
    HeldAims held;

    /// With a wanted map: its part by the power that the model has in a cell.
    WantedMap::Part part(size_t cell, double modelled) const {
        return wanted->part(cell, modelled + (beyond.empty() ? 0.0 : beyond[cell]));
    }
};

/// Aim points and what is known about them.
struct AimSolution {
    std::vector<Setting> settings;
    std::vector<double> prices;  ///< W per W by cell: what a higher limit would bring
    int64_t iterations = 0;
};

/// Improves the solution, which starts from its settings and prices: augmented Lagrangian in the
/// limits, projected L-BFGS in the aim points. A heliostat that costs more than it brings is used
/// in part or turned off; in the end every one is on or off. The limits hold to within `tolerance`
/// of them, unless only turning everything off would help. Held aim points are kept where new ones
/// would be near, but for those that have to move for the limits.
void solve(const AimProblem& problem, double tolerance, AimSolution& solution);

}  // namespace helioray::aiming

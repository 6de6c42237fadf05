// SPDX-License-Identifier: MIT
// The aim points of a field with the trace that verifies them, and what a step of a series takes
// from the one before it.
#pragma once

#include "raytracer/solvers/aiming/model/aim_errors.h"
#include "raytracer/solvers/aiming/model/receiver_grid.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "raytracer/tracing/job/result.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray::aiming {

/// Final aim point of a heliostat.
struct AimedPoint {
    Aim aim;  ///< Target and aim point (metres, ENU)
    /// Horizontal position on the unrolled target, metres from its centre to the right as seen by
    /// an observer who faces the target
    double x = 0.0;
    double y = 0.0;  ///< Vertical position on the unrolled target, metres from its centre upwards
    bool active = true;  ///< False if the heliostat is turned off
    /// Index in Scenario::receivers of the receiver that the heliostat aims at; not set if it aims
    /// at a target or at one surface of a receiver.
    std::optional<size_t> receiver = std::nullopt;
};

/// A limit counts as violated if the flux exceeds it by more than this number of standard errors.
inline constexpr double kErrorsAboveLimit = 3.0;

/// Limits and shadow prices on the cells of one target, [height, width] as in TargetResult, or on
/// the cells of its shield, which continues the target's surface beyond its edges.
struct LimitMap {
    std::string target;  ///< Name of the target
    /// Limits, W/m2; infinity for cells without a limit, and for a shield on the cells of the
    /// target itself
    std::vector<double> limit;
    /// Shadow prices, W per W/m2, at least 0: the power gained if the limit of this cell rises by 1
    /// W/m2. Empty for strategies that do not optimise.
    std::vector<double> price;
    /// Number of pixels by which a shield extends beyond the target; these pixels have the same
    /// size as the target's. Set only for shields.
    std::optional<PixelsBeyond> beyond = std::nullopt;

    /// Returns the name of the map, such as "receiver" or "shield of receiver".
    std::string place() const { return beyond ? "shield of " + target : target; }
    /// Returns the number of pixel columns of the map.
    int64_t columns(const BitmapConfig& bitmap) const {
        return bitmap.width + (beyond ? 2 * beyond->across : 0);
    }
    /// Returns the power gained if all limits rise by one per cent, W; 0 without prices.
    double price_of_percent() const {
        double watts = 0.0;
        for (size_t i = 0; i < price.size(); ++i)
            if (std::isfinite(limit[i])) watts += 0.01 * limit[i] * price[i];
        return watts;
    }
};

/// Fraction of the power on all targets with fractions (aiming.target_shares) that one target
/// receives.
struct TargetShare {
    std::string target;    ///< Name of the target
    double wanted = 0.0;   ///< Configured fraction
    double reached = 0.0;  ///< Fraction in the verifying trace
};

/// State of the optimisation after one trace of the whole field, for displays of the convergence.
struct Round {
    int iterations = 0;              ///< Number of optimiser iterations so far
    double power = 0.0;              ///< Traced power, W
    double bound = 0.0;              ///< Bound on the power, W
    double worst_limit_share = 0.0;  ///< Largest traced fraction of a limit
    double seconds = 0.0;            ///< Time since the start, s
};

/// Chosen aim points, their verifying trace and derived quantities.
struct AimingResult {
    /// Aim points of the configuration's active heliostats, in the scenario's order
    std::vector<AimedPoint> points;
    double power = 0.0;            ///< Power on all targets from the verifying trace, W
    double power_std_error = 0.0;  ///< Standard error of `power`, W
    /// Upper bound on the power of any aim points on the heliostats' targets under the limits, W,
    /// from the Lagrangian dual. Not set if the strategy does not optimise or the objective is a
    /// target flux map.
    std::optional<double> power_bound;
    /// Part of power_bound that covers errors of the image model and their noise, W.
    std::optional<double> bound_margin;
    double peak_flux = 0.0;  ///< Peak flux over all targets, W/m2, see estimate_peak()
    /// Standard error of `peak_flux`, W/m2; NaN if the file does not store it
    double peak_flux_std_error = 0.0;
    /// @{
    /// Largest ratio of flux to limit, and its standard error. Not set without limits.
    std::optional<double> worst_limit_share;
    std::optional<double> worst_limit_share_std_error;
    /// @}
    /// Map with the largest ratio, as LimitMap::place(); empty without limits
    std::string worst_limit_place;
    /// Largest ratio of flux to limit in `before`. Not set without limits.
    std::optional<double> worst_limit_share_before;
    AimErrors errors;  ///< Aim errors that the limits leave room for
    /// Number of standard deviations of a pixel's flux by which limits are lowered:
    /// aiming.robust_sigma, or the number required by aiming.robust_confidence. Not set if limits
    /// are not lowered.
    std::optional<double> robust_factor;
    /// Decrease of the bound, W, estimated by the shadow prices, caused by the room for aim errors
    /// (aiming.robust_sigma). Not set if limits are not lowered.
    std::optional<double> robust_price;
    /// @{
    /// Distances of `after` and `before` from the target flux map in the configured measure (see
    /// WantedMap::distance()). Not set if the objective is the power.
    std::optional<double> map_distance, map_distance_before;
    /// @}
    int64_t heliostats_off = 0;  ///< Number of heliostats turned off because of the limits
    int64_t iterations = 0;      ///< Number of optimiser iterations
    int64_t traces = 0;          ///< Number of traces of the whole field
    bool limits_kept = true;  ///< True if no cell exceeds its limit by more than kErrorsAboveLimit
    /// Power fractions of the targets in aiming.target_shares, in the scenario's order; empty
    /// without aiming.target_shares.
    std::vector<TargetShare> shares;
    /// True if no target falls short of its fraction by more than 1 % of the power (5 % in the
    /// later steps of a series) or the power of one heliostat. Not set without
    /// aiming.target_shares.
    std::optional<bool> shares_met;
    /// Message about violated limits or fractions; empty if there is no violation
    std::string violation;
    /// Limits of the targets in use, in the scenario's order, followed by the limits of their
    /// shields.
    std::vector<LimitMap> limits;
    /// Flux on each shield that receives light, traced with the rays of the verifying trace, as
    /// maps of the enlarged targets with 0 on the targets themselves.
    std::vector<TargetResult> shields;
    std::vector<Round> rounds;  ///< Rounds of the optimiser, in their order
    /// Reference run: strategy center; in the later steps of a series the aim points of the
    /// previous step; if moves count from the points of aim.file (aiming.min_move_m), those points.
    RunResult before;
    bool follows = false;  ///< True if `before` is not a run of strategy center
    RunResult after;       ///< Verifying trace of the chosen aim points

    /// Returns 1 - power / power_bound, or nullopt without a positive bound.
    std::optional<double> gap() const {
        if (!power_bound || *power_bound <= 0.0) return std::nullopt;
        return 1.0 - power / *power_bound;
    }
};

/// Input of a later step of a series.
struct StepBefore {
    std::vector<AimedPoint> points;  ///< Aim points of the previous step
    /// Limits of the previous step with their prices; empty if only the points are known.
    std::vector<LimitMap> limits;
    /// Largest allowed move of an aim point, metres; not set if unlimited. A heliostat that was not
    /// available in the previous step may aim anywhere.
    std::optional<double> most_move;
    /// Target index by heliostat index over all steps so far, for aiming.target_shares.
    std::map<size_t, size_t> targets = {};
};

}  // namespace helioray::aiming

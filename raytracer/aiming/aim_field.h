// SPDX-License-Identifier: MIT
// Aim points of a whole field: by a strategy, or the best under flux limits; verified by rays.
#pragma once

#include "raytracer/aiming/aim_errors.h"
#include "raytracer/aiming/receiver_grid.h"
#include "raytracer/geometry/aiming.h"
#include "raytracer/job/result.h"
#include "raytracer/run/session.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace helioray::aiming {

/// Where a heliostat aims in the end.
struct AimedPoint {
    Aim aim;             ///< target and point (metres, ENU)
    double x = 0.0;      ///< the point on the target's unrolled surface, metres from its centre,
    double y = 0.0;      ///< to the right and up as an observer facing it sees it
    bool active = true;  ///< false: turned off
};

/// A cell keeps its limit unless its flux lies above by more standard errors than this.
inline constexpr double kErrorsAboveLimit = 3.0;

/// Limits and prices on the cells of one target, [height, width] as in TargetResult, or on those of
/// its shield, which is the target's surface continued beyond its edges.
struct LimitMap {
    std::string target;         ///< name
    std::vector<double> limit;  ///< W/m2; infinity where there is none, and of a shield on the
                                ///< target itself
    /// W per W/m2, 0 or more: the power that one more W/m2 on this cell would bring. Empty for
    /// strategies that do not optimise.
    std::vector<double> price;
    /// Of a shield: pixels that its map has more than the target's, which are as large.
    std::optional<PixelsBeyond> beyond = std::nullopt;

    /// "receiver", or "shield of receiver".
    std::string place() const { return beyond ? "shield of " + target : target; }
    /// Pixels across its map.
    int64_t columns(const BitmapConfig& bitmap) const {
        return bitmap.width + (beyond ? 2 * beyond->across : 0);
    }
    /// W that limits higher by one per cent would bring; 0 without prices.
    double price_of_percent() const {
        double watts = 0.0;
        for (size_t i = 0; i < price.size(); ++i)
            if (std::isfinite(limit[i])) watts += 0.01 * limit[i] * price[i];
        return watts;
    }
};

/// What a target gets of the power on all targets with shares (aiming.target_shares).
struct TargetShare {
    std::string target;    ///< name
    double wanted = 0.0;   ///< as configured
    double reached = 0.0;  ///< in the verifying trace
};

/// One trace of the whole field and what was known then, for displays of the convergence.
struct Round {
    int iterations = 0;              ///< of the optimiser, so far
    double power = 0.0;              ///< W, traced
    double bound = 0.0;              ///< W
    double worst_limit_share = 0.0;  ///< traced
    double seconds = 0.0;            ///< since the start
};

/// Aim points with all that is known about them.
struct AimingResult {
    std::vector<AimedPoint> points;  ///< of the configuration's active heliostats, in the
                                     ///< scenario's order
    double power = 0.0;              ///< W on all targets, from the verifying trace
    double power_std_error = 0.0;    ///< W
    /// W that no choice of aim points on the heliostats' targets exceeds under the limits, from the
    /// Lagrangian dual; nothing where the strategy does not optimise or the objective is a map.
    std::optional<double> power_bound;
    /// W, part of power_bound: how far the model of images and their noise may be wrong.
    std::optional<double> bound_margin;
    double peak_flux = 0.0;            ///< W/m2, largest of the targets, see estimate_peak()
    double peak_flux_std_error = 0.0;  ///< W/m2; NaN: not stored in the file
    /// Largest flux over its limit, and the standard error of this share; nothing without limits.
    std::optional<double> worst_limit_share;
    std::optional<double> worst_limit_share_std_error;
    std::string worst_limit_place;  ///< where, as LimitMap::place(); empty without limits
    /// The same share before; nothing without limits.
    std::optional<double> worst_limit_share_before;
    AimErrors errors;  ///< that limits leave room for
    /// Standard deviations of the flux of a pixel that limits leave room for: aiming.robust_sigma,
    /// or what aiming.robust_confidence takes; nothing where no room is left.
    std::optional<double> robust_factor;
    /// W by which the room for these errors (aiming.robust_sigma) lowers the bound, by the
    /// prices of the limits; nothing where none is left.
    std::optional<double> robust_price;
    /// From the wanted map, by the configuration's measure (see WantedMap::distance()); nothing
    /// where the power counts.
    std::optional<double> map_distance, map_distance_before;
    int64_t heliostats_off = 0;
    int64_t iterations = 0;   ///< of the optimiser
    int64_t traces = 0;       ///< of the whole field
    bool limits_kept = true;  ///< no cell is above by more than kErrorsAboveLimit
    /// Of targets with shares, in the scenario's order; empty without aiming.target_shares.
    std::vector<TargetShare> shares;
    /// No target lacks more of its share than 1 % of the power (5 % in the later steps of a series)
    /// or the power of one heliostat; nothing without aiming.target_shares.
    std::optional<bool> shares_met;
    std::string violation;  ///< what cannot be met: limits, shares; empty where everything is
    /// Of targets that are aimed at, in the scenario's order, then of their shields.
    std::vector<LimitMap> limits;
    /// Flux on each shield that is reached by light, by the rays of the verifying trace: maps of
    /// the enlarged targets, 0 on the targets themselves.
    std::vector<TargetResult> shields;
    std::vector<Round> rounds;
    /// Strategy center; in the later steps of a series the aim points of the step before, and where
    /// ways count from the points of aim.file (aiming.min_move_m) those.
    RunResult before;
    bool follows = false;  ///< before is not strategy center
    RunResult after;       ///< the verifying trace

    /// 1 - power / power_bound.
    std::optional<double> gap() const {
        if (!power_bound || *power_bound <= 0.0) return std::nullopt;
        return 1.0 - power / *power_bound;
    }
};

/// What is known when a later step of a series begins.
struct StepBefore {
    std::vector<AimedPoint> points;  ///< of the step before
    /// Of the step before, with its prices; empty where points alone are known.
    std::vector<LimitMap> limits;
    /// Metres that an aim point may move, without a limit where there is none. A heliostat that
    /// was not available in the step before may aim anywhere.
    std::optional<double> most_move;
    /// With aiming.target_shares: targets of the heliostats of all steps so far, by index.
    std::map<size_t, size_t> targets = {};
};

/// Chooses aim points for one step of the session's series. config: of this step. before: nothing
/// for the first one. center: the result of strategy center where it is known, so that it need not
/// be traced; not with `before`. Only rank 0 needs these two. effort: fraction of the usual search
/// for better aim points of small fields, above 0; below 1 their images are traced from one aim
/// point each, and the bound has no margin for it. Otherwise as aim_field(session).
std::optional<AimingResult> aim_field(run::Session& session,
                                      const RunConfig& config,
                                      const StepBefore* before,
                                      const AimingResult* center = nullptr,
                                      double effort = 1.0);

/// Chooses aim points as the session's configuration says (RunConfig::aiming). Collective; equal
/// results for any numbers of threads and ranks. Returns the result on rank 0 and nothing on the
/// others. Throws InputError for limits that do not fit the targets, for targets that no light
/// reaches and as check_aim_series(), as Session::trace() otherwise.
std::optional<AimingResult> aim_field(run::Session& session);

}  // namespace helioray::aiming

// SPDX-License-Identifier: MIT
// Chooses aim points for a series of sun positions. Each step starts from the result of the
// previous one.
#pragma once

#include "raytracer/run/session.h"
#include "raytracer/run/sun_steps.h"
#include "raytracer/solvers/aiming/aim_field.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::aiming {

/// Result of one step of a series, which is one sun position.
struct AimedStep {
    LitStep sun;           ///< Sun position and irradiance of the step
    AimingResult aiming;   ///< Aim points; `before` and `after` hold only provenance
    double seconds = 0.0;  ///< Wall-clock time spent on choosing the aim points, s

    /// Returns the time, such as "2026-06-21T12:00:00+02:00", or "step 3" if the sun position was
    /// not given by a time.
    std::string label(size_t index) const;
    /// Returns time and sun of the step, and the seconds.
    SeriesStep facts() const { return step_facts(sun, seconds); }
};

/// Result of a whole series.
struct AimSeries {
    std::vector<AimedStep> steps;  ///< Steps in the order of the configuration
    size_t strongest = 0;  ///< Index of the step with the most power; the first one of equals
    AimingResult shown;    ///< Result of the strongest step, with complete `before` and `after`
    size_t steps_done_before = 0;  ///< Number of steps that earlier program runs finished

    /// Returns true if the table has a time column: every sun position has a time, and all times
    /// differ.
    bool is_timed() const;
    /// Returns a message that lists the steps that violate their limits or fractions, with the
    /// reason for the first one. Returns an empty string if there is no violation.
    std::string violation() const;
    /// Returns a hash over the fingerprints of all steps.
    std::string fingerprint() const;
};

/// Throws InputError if a limit on aim point motion does not apply: aiming.max_move_m_per_minute
/// with a single sun position or with positions without times; aiming.min_move_m with a single
/// position without aim.file, or longer than the largest move allowed between two steps.
void check_aim_series(const run::PreparedRun& run);

/// Chooses aim points for all steps of the session's series. Each step starts from the aim points
/// and shadow prices of the previous step. An aim point moves by at most
/// aiming.max_move_m_per_minute times the minutes between the steps; a heliostat may be turned off
/// at any step. The power bounds apply to aim points within this reach. Finished steps are stored
/// in prepared().parts, and an interrupted series continues from them; call
/// prepared().remove_parts() after the output is written. Collective; the results do not depend on
/// the numbers of threads, ranks and restarts. Returns the series on rank 0 and nullopt on the
/// other ranks. Throws like aim_field() and check_aim_series(), and throws InputError if another
/// process works on the series.
std::optional<AimSeries> aim_series(run::Session& session);

/// Reads the finished steps of a series from their part files, or from copies of them. shown.before
/// remains empty. parts: one file per step, in the order of the steps. Throws like
/// read_aiming_part().
AimSeries read_aim_series(const run::PreparedRun& run,
                          const std::vector<std::filesystem::path>& parts);

/// Joins the verifying runs of all steps into the result file of a series (see write_series()).
/// Precondition: the parts of aim_series() exist.
void write_aimed_series(const AimSeries& series,
                        const run::PreparedRun& run,
                        const std::filesystem::path& path);

}  // namespace helioray::aiming

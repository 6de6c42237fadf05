// SPDX-License-Identifier: MIT
// Aim points for a series of sun positions, each step from where the step before has ended.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/run/session.h"
#include "raytracer/run/sun_steps.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace helioray::aiming {

/// One position of the sun.
struct AimedStep {
    LitStep sun;           ///< where it stands
    AimingResult aiming;   ///< before and after: provenance alone
    double seconds = 0.0;  ///< that choosing has taken

    /// "2026-06-21T12:00:00+02:00", or "step 3" where the position was not given by a time.
    std::string label(size_t index) const;
};

/// All steps.
struct AimSeries {
    std::vector<AimedStep> steps;  ///< in the order of the configuration
    size_t strongest = 0;          ///< the first step with the most power
    AimingResult shown;            ///< the strongest step with all of before and after
    size_t steps_done_before = 0;  ///< by earlier starts

    /// Whether the table has a column of times: every position has one, and no two the same.
    bool is_timed() const;
    /// Which steps cannot keep their limits or shares, and why the first cannot; empty: all do.
    std::string violation() const;
    /// A hash over the fingerprints of all steps.
    std::string fingerprint() const;
};

/// Throws InputError for ways of aim points that mean nothing here: aiming.max_move_m_per_minute
/// for one position of the sun, or for positions without times; aiming.min_move_m for one position
/// without aim.file, or longer than the longest way between two steps.
void check_aim_series(const run::PreparedRun& run);

/// Chooses aim points for all steps of the session's series. Each step begins with the points and
/// prices of the step before; an aim point moves at most aiming.max_move_m_per_minute times the
/// minutes between the steps, and a heliostat may be turned off at once. Bounds hold for aim points
/// in reach. Finished steps are kept as prepared().parts, from which the next start continues:
/// prepared().remove_parts() once everything is written. Collective; equal results for any numbers
/// of threads, ranks and starts. Returns the series on rank 0 and nothing on the others. Throws as
/// aim_field() and check_aim_series(), InputError where another process works on the series.
std::optional<AimSeries> aim_series(run::Session& session);

/// Reads the finished steps of a series from their parts, or from copies of them; shown.before
/// remains empty. parts: one for each step, in their order. Throws as read_aiming_part().
AimSeries read_aim_series(const run::PreparedRun& run,
                          const std::vector<std::filesystem::path>& parts);

/// Joins the verifying runs of all steps to the result file of a series (see write_series()).
/// Precondition: the parts of aim_series() are there.
void write_aimed_series(const AimSeries& series,
                        const run::PreparedRun& run,
                        const std::filesystem::path& path);

}  // namespace helioray::aiming

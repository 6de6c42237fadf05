// SPDX-License-Identifier: MIT
// Traces variants of a configuration and stores their results.
#pragma once

#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "raytracer/studies/sweep/variants.h"
#include "raytracer/tracing/job/result.h"
#include "scenario/config/reader.h"
#include "scenario/types/run_config.h"
#include "scenario/types/types.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace helioray::sweep {

/// Valid configurations of all variants, with their scenarios.
struct SweepPlan {
    Variants variants;               ///< keys and values
    std::vector<RunConfig> configs;  ///< one configuration per variant
    /// Scenarios by the path in the configuration; each file is read once.
    std::map<std::filesystem::path, std::shared_ptr<const Scenario>> scenarios;
};

/// Reads and checks all variants before tracing. read: returns the configuration with these
/// settings ("key=value"). Throws InputError for keys that must be equal in all variants (sections
/// output, aiming, device, distributed), and with the problems of all variants, each once: those of
/// the configuration, mismatches with the scenario, and series of sun positions, which a variant
/// cannot have.
SweepPlan plan_sweep(Variants variants,
                     const std::function<DraftRunConfig(const std::vector<std::string>&)>& read);

/// Prepares the first variant, with finished variants stored beside `output`. Throws like
/// run::prepare().
run::PreparedRun prepare_sweep(const SweepPlan& plan,
                               const std::filesystem::path& output,
                               run::PrepareOptions how);

/// Results of one variant on one target.
struct SweepTarget {
    std::string name;                  ///< name of a target or receiver in the scenario
    double power = 0.0;                ///< power, W
    double power_std_error = 0.0;      ///< standard error of the power, W
    double peak_flux = 0.0;            ///< peak flux, W/m2, see TargetResult::peak_flux_w_m2
    double peak_flux_std_error = 0.0;  ///< standard error of the peak flux, W/m2
    double peak_area = 0.0;            ///< area over which the peak flux is averaged, m2
    double peak_pixel = 0.0;           ///< largest pixel, W/m2
};

/// Results of a variant.
struct SweepRow {
    EnergyTerms energy;                   ///< energy terms of all heliostats, W
    double target_power_std_error = 0.0;  ///< standard error of the power on all targets, W
    std::vector<SweepTarget> targets;     ///< targets at which heliostats aim
    std::int64_t rays = 0;                ///< number of traced rays
    double seconds = 0.0;                 ///< tracing time, s
    std::string fingerprint;  ///< fingerprint, equal to that of a separate run of this variant
    /// Unit of `energy`: "W", or for model artist the unit of its bitmaps.
    std::string energy_unit;

    /// Returns the power on targets relative to the power on the area of all mirrors; 0 without
    /// sun.
    double efficiency() const;
};

/// Results of all variants.
struct SweepTable {
    Variants variants;            ///< keys and values
    std::vector<SweepRow> rows;   ///< one row per variant
    std::size_t done_before = 0;  ///< number of variants that earlier starts have traced
};

/// Traces the variants that are not finished; rank 0 stores each as a part beside the output.
/// Collective. Returns the table on rank 0, and no value on the other ranks. The parts remain, so
/// that the sweep can be continued after an interruption: call prepared().remove_parts() after the
/// table has been written. Throws like Session::trace(), and InputError for a variant that cannot
/// be traced.
std::optional<SweepTable> trace_sweep(run::Session& session, const SweepPlan& plan);

/// Returns a warning for each target that receives no light in some or all of the variants that aim
/// at it in daylight (see raytracer/results/light_warnings.h).
std::vector<std::string> light_warnings(const SweepTable& table);

}  // namespace helioray::sweep

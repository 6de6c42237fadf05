// SPDX-License-Identifier: MIT
// Traces variants of a configuration and keeps what each of them brings.
#pragma once

#include "raytracer/job/result.h"
#include "raytracer/run/prepare.h"
#include "raytracer/run/session.h"
#include "raytracer/sweep/variants.h"
#include "scenario/config/reader.h"
#include "scenario/run_config.h"
#include "scenario/types.h"

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

/// The configurations of all variants, valid each, with their scenarios.
struct SweepPlan {
    Variants variants;               ///< the keys and values
    std::vector<RunConfig> configs;  ///< one for each variant
    /// By the path in the configuration: each file is read once.
    std::map<std::filesystem::path, std::shared_ptr<const Scenario>> scenarios;
};

/// Reads and checks all variants before any work. read: the configuration with these settings
/// ("key=value"). Throws InputError for keys that are the same for all variants (sections output,
/// aiming, device, distributed), and with the problems of all variants, each once: those of the
/// configuration, what does not fit its scenario, and series of sun positions, which a variant
/// cannot be.
SweepPlan plan_sweep(Variants variants,
                     const std::function<DraftRunConfig(const std::vector<std::string>&)>& read);

/// Prepares the first variant, and that finished variants are kept beside `output`. Throws as
/// run::prepare().
run::PreparedRun prepare_sweep(const SweepPlan& plan,
                               const std::filesystem::path& output,
                               run::PrepareOptions how);

/// What the light of one variant does on one target.
struct SweepTarget {
    std::string name;                  ///< as in the scenario
    double power = 0.0;                ///< W
    double power_std_error = 0.0;      ///< W
    double peak_flux = 0.0;            ///< W/m2, see TargetResult::peak_flux_w_m2
    double peak_flux_std_error = 0.0;  ///< W/m2
    double peak_area = 0.0;            ///< m2
    double peak_pixel = 0.0;           ///< W/m2
};

/// What a variant brings.
struct SweepRow {
    EnergyTerms energy;                   ///< of all heliostats, W
    double target_power_std_error = 0.0;  ///< W
    std::vector<SweepTarget> targets;     ///< that are aimed at
    std::int64_t rays = 0;                ///< traced
    double seconds = 0.0;                 ///< of tracing
    std::string fingerprint;              ///< the same as of a run of this variant alone
    std::string energy_unit;              ///< "W"; model artist: of its bitmaps

    /// Power on targets as a share of the power on the area of all mirrors; 0 without sun.
    double efficiency() const;
};

/// All variants side by side.
struct SweepTable {
    Variants variants;            ///< keys and values
    std::vector<SweepRow> rows;   ///< one for each variant
    std::size_t done_before = 0;  ///< variants that earlier starts have traced
};

/// Traces the variants that are not finished; rank 0 keeps each as a part beside the output.
/// Collective. Returns the table on rank 0 and nothing on the others. The parts stay, so that the
/// same sweep continues after an interruption: prepared().remove_parts() once the table is written.
/// Throws as Session::trace(), and InputError for a variant that cannot be traced.
std::optional<SweepTable> trace_sweep(run::Session& session, const SweepPlan& plan);

/// Returns a warning for each target that no light reaches in some or all of the variants that aim
/// at it in daylight (see raytracer/results/light_warnings.h).
std::vector<std::string> light_warnings(const SweepTable& table);

}  // namespace helioray::sweep

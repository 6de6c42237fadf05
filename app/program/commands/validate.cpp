// SPDX-License-Identifier: MIT
// The validate command: reports every problem of a configuration or scenario, and computes nothing.
#include "app/program/commands/commands.h"
#include "app/program/common/input_files.h"
#include "app/program/common/log.h"
#include "app/program/common/traced_run.h"
#include "raytracer/results/light_warnings.h"
#include "raytracer/run/prepare.h"
#include "raytracer/solvers/aiming/model/wanted_map.h"
#include "raytracer/tracing/geometry/aiming.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/files/units.h"
#include "scenario/inputs/limit_table.h"
#include "scenario/reader/scenario_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <set>

namespace helioray::app {

namespace {

struct ValidateOptions {
    std::string file;
    std::vector<std::string> set;  ///< entries "dotted.key=value"
};

/// Returns the position of the sun at noon of an equinox, when it is above the horizon at every
/// plant.
SunAngles equinox_noon(const GeodeticPosition& plant) {
    constexpr double kLowestDeg = 1.0;
    const double elevation_deg = std::max(kLowestDeg, 90.0 - std::abs(plant.latitude_deg));
    return {plant.latitude_deg < 0.0 ? 0.0 : std::numbers::pi, elevation_deg * kRadiansPerDegree};
}

/// Reads a configuration of a run or of a year. If it is neither, the missing position of the sun
/// is among the problems.
DraftRunConfig draft_of_run_or_year(const std::string& file, const Overrides& overrides) {
    DraftRunConfig run = draft_run_config(file, overrides);
    if (run.problems.empty()) return run;
    DraftRunConfig year = draft_run_config(file, overrides, SunPositions::optional);
    if (!year.problems.empty()) return run;
    try {
        year.config.sun.position = equinox_noon(read_scenario(year.config.scenario).position);
    } catch (const InputError&) {
        // Preparing the run reports this together with all other problems.
    }
    return year;
}

/// Throws InputError for limits and maps that do not fit the targets that are aimed at.
void check_aiming(const RunConfig& config, const Scenario& scenario) {
    read_limit_tables(config, scenario);
    if (!config.aiming.target_map) return;
    std::set<size_t> targets;
    for (const Aim& aim : resolve_aims(config.aim, scenario)) targets.insert(aim.target);
    aiming::read_wanted_flux(config, scenario, {targets.begin(), targets.end()});
}

/// Returns the uses for which the configuration is valid.
std::string validate_config(const ValidateOptions& given) {
    Overrides overrides;
    overrides.set = given.set;
    DraftRunConfig draft = draft_of_run_or_year(given.file, overrides);
    const bool has_position = draft.config.sun.has_position;
    // A command line may name the result file of a series, and aim stores its steps beside the
    // table.
    const bool lacks_result = draft.config.sun.series && !draft.config.output.file;
    if (lacks_result) draft.config.output.file = "aims.csv";
    run::PrepareOptions options;
    options.chooses_aims = lacks_result;
    options.log = write_log;
    const run::PreparedRun prepared = run::prepare(std::move(draft), options);
    check_aiming(prepared.config, *prepared.scenario);
    const bool has_own_aims = !prepared.steps.empty() && prepared.steps.front().aim;
    const AimConfig& aim = has_own_aims ? *prepared.steps.front().aim : prepared.config.aim;
    log_warnings(front_warnings(*prepared.scenario, resolve_aims(aim, *prepared.scenario)));
    if (lacks_result)
        return "valid configuration for 'helioray aim'; 'helioray raytrace' needs a result file "
               "for a series (output.file or --output), and this one has none";
    return has_position ? "valid configuration"
                        : "valid configuration for 'helioray annual' and 'efficiency'; 'helioray "
                          "raytrace' needs a "
                          "position of the sun, and this one has none";
}

int run(const ValidateOptions& options) {
    set_up_log(Verbosity::normal, 0, 1, "");
    const std::string& file = options.file;
    if (detect_file_kind(file) == FileKind::hdf5) {
        if (!options.set.empty()) {
            throw InputError(Problem{"--set " + options.set.front(),
                                     "belongs to a configuration",
                                     file + " is an HDF5 file, which has no keys",
                                     "leave it out, or name the configuration (YAML)"});
        }
        const Scenario scenario = read_scenario(file);
        for (const std::string& warning : scenario.warnings)
            write_log(run::LogLevel::warning, warning);
        fmt::print("{}: valid scenario\n", file);
    } else {
        fmt::print("{}: {}\n", file, validate_config(options));
    }
    return 0;
}

}  // namespace

void add_validate(Command parent, Action& action) {
    const auto options = std::make_shared<ValidateOptions>();
    const Command command =
        parent.add_subcommand("validate",
                              "Check a configuration or scenario and everything it refers to, and "
                              "report every problem; nothing is computed");
    command.add_option("file", options->file, "Configuration (YAML) or scenario (HDF5)")
        .required()
        .type_name("FILE");
    add_set_option(command, options->set);
    command.footer(
        "Examples:\n"
        "  helioray validate configs/quickstart.yaml\n"
        "  helioray validate configs/quickstart.yaml --set sun.elevation_deg=10\n"
        "  helioray validate configs/juelich.h5");
    command.callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace helioray::app

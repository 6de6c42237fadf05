// SPDX-License-Identifier: MIT
// Applies the table of states to the aims of each step.
#include "raytracer/run/step_states.h"

#include "scenario/config/state_aims.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <memory>
#include <set>
#include <string>

namespace helioray::run {

namespace {

/// Returns the aims in the state at a time of a series. Results list the same heliostats in all
/// steps, so heliostats that are out of order have settings that turn them off.
AimConfig aims_at(const std::string& time,
                  const AimConfig& aim,
                  const RunConfig& config,
                  const Scenario& scenario) {
    AimConfig found = aims_with_state(aim, config.state, state_instant(config.state, time));
    if (found.active == aim.active) return found;
    const std::set<std::string> active(found.active->begin(), found.active->end());
    for (const Heliostat& heliostat : scenario.heliostats)
        if (!active.contains(heliostat.name)) found.heliostats[heliostat.name].active = false;
    found.active = aim.active;
    return found;
}

/// Throws InputError if the state changes the target of a heliostat, because results of a series
/// have one target for each heliostat.
void check_same_targets(const std::vector<LitStep>& steps, const RunConfig& config) {
    const auto target = [](const AimConfig& aim, const std::string& name) {
        const auto own = aim.heliostats.find(name);
        const bool has_own = own != aim.heliostats.end() && own->second.target;
        return has_own ? own->second.target : aim.target;
    };
    for (const LitStep& step : steps) {
        for (const auto& [name, rows] : config.state.rows) {
            if (target(*step.aim, name) == target(*steps.front().aim, name)) continue;
            throw InputError(Problem{config.state.places.at(name),
                                     name.empty()
                                         ? "the target of all heliostats changes with time"
                                         : fmt::format("heliostat '{}' changes its target", name),
                                     "the result of a series has one target for each heliostat",
                                     "trace the steps before and after as series of their own"});
        }
    }
}

}  // namespace

void set_states_of_steps(std::vector<LitStep>& steps,
                         const RunConfig& config,
                         const Scenario& scenario) {
    if (config.state.rows.empty()) return;
    for (LitStep& step : steps) {
        if (!step.aim && !config.state.has_times()) continue;
        step.aim = std::make_shared<const AimConfig>(
            aims_at(step.time, step.aim ? *step.aim : config.aim, config, scenario));
    }
    if (steps.front().aim) check_same_targets(steps, config);
}

}  // namespace helioray::run

// SPDX-License-Identifier: MIT
// Reads section state with its table, and applies the states to the aims of the heliostats.
#include "scenario/config/bound_key.h"
#include "scenario/config/state_aims.h"
#include "scenario/inputs/state_table.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace helioray {

namespace {

void read_table(const Section& section, StateConfig& state) {
    if (!state.file) return;
    std::vector<Problem> problems;
    std::optional<std::string> warning;
    try {
        StateConfig table = read_state_table(*state.file, problems, warning);
        state.rows = std::move(table.rows);
        state.places = std::move(table.places);
    } catch (const InputError& error) {
        problems.insert(problems.end(), error.problems().begin(), error.problems().end());
    }
    section.warn(warning);
    section.problems().insert(section.problems().end(), problems.begin(), problems.end());
}

/// Refuses keys of washing that contradict each other or have no effect.
void check_washing(const Section& soiling, const StateConfig& state) {
    const Section washing = soiling.section("washing");
    if (soiling.has("washing") && !soiling.has("rate_per_day"))
        soiling.require("rate_per_day", "mirrors are washed that get dirty");
    if (washing.has("every") && washing.has("days")) {
        washing.fail("days",
                     "is given beside every",
                     "both say when mirrors are washed",
                     "keep one of the two");
    }
    if ((washing.has("share") || washing.has("to")) && !state.has_washing())
        washing.fail(washing.has("share") ? "share" : "to",
                     "has no days of washing",
                     "mirrors are washed on a day of the week or after some days",
                     "add every: monday, or days: 7");
}

/// Refuses widths of a table for distributions that are not Gaussian.
void check_errors(const Section& section, const RunConfig& config) {
    const auto check = [&](const ErrorShape& shape,
                           const char* column,
                           std::optional<double> MirrorState::*member) {
        if (!std::holds_alternative<PillboxShape>(shape)) return;
        for (const auto& [name, rows] : config.state.rows) {
            for (const auto& [instant, state] : rows) {
                if (!(state.*member)) continue;
                section.fail("file",
                             fmt::format("column {} has widths of Gaussian distributions", column),
                             "optics gives this error the type pillbox",
                             "give optics the type gaussian, or remove the column");
                return;
            }
        }
    };
    check(config.optics.slope_error, "slope_error_mrad", &MirrorState::slope_error);
    check(
        config.optics.specularity_error, "specularity_error_mrad", &MirrorState::specularity_error);
}

}  // namespace

std::int64_t state_instant(const StateConfig& state, const std::string& time) {
    if (!state.has_times()) return INT64_MAX;
    if (time.empty())
        throw InputError(Problem{"state.file",
                                 "the table of states has times, and the position of the sun none",
                                 "rows apply from their time on",
                                 "give the position as sun.time or sun.times, or remove the "
                                 "column time"});
    const std::int64_t instant = milliseconds_of(parse_iso_time(time).normalised);
    const bool is_covered =
        std::any_of(state.rows.begin(), state.rows.end(), [&](const auto& of_name) {
            return of_name.second.begin()->first <= instant;
        });
    if (!is_covered)
        throw InputError(Problem{
            "state.file",
            fmt::format(
                "'{}' has no row at {} or before", state.file ? state.file->string() : "", time),
            "rows apply from their time on",
            "add rows for this time"});
    return instant;
}

AimConfig aims_with_state(AimConfig aim, const StateConfig& state, std::int64_t instant) {
    const MirrorState all = state_at(state, "", instant);
    if (all.target) {
        // The aim point of all heliostats belongs to their target.
        if (aim.target != all.target) aim.point.reset();
        aim.target = all.target;
    }
    if (all.point) aim.point = all.point;
    const bool has_aim = all.target || all.point;
    const auto apply = [](HeliostatAim& own, const MirrorState& its) {
        if (its.target && own.target != its.target) {
            own.target = its.target;
            own.point.reset();
        }
        if (its.point) own.point = its.point;
        if (its.target || its.point) own.motor_positions.reset();
        if (its.available == false) own.active = false;
    };
    if (has_aim || all.available == false) {
        for (auto& [name, own] : aim.heliostats) apply(own, state_at(state, name, instant));
    }
    std::vector<std::string> available;
    for (const auto& [name, rows] : state.rows) {
        if (name.empty()) continue;
        const MirrorState its = state_at(state, name, instant);
        if (its.available == true) available.push_back(name);
        const bool differs = its.target != all.target || its.point != all.point ||
                             (its.available == false && all.available != false);
        if (differs || aim.heliostats.contains(name)) apply(aim.heliostats[name], its);
    }
    if (all.available == false) {
        // Only heliostats with a row of their own can be available.
        if (aim.active) {
            std::erase_if(available, [&](const std::string& name) {
                return std::ranges::find(*aim.active, name) == aim.active->end();
            });
        }
        aim.active = std::move(available);
    }
    return aim;
}

void read_state(const Section& root, RunConfig& config) {
    if (!root.has("state")) return;
    const Section section = root.section("state");
    const Section soiling = section.section("soiling");
    StateConfig& state = config.state;
    read_members(section, state);
    read_members(soiling, state);
    read_members(soiling.section("washing"), state);
    read_members(section.section("outages"), state);
    check_washing(soiling, state);
    read_table(section, state);
    check_errors(section, config);
    if (state.rows.empty() || !section.problems().empty()) return;
    // Each step of a series has its own time, and a year has none.
    if (state.has_times() && (config.sun.series || !config.sun.has_position)) return;
    try {
        config.aim =
            aims_with_state(config.aim, state, state_instant(state, position_time(config.sun)));
    } catch (const InputError& error) {
        for (Problem problem : error.problems()) {
            problem.where = section.place("file");
            section.problems().push_back(std::move(problem));
        }
    }
}

}  // namespace helioray

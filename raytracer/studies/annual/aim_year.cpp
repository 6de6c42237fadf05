// SPDX-License-Identifier: MIT
// Chooses the aim points of a year, one sun position after the other.
#include "raytracer/studies/annual/aim_year.h"

#include "raytracer/results/result_file.h"
#include "raytracer/run/clock.h"
#include "raytracer/run/sun_steps.h"
#include "raytracer/run/trace.h"
#include "raytracer/solvers/aiming/aim_field.h"
#include "raytracer/studies/annual/aim_year_file.h"
#include "scenario/config/reader.h"
#include "scenario/files/error.h"
#include "scenario/reader/scenario_reader.h"
#include "scenario/types/choices.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <sstream>
#include <utility>

namespace helioray {

using namespace aiming;

namespace {

// Fraction of the usual search in small fields. A year has hundreds of positions, each at several
// irradiances; with a hundredth of the search it takes minutes instead of an hour.
constexpr double kEffort = 0.01;

// Smallest difference between levels, as a fraction of the highest irradiance. The power is so
// close to a linear function that a chord of twice this length has an error below 0.05 %.
constexpr double kNarrowest = 0.02;
// Lowest optimised level with robust limits, as a fraction of the highest irradiance. Tracking
// errors lower the limits, which the trace of strategy center does not show, so all levels above
// are optimised.
constexpr double kLowestRobust = 0.1;

/// Returns the irradiances at which aim points are optimised, ascending. threshold: irradiance
/// above which strategy center exceeds a limit.
std::vector<double> levels_above(double threshold, double highest, const YearLight& light) {
    const double lowest = light.lowest * highest;
    // The result at the threshold is known from center, and levels below the lowest irradiance are
    // not needed.
    const bool from_lowest = threshold < lowest;
    const double from = from_lowest ? lowest : threshold;
    const double range = (highest - from) / (kNarrowest * highest);
    if (range < 1e-6) return {highest};
    const int count = std::clamp(static_cast<int>(std::ceil(range)) + (from_lowest ? 1 : 0),
                                 from_lowest ? 2 : 1,
                                 light.levels);
    std::vector<double> levels;
    for (int i = 1; i <= count; ++i) {
        const double t =
            from_lowest ? static_cast<double>(i - 1) / (count - 1) : static_cast<double>(i) / count;
        levels.push_back(i == count ? highest : from + t * (highest - from));
    }
    return levels;
}

EnergyTerms scaled(const EnergyTerms& energy, double factor) {
    EnergyTerms result;
    for (const EnergyTermInfo& term : energy_term_infos())
        result.*term.member = factor * energy.*term.member;
    return result;
}

/// Returns the result of `traced` at an irradiance. Heliostats that are missing there are turned
/// off; their lost power follows from center, which was traced at another irradiance.
AimedLevel make_level(const RunResult& center,
                      double center_dni,
                      const RunResult& traced,
                      double dni) {
    const double factor = dni / center_dni;
    AimedLevel level;
    level.dni = dni;
    level.center_power = factor * power_on_targets(center);
    const bool is_center = &traced == &center;
    auto lit = traced.heliostats.begin();
    for (const HeliostatResult& own : center.heliostats) {
        const bool is_on = lit != traced.heliostats.end() && lit->name == own.name;
        EnergyTerms energy = is_on && !is_center ? lit->energy : scaled(own.energy, factor);
        double error = 0.0;
        if (is_on) {
            error = is_center ? factor * own.target_power_std_error : lit->target_power_std_error;
            ++lit;
        }
        level.defocus_loss.push_back(is_on ? 0.0 : std::exchange(energy.target_power, 0.0));
        level.energy.push_back(energy);
        level.target_power_std_error.push_back(error);
    }
    if (is_center) return level;
    level.rays = traced.provenance.rays;
    level.fingerprint = traced.provenance.fingerprint;
    return level;
}

/// Updates the largest ratio of flux to limit so far, and the violation there.
void note_limits(const AimingResult& found, AimedPosition& position) {
    const bool is_worst =
        found.worst_limit_share &&
        (!position.worst_limit_share || *found.worst_limit_share > *position.worst_limit_share);
    if (is_worst) {
        position.worst_limit_share = found.worst_limit_share;
        position.worst_limit_share_std_error = found.worst_limit_share_std_error.value_or(0.0);
    }
    if (found.limits_kept) return;
    if (is_worst || position.violation.empty()) position.violation = found.violation;
}

/// Returns the numbers of rank 0 on all ranks.
std::vector<double> broadcast(run::Session& session, const std::vector<double>& mine) {
    const std::string text = fmt::format("{}", fmt::join(mine, " "));
    std::istringstream stream(session.environment().wait_for_root("irradiances", text));
    std::vector<double> numbers;
    for (double number = 0.0; stream >> number;) numbers.push_back(number);
    return numbers;
}

/// Computes the aim points for one sun position with a fixed strategy, which does not depend on the
/// irradiance. Returns a value on rank 0 only.
std::optional<AimedPosition> aim_by_rule(run::Session& session,
                                         const RunConfig& config,
                                         RunResult& center) {
    std::optional<AimingResult> found = aim_field(session, config, nullptr);
    if (!found) return std::nullopt;
    AimedPosition position;
    center = std::move(found->before);
    position.levels.push_back(make_level(center, config.sun.dni, found->after, config.sun.dni));
    note_limits(*found, position);
    position.is_limited = found->worst_limit_share_before.value_or(0.0) > 1.0;
    return position;
}

/// Optimises one sun position under limits, at as many irradiances as it needs. Returns a value on
/// rank 0 only.
std::optional<AimedPosition> optimise(run::Session& session,
                                      const RunConfig& config,
                                      const YearLight& light,
                                      RunResult& center) {
    const double highest = config.sun.dni;
    RunConfig at_center = config;
    at_center.aiming.strategy = AimingConfig::Strategy::center;
    const std::optional<AimingResult> known = aim_field(session, at_center, nullptr);
    AimedPosition position;
    std::vector<double> levels;
    if (known) {
        center = known->after;
        const double share = known->worst_limit_share.value_or(0.0);
        const bool is_robust = known->errors.any() && known->worst_limit_share;
        position.is_limited = share > 1.0;
        if (is_robust) {
            levels =
                levels_above(0.0, highest, {std::max(light.lowest, kLowestRobust), light.levels});
        } else if (!position.is_limited) {
            position.levels.push_back(make_level(center, highest, center, highest));
            note_limits(*known, position);
        } else {
            position.levels.push_back(make_level(center, highest, center, highest / share));
            levels = levels_above(highest / share, highest, light);
        }
    }
    levels = broadcast(session, levels);
    // Start with the highest irradiance, because its result is the best start for the others.
    std::optional<StepBefore> before;
    const size_t first = position.levels.size();
    for (size_t i = levels.size(); i-- > 0;) {
        RunConfig at_level = config;
        at_level.sun.dni = levels[i];
        auto found = aim_field(session,
                               at_level,
                               before ? &*before : nullptr,
                               before || !known ? nullptr : &*known,
                               kEffort);
        if (!found) continue;
        position.levels.insert(position.levels.begin() + static_cast<std::ptrdiff_t>(first),
                               make_level(center, highest, found->after, levels[i]));
        note_limits(*found, position);
        before = StepBefore{std::move(found->points), std::move(found->limits), std::nullopt};
    }
    return known ? std::optional(std::move(position)) : std::nullopt;
}

void choose_missing(run::Session& session,
                    const std::vector<size_t>& missing,
                    const YearLight& light) {
    const run::PreparedRun& run = session.prepared();
    const bool by_rule = run.config.aiming.strategy != AimingConfig::Strategy::optimize;
    for (const size_t step : missing) {
        session.check_stop();
        const auto start = Clock::now();
        const RunConfig config = config_of_step(run.config, run.steps[step]);
        RunResult center;
        const std::optional<AimedPosition> found = by_rule
                                                       ? aim_by_rule(session, config, center)
                                                       : optimise(session, config, light, center);
        if (!found) continue;
        const double seconds = seconds_since(start);
        write_position(*found, center, step_facts(run.steps[step], seconds), run.parts->part(step));
        const AimedLevel& strongest = found->levels.back();
        double power = 0.0;
        for (const EnergyTerms& energy : strongest.energy) power += energy.target_power;
        write(session.options().log,
              run::LogLevel::debug,
              fmt::format("position {} of {}: {:.1f} kW at {:.0f} W/m2, {:.1f} kW with center, in "
                          "{:.1f} s{}",
                          step,
                          run.steps.size(),
                          power / 1e3,
                          strongest.dni,
                          strongest.center_power / 1e3,
                          seconds,
                          found->violation.empty() ? "" : "; " + found->violation));
    }
}

/// Adds the limit check of one position; the reported violation is the one with the largest ratio.
void add_limits(const AimedPosition& position, const LitStep& sun, YearAiming& aiming) {
    aiming.limited_positions += position.is_limited ? 1 : 0;
    const bool is_worst =
        position.worst_limit_share &&
        (!aiming.worst_limit_share || *position.worst_limit_share > *aiming.worst_limit_share);
    if (is_worst) {
        aiming.worst_limit_share = position.worst_limit_share;
        aiming.worst_limit_share_std_error = position.worst_limit_share_std_error;
    }
    if (position.violation.empty() || (!is_worst && !aiming.violation.empty())) return;
    aiming.violation = fmt::format("with the sun at azimuth {:.1f} and elevation {:.1f} degrees {}",
                                   step_facts(sun, 0.0).azimuth_deg,
                                   step_facts(sun, 0.0).elevation_deg,
                                   position.violation);
}

AimedYear join(const run::PreparedRun& run) {
    const std::vector<std::filesystem::path> parts = run.parts->all();
    const SeriesResult centers = series_of_parts(parts, read_result(parts.front()).provenance);

    AimedYear year;
    SeriesResult& series = year.series;
    series.provenance = centers.provenance;
    series.targets = centers.targets;
    series.heliostats = centers.heliostats;
    series.heliostat_targets = centers.heliostat_targets;
    year.levels.aiming.strategy = find_word(kStrategies, run.config.aiming.strategy);
    year.levels.first_step = {0};
    std::vector<std::string> fingerprints;
    for (size_t step = 0; step < parts.size(); ++step) {
        const AimedPosition position = read_position(parts[step], series.heliostats.size());
        fingerprints.push_back(centers.steps[step].fingerprint);
        for (const AimedLevel& level : position.levels) {
            series.steps.push_back(centers.steps[step]);
            series.steps.back().dni_w_m2 = level.dni;
            const auto append = [](auto& to, const auto& from) {
                to.insert(to.end(), from.begin(), from.end());
            };
            append(series.energy, level.energy);
            append(series.target_power_std_error, level.target_power_std_error);
            append(year.levels.defocus_loss, level.defocus_loss);
            year.levels.center_power.push_back(level.center_power);
            if (level.fingerprint.empty()) continue;
            fingerprints.push_back(level.fingerprint);
            series.provenance.rays += level.rays;
        }
        year.levels.first_step.push_back(series.steps.size());
        add_limits(position, run.steps[step], year.levels.aiming);
    }
    series.provenance.fingerprint = series_fingerprint(fingerprints);
    return year;
}

void check_no_wanted_map(const RunConfig& config) {
    if (!config.aiming.target_map) return;
    throw InputError(Problem{place_of(config, "aiming.objective.target_map"),
                             "is the map of one sun",
                             "a year has all of them",
                             "set aiming.objective: power"});
}

void check_no_shares(const RunConfig& config) {
    if (config.aiming.target_shares.empty()) return;
    throw InputError(Problem{
        place_of(config, "aiming.target_shares"),
        "does not apply to a year",
        "each heliostat has one target through all of it",
        "divide the field once, 'helioray aim CONFIG -o aims.csv' at one position of the sun, then "
        "give aim.file: aims.csv instead of this key"});
}

void check_levels(int levels) {
    if (levels % 2 == 1) return;
    throw InputError(Problem{"--dni-levels",
                             fmt::format("{} is not odd", levels),
                             "every second irradiance is a rule of its own, which gives the error "
                             "of the interpolation",
                             "use 3, for example"});
}

}  // namespace

std::optional<AimedYear> aim_year(run::Session& session, const YearLight& light) {
    std::optional<AimedYear> year;
    session.guard([&] {
        const run::PreparedRun& run = session.prepared();
        check_no_wanted_map(run.config);
        check_no_shares(run.config);
        choose_missing(session, run::find_missing(session).steps, light);
        if (!session.is_root() || run.shard) return;
        session.check_stop();
        year = join(run);
    });
    return year;
}

bool chooses_year_aims(const RunConfig& config) {
    return config.locations.contains("aiming.strategy") &&
           config.aiming.strategy != AimingConfig::Strategy::center;
}

YearRun plan_year_run(const YearOptions& options, RunConfig& config, run::PrepareOptions& how) {
    YearRun year{plan_year(options, read_scenario(config.scenario).position), std::nullopt};
    const auto [lowest, highest] = year.plan.year.clearness(year.plan.grid.min_elevation());
    std::optional<double> clearness;
    // A year without sunlight needs no aim points.
    if (chooses_year_aims(config) && highest > 0.0) {
        check_levels(options.levels);
        check_no_wanted_map(config);
        check_no_shares(config);
        year.light = YearLight{lowest / highest, options.levels};
        clearness = highest;
        how.chooses_aims = true;
        how.recognised_by = fmt::format("\nyear: {} {}\n", year.light->lowest, year.light->levels);
    }
    config = config_of_year(std::move(config), year.plan, clearness);
    return year;
}

namespace {

/// Returns the state of the traced heliostats on the days of a year, or nothing if it is constant.
std::optional<PlantState> plant_state(const run::PreparedRun& run,
                                      const IrradianceYear& year,
                                      const std::vector<std::string>& names) {
    const StateConfig& config = run.config.state;
    if (!config.changes_over_year() || year.moments.empty()) return std::nullopt;
    std::vector<size_t> heliostats;
    for (const std::string& name : names)
        heliostats.push_back(run.scenario->find_heliostat(name).value());
    // Washing after some days is counted from 1 January.
    const std::chrono::year_month_day first{
        std::chrono::sys_days(std::chrono::days(year.moments.front().day))};
    const std::chrono::sys_days new_year(first.year() / std::chrono::January / 1);
    return PlantState(config,
                      std::move(heliostats),
                      run.scenario->heliostats.size(),
                      new_year.time_since_epoch().count(),
                      year.moments.back().day);
}

}  // namespace

std::optional<AnnualYield> trace_year(run::Session& session, const YearRun& year) {
    const YearPlan& plan = year.plan;
    std::optional<AnnualYield> yield;
    const auto compute = [&](const SeriesResult& series, const std::optional<YearLevels>& levels) {
        const std::optional<PlantState> state =
            plant_state(session.prepared(), plan.year, series.heliostats);
        yield = annual_yield(plan.grid, plan.year, series, levels, state ? &*state : nullptr);
    };
    if (year.light) {
        const auto aimed = aim_year(session, *year.light);
        if (!aimed) return std::nullopt;
        compute(aimed->series, aimed->levels);
    } else {
        const auto series = run::trace_series(session);
        if (!series) return std::nullopt;
        compute(*series, std::nullopt);
    }
    set_plan(*yield,
             read_result(session.prepared().parts->part(plan.grid.middle()), HeliostatFlux::skip));
    yield->plant = plan.plant;
    return yield;
}

}  // namespace helioray

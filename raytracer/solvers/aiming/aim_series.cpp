// SPDX-License-Identifier: MIT
// Chooses the aim points of a series step by step.
#include "raytracer/solvers/aiming/aim_series.h"

#include "raytracer/results/result_file.h"
#include "raytracer/run/clock.h"
#include "raytracer/solvers/aiming/aim_file.h"
#include "raytracer/solvers/aiming/aim_shares.h"
#include "scenario/files/error.h"
#include "scenario/types/utc_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

namespace helioray::aiming {

namespace {

/// Returns the largest move of aim points from the previous step, metres, or nullopt if unlimited.
std::optional<double> most_move(const run::PreparedRun& run, size_t step) {
    if (!run.config.aiming.max_move_m_per_minute) return std::nullopt;
    const auto instant = [&](size_t i) {
        return static_cast<double>(milliseconds_of(parse_iso_time(run.steps[i].time).normalised));
    };
    const double minutes = std::abs(instant(step) - instant(step - 1)) / 60e3;
    return *run.config.aiming.max_move_m_per_minute * minutes;
}

/// Opens the part files and returns the number of finished steps from the first one on, as rank 0
/// sees it. Returns the same number on all ranks.
size_t open_parts(run::Session& session) {
    run::PreparedRun& run = session.prepared();
    std::string mine;
    if (session.is_root()) {
        run.parts->open(run.restart);
        const std::vector<size_t> missing = run.parts->missing();
        mine = std::to_string(missing.empty() ? run.steps.size() : missing.front());
    }
    return std::stoul(session.environment().wait_for_root("finished steps", mine));
}

AimedStep read_step(const run::PreparedRun& run, size_t step, const std::filesystem::path& part) {
    AimedStep read;
    read.sun = run.steps[step];
    const RunConfig config = config_of_step(run.config, read.sun);
    read.seconds = read_aiming_part(part, config, *run.scenario, read.aiming);
    return read;
}

/// Reads a step, but keeps only the provenance of the verifying run.
AimedStep read_facts(const run::PreparedRun& run, size_t step, const std::filesystem::path& part) {
    AimedStep read = read_step(run, step, part);
    Provenance provenance = std::move(read.aiming.after.provenance);
    read.aiming.after = {};
    read.aiming.after.provenance = std::move(provenance);
    return read;
}

std::vector<std::filesystem::path> list_parts(const run::PreparedRun& run) {
    std::vector<std::filesystem::path> parts;
    for (size_t step = 0; step < run.steps.size(); ++step) parts.push_back(run.parts->part(step));
    return parts;
}

void store(const run::PreparedRun& run,
           size_t step,
           AimingResult& found,
           double seconds,
           double most_power) {
    const LitStep& lit = run.steps[step];
    add_idle_heliostats(found.after, config_of_step(run.config, lit), *run.scenario);
    // Store the previous flux as well if this is the strongest step so far, which is shown.
    if (found.power > most_power) write_result(found.before, part_before(*run.parts, step));
    write_aiming_part(found, step_facts(lit, seconds), *run.scenario, run.parts->part(step));
}

/// Chooses the aim points of the steps from `first` on.
void choose_missing(run::Session& session, size_t first) {
    const run::PreparedRun& run = session.prepared();
    StepBefore before;
    double most_power = 0.0;
    if (session.is_root()) {
        for (size_t step = 0; step < first; ++step) {
            AimedStep done = read_facts(run, step, run.parts->part(step));
            most_power = std::max(most_power, done.aiming.power);
            add_targets(done.aiming.points, before.targets);
            before.points = std::move(done.aiming.points);
            before.limits = std::move(done.aiming.limits);
        }
    }
    for (size_t step = first; step < run.steps.size(); ++step) {
        session.check_stop();
        const auto start = Clock::now();
        const RunConfig config = config_of_step(run.config, run.steps[step]);
        if (step > 0) before.most_move = most_move(run, step);
        auto found = aim_field(session, config, step > 0 ? &before : nullptr);
        if (!found) continue;
        const double seconds = seconds_since(start);
        store(run, step, *found, seconds, most_power);
        most_power = std::max(most_power, found->power);
        write(session.options().log,
              run::LogLevel::info,
              fmt::format("step {} of {} ({}): {:.1f} kW in {:.1f} s{}",
                          step,
                          run.steps.size(),
                          label_of(run.steps[step]),
                          found->power / 1e3,
                          seconds,
                          found->violation.empty() ? "" : "; " + found->violation));
        add_targets(found->points, before.targets);
        before.points = std::move(found->points);
        before.limits = std::move(found->limits);
    }
}

}  // namespace

std::string AimedStep::label(size_t index) const {
    return sun.time.empty() ? fmt::format("step {}", index) : sun.time;
}

bool AimSeries::is_timed() const {
    std::set<std::int64_t> instants;
    return std::all_of(steps.begin(), steps.end(), [&](const AimedStep& step) {
        return !step.sun.time.empty() &&
               instants.insert(milliseconds_of(parse_iso_time(step.sun.time).normalised)).second;
    });
}

std::string AimSeries::violation() const {
    std::string first;
    size_t count = 0;
    for (size_t step = 0; step < steps.size(); ++step) {
        if (steps[step].aiming.violation.empty()) continue;
        if (count++ == 0) first = steps[step].label(step) + ": " + steps[step].aiming.violation;
    }
    if (count <= 1) return first;
    return fmt::format(
        "{} steps cannot keep their flux limits or shares; the first, {}", count, first);
}

std::string AimSeries::fingerprint() const {
    std::vector<std::string> all;
    for (const AimedStep& step : steps) all.push_back(step.aiming.after.provenance.fingerprint);
    return series_fingerprint(all);
}

void check_aim_series(const run::PreparedRun& run) {
    const AimingConfig& aiming = run.config.aiming;
    const auto refuse = [&](const char* key,
                            const std::string& what,
                            const std::string& why,
                            const std::string& advice) {
        throw InputError(Problem{place_of(run.config, key), what, why, advice});
    };
    if (aiming.max_move_m_per_minute && !run.is_series())
        refuse("aiming.max_move_m_per_minute",
               "there is one position of the sun",
               "it limits the way between two of them",
               "leave the key out, or give several times (sun.times)");
    if (aiming.min_move > 0.0 && !run.is_series() && !run.config.aim.file)
        refuse("aiming.min_move_m",
               "there are no aim points before these",
               "it keeps aim points of the step before, or of aim.file",
               "leave the key out, or give aim.file or several positions of the sun");
    if (!aiming.max_move_m_per_minute) return;
    for (size_t step = 0; step < run.steps.size(); ++step) {
        if (run.steps[step].time.empty())
            refuse("aiming.max_move_m_per_minute",
                   "a position of the sun has no time",
                   "the way of an aim point follows from the minutes between steps",
                   "give the positions as times (sun.times), or leave the key out");
        if (step > 0 && *most_move(run, step) < aiming.min_move)
            refuse("aiming.min_move_m",
                   fmt::format("no aim point may move by {:g} m until {}",
                               aiming.min_move,
                               run.steps[step].time),
                   fmt::format("aiming.max_move_m_per_minute allows {:g} m", *most_move(run, step)),
                   "give a shorter way here, or a longer one there");
    }
}

std::optional<AimSeries> aim_series(run::Session& session) {
    std::optional<AimSeries> series;
    session.guard([&] {
        run::PreparedRun& run = session.prepared();
        check_aim_series(run);
        const size_t first = open_parts(session);
        if (session.is_root() && first > 0)
            write(session.options().log,
                  run::LogLevel::info,
                  fmt::format("continues: {} of {} steps are done", first, run.steps.size()));
        choose_missing(session, first);
        if (!session.is_root()) return;
        series = read_aim_series(run, list_parts(run));
        series->shown.before = read_result(part_before(*run.parts, series->strongest));
        series->steps_done_before = first;
    });
    return series;
}

AimSeries read_aim_series(const run::PreparedRun& run,
                          const std::vector<std::filesystem::path>& parts) {
    AimSeries series;
    for (size_t step = 0; step < parts.size(); ++step) {
        series.steps.push_back(read_facts(run, step, parts[step]));
        if (series.steps.back().aiming.power > series.steps[series.strongest].aiming.power)
            series.strongest = step;
    }
    series.shown = read_step(run, series.strongest, parts[series.strongest]).aiming;
    return series;
}

void write_aimed_series(const AimSeries& series,
                        const run::PreparedRun& run,
                        const std::filesystem::path& path) {
    write_series(list_parts(run), series.shown.after.provenance, path, run.time_zone);
}

}  // namespace helioray::aiming

// SPDX-License-Identifier: MIT
// Divides the field, chooses aim points, compares the traced fractions, and divides it again.
#include "raytracer/solvers/aiming/aim_shares.h"

#include "raytracer/solvers/aiming/search/target_shares.h"
#include "raytracer/solvers/aiming/traced/start.h"
#include "raytracer/solvers/aiming/traced/trace_field.h"
#include "raytracer/tracing/kinematics/alignment.h"
#include "scenario/types/vector_math.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>

namespace helioray::aiming {

namespace {

// A heliostat is not sent to a target to which it brings less than this fraction of its best power,
// because it is then located almost behind the target.
constexpr double kNothing = 0.01;
// Maximum number of rays per heliostat. They determine the power of one heliostat on a target to a
// few per cent and that of a whole field far better; the verifying trace corrects it.
constexpr int64_t kMostRays = 16'384;
// Maximum number of divisions of the field that are traced.
constexpr int kMostDivisions = 4;
// Allowed shortage of a target, as a fraction of the power.
constexpr double kShortage = 0.01;
// Allowed shortage in the later steps of a series, whose heliostats keep their targets.
constexpr double kShortageLater = 0.05;
// Improvement over the best round that is required for another round, as a fraction of the power.
constexpr double kStalledPower = 1e-3;
// Largest factor by which the expected power of a target changes between two rounds.
constexpr double kMostCorrection = 4.0;

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100.0 * share);
}

/// Returns for each point whether the drives can reach it.
std::vector<uint8_t> in_reach(const RunConfig& config,
                              const Scenario& scenario,
                              const std::vector<AimedPoint>& points,
                              int num_threads) {
    std::vector<size_t> heliostats;
    std::vector<Vec3> aims;
    for (const AimedPoint& point : points) {
        heliostats.push_back(point.aim.heliostat);
        aims.push_back(point.aim.point);
    }
    const Vec3 incident = scaled(-1.0, direction_to_sun(config.sun, scenario.position));
    const Alignment alignment = align_to_aim_points(
        kinematics_records(scenario, heliostats), {&incident, 1}, aims, num_threads);
    std::vector<uint8_t> reached;
    for (const AlignedMirror& mirror : alignment.mirrors)
        reached.push_back(mirror.is_in_reach() ? 1 : 0);
    return reached;
}

/// Divides the field on all ranks; only rank 0 knows the traced powers.
class ShareAiming {
  public:
    ShareAiming(run::Session& session, const RunConfig& config)
        : session_(session),
          config_(config),
          scenario_(*session.prepared().scenario),
          points_(configured_points(config, scenario_)) {
        for (size_t t = 0; t < scenario_.targets.size(); ++t) {
            const auto share = config_.aiming.target_shares.find(scenario_.targets[t].name);
            if (share == config_.aiming.target_shares.end()) continue;
            targets_.push_back(t);
            shares_.push_back(share->second);
        }
        for (AimedPoint& point : points_) is_free_.push_back(is_free(point) ? 1 : 0);
    }

    std::optional<AimingResult> first() {
        measure();
        if (session_.is_root()) divide();
        std::optional<AimingResult> best;
        int64_t traces = std::ssize(targets_);
        bool goes_on = true;
        for (int round = 1; goes_on; ++round) {
            share_targets();
            auto found = aim(nullptr);
            goes_on = false;
            if (found) {
                traces += found->traces;
                const bool has_improved = !best || is_better(*found, *best);
                const double power = best ? power_of_all(*best) : 0.0;
                const bool has_stalled =
                    best && power_of_all(*found) < power * (1.0 + kStalledPower);
                const bool is_met = shortage(*found) <= allowed(*found, kShortage, 0.5);
                goes_on = !is_met && !has_stalled && round < kMostDivisions && correct(*found);
                if (has_improved) best = std::move(found);
            }
            goes_on = of_root(session_, {goes_on ? 1 : 0}).front() != 0;
        }
        if (!best) return std::nullopt;
        best->traces = traces;
        note_shortage(*best, allowed(*best, kShortage, 1.0), "");
        return best;
    }

    std::optional<AimingResult> next(const StepBefore& before) {
        for (AimedPoint& point : points_)
            if (const auto known = before.targets.find(point.aim.heliostat);
                known != before.targets.end())
                point.aim.target = known->second;
        share_targets();
        auto found = aim(&before);
        if (found)
            note_shortage(*found,
                          allowed(*found, kShortageLater, 1.0),
                          "; a series keeps the targets of its first step");
        return found;
    }

  private:
    /// Returns false for heliostats with motor positions and for those whose configured target has
    /// no fraction; they keep their targets.
    bool is_free(const AimedPoint& point) const {
        if (point.aim.motor_positions) return false;
        const auto own =
            config_.aim.heliostats.find(scenario_.heliostats[point.aim.heliostat].name);
        return own == config_.aim.heliostats.end() || !own->second.target ||
               config_.aiming.target_shares.contains(*own->second.target);
    }

    /// Broadcasts the targets of rank 0.
    void share_targets() {
        std::vector<int64_t> numbers;
        for (const AimedPoint& point : points_)
            numbers.push_back(static_cast<int64_t>(point.aim.target));
        numbers = of_root(session_, std::move(numbers));
        for (size_t i = 0; i < points_.size(); ++i)
            points_[i].aim.target = static_cast<size_t>(numbers[i]);
    }

    /// Traces the power of every heliostat on every target, with all heliostats aimed at the same
    /// target.
    void measure() {
        table_.num_targets = targets_.size();
        table_.watts.assign(points_.size() * targets_.size(), 0.0);
        RunConfig rough = config_;
        rough.tracing.rays_per_heliostat = std::min(config_.tracing.rays_per_heliostat, kMostRays);
        rough.tracing.relative_error.reset();
        for (size_t t = 0; t < targets_.size(); ++t) {
            session_.check_stop();
            std::vector<AimedPoint> points = points_;
            for (size_t i = 0; i < points.size(); ++i) {
                if (is_free_[i] == 0) continue;
                Aim& aim = points[i].aim;
                aim.target = targets_[t];
                aim.point = default_aim_point(scenario_.targets[targets_[t]],
                                              scenario_.heliostats[aim.heliostat].position);
            }
            const auto reached =
                in_reach(config_, scenario_, points, session_.options().num_threads);
            for (size_t i = 0; i < points.size(); ++i)
                points[i].active = is_free_[i] == 0 || reached[i] != 0;
            if (std::none_of(points.begin(), points.end(), [](const auto& p) { return p.active; }))
                continue;
            if (const auto traced = trace_field(session_, rough, points, {}))
                note_powers(traced->run, t);
        }
        for (size_t i = 0; i < points_.size(); ++i) {
            const auto row = std::span(table_.watts).subspan(i * targets_.size(), targets_.size());
            const double most = *std::max_element(row.begin(), row.end());
            for (double& watts : row)
                if (watts < kNothing * most) watts = 0.0;
        }
    }

    void note_powers(const RunResult& run, size_t t) {
        auto mirror = run.heliostats.begin();
        for (size_t i = 0; i < points_.size() && mirror != run.heliostats.end(); ++i) {
            if (mirror->name != scenario_.heliostats[points_[i].aim.heliostat].name) continue;
            if (mirror->target == scenario_.targets[targets_[t]].name)
                table_.watts[i * targets_.size() + t] = mirror->energy.target_power;
            ++mirror;
        }
    }

    /// Assigns a target to every heliostat that may change it.
    void divide() {
        const FieldDivision division = divide_field(table_, shares_);
        const auto strongest =
            std::max_element(division.watts.begin(), division.watts.end()) - division.watts.begin();
        std::vector<int64_t> counts(targets_.size(), 0);
        for (size_t i = 0; i < points_.size(); ++i) {
            if (is_free_[i] == 0) continue;
            const size_t chosen = division.target_of[i] == FieldDivision::kNowhere
                                      ? static_cast<size_t>(strongest)
                                      : division.target_of[i];
            points_[i].aim.target = targets_[chosen];
            ++counts[chosen];
        }
        std::vector<std::string> texts;
        for (size_t t = 0; t < targets_.size(); ++t)
            texts.push_back(fmt::format("{} {}", scenario_.targets[targets_[t]].name, counts[t]));
        write(session_.options().log,
              run::LogLevel::info,
              fmt::format("heliostats by target: {}", fmt::join(texts, ", ")));
    }

    /// Runs the strategy with the chosen targets and sets the resulting fractions.
    std::optional<AimingResult> aim(const StepBefore* before) {
        std::map<size_t, size_t> targets;
        add_targets(points_, targets);
        RunConfig divided = with_targets(config_, scenario_, targets);
        divided.aiming.target_shares.clear();
        std::optional<AimingResult> found = aim_field(session_, divided, before);
        if (!found) return found;
        double sum = 0.0;
        for (size_t t = 0; t < targets_.size(); ++t) {
            const std::string& name = scenario_.targets[targets_[t]].name;
            const TargetResult* target = find_target(found->after, name);
            found->shares.push_back({name, shares_[t], target ? target->power_w : 0.0});
            sum += found->shares.back().reached;
        }
        for (TargetShare& share : found->shares) share.reached /= sum > 0.0 ? sum : 1.0;
        return found;
    }

    /// Returns the power of each target with a fraction, W.
    std::vector<double> powers(const AimingResult& found) const {
        std::vector<double> watts;
        for (const TargetShare& share : found.shares) {
            const TargetResult* target = find_target(found.after, share.target);
            watts.push_back(target ? target->power_w : 0.0);
        }
        return watts;
    }

    double power_of_all(const AimingResult& found) const {
        return shared_power(powers(found), shares_);
    }

    /// Returns the largest shortage of a target, as a fraction of the power.
    static double shortage(const AimingResult& found) {
        double most = 0.0;
        for (const TargetShare& share : found.shares)
            most = std::max(most, share.wanted - share.reached);
        return most;
    }

    /// Returns the allowed shortage: `least`, or `of_heliostat` times the strongest heliostat's
    /// fraction of the power if that is larger.
    double allowed(const AimingResult& found, double least, double of_heliostat) const {
        double sum = 0.0, strongest = 0.0;
        for (const double watts : powers(found)) sum += watts;
        for (const HeliostatResult& heliostat : found.after.heliostats)
            if (config_.aiming.target_shares.contains(heliostat.target))
                strongest = std::max(strongest, heliostat.energy.target_power);
        return std::max(least, sum > 0.0 ? of_heliostat * strongest / sum : 0.0);
    }

    /// Returns true if `a` is better than `b`. Power beyond a target's fraction counts less than a
    /// shortage.
    bool is_better(const AimingResult& a, const AimingResult& b) const {
        if (a.limits_kept != b.limits_kept) return a.limits_kept;
        const double more = power_of_all(a), less = power_of_all(b);
        if (std::abs(more - less) > kStalledPower * less) return more > less;
        return a.power > b.power;
    }

    /// Divides the field again with the traced powers. Returns true if any heliostat changes its
    /// target.
    bool correct(const AimingResult& found) {
        const std::vector<double> watts = powers(found);
        std::vector<double> expected(targets_.size(), 0.0);
        for (size_t i = 0; i < points_.size(); ++i)
            for (size_t t = 0; t < targets_.size(); ++t)
                if (points_[i].aim.target == targets_[t]) expected[t] += table_.at(i, t);
        for (size_t t = 0; t < targets_.size(); ++t) {
            if (expected[t] == 0.0) continue;
            const double factor =
                std::clamp(watts[t] / expected[t], 1.0 / kMostCorrection, kMostCorrection);
            for (size_t i = 0; i < points_.size(); ++i)
                table_.watts[i * targets_.size() + t] *= factor;
        }
        const std::vector<AimedPoint> old = points_;
        divide();
        return !std::equal(
            old.begin(), old.end(), points_.begin(), [](const auto& a, const auto& b) {
                return a.aim.target == b.aim.target;
            });
    }

    /// Records which target has the largest shortage.
    static void note_shortage(AimingResult& found, double most, const std::string& reason) {
        const auto worst = std::max_element(
            found.shares.begin(), found.shares.end(), [](const auto& a, const auto& b) {
                return a.wanted - a.reached < b.wanted - b.reached;
            });
        found.shares_met = worst->wanted - worst->reached <= most;
        if (*found.shares_met) return;
        if (!found.violation.empty()) found.violation += "; ";
        found.violation += fmt::format("target '{}' gets {} of the power instead of {}{}",
                                       worst->target,
                                       percent(worst->reached),
                                       percent(worst->wanted),
                                       reason);
    }

    run::Session& session_;
    const RunConfig& config_;
    const Scenario& scenario_;
    std::vector<AimedPoint> points_;  ///< Aim points with the chosen targets
    std::vector<uint8_t> is_free_;    ///< 1 if the heliostat may change its target, by point
    std::vector<size_t> targets_;     ///< Targets with fractions, indices in Scenario::targets
    std::vector<double> shares_;      ///< Fractions of these targets
    PowerTable table_;                ///< Power by point and target with a fraction
};

}  // namespace

RunConfig with_targets(const RunConfig& config,
                       const Scenario& scenario,
                       const std::map<size_t, size_t>& targets) {
    RunConfig result = config;
    for (const auto& [heliostat, index] : targets) {
        HeliostatAim& own = result.aim.heliostats[scenario.heliostats[heliostat].name];
        const std::string& target = scenario.targets[index].name;
        if (own.target.value_or(config.aim.target.value_or("")) != target) own.point.reset();
        own.target = target;
    }
    return result;
}

void add_targets(const std::vector<AimedPoint>& points, std::map<size_t, size_t>& targets) {
    for (const AimedPoint& point : points) targets[point.aim.heliostat] = point.aim.target;
}

std::optional<AimingResult> aim_shares(run::Session& session,
                                       const RunConfig& config,
                                       const StepBefore* before) {
    std::optional<AimingResult> found;
    session.guard([&] {
        // The other ranks know that there is a previous step, but not its content.
        ShareAiming shares(session, config);
        found = before ? shares.next(*before) : shares.first();
    });
    return found;
}

}  // namespace helioray::aiming

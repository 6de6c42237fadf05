// SPDX-License-Identifier: MIT
// Chooses aim points in rounds of solving, tracing and correcting.
#include "raytracer/solvers/aiming/aim_field.h"

#include "raytracer/run/clock.h"
#include "raytracer/solvers/aiming/aim_series.h"
#include "raytracer/solvers/aiming/aim_shares.h"
#include "raytracer/solvers/aiming/model/wanted_map.h"
#include "raytracer/solvers/aiming/search/optimize.h"
#include "raytracer/solvers/aiming/search/strategies.h"
#include "raytracer/solvers/aiming/traced/field_model.h"
#include "raytracer/solvers/aiming/traced/flux_limits.h"
#include "raytracer/solvers/aiming/traced/limit_check.h"
#include "raytracer/solvers/aiming/traced/robust_room.h"
#include "raytracer/solvers/aiming/traced/start.h"
#include "raytracer/solvers/aiming/traced/trace_field.h"
#include "raytracer/solvers/aiming/traced/traced_bound.h"
#include "raytracer/tracing/geometry/frames.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

namespace helioray::aiming {

namespace {

using Strategy = AimingConfig::Strategy;

// The optimiser stays below limits by this number of standard errors of the corrections, which are
// averages over pixels, so that a trace with other random numbers keeps them, too.
constexpr double kBackOff = 0.75;
constexpr int kMostRounds = 10;  ///< Maximum number of traces during optimisation
// Rounds after which exceeded limits no longer rise, and after which heliostats are only turned
// off, because images that were traced at other aim points have errors at new ones.
constexpr int kFreeRounds = 3;
constexpr int kMovingRounds = 8;
// Fractions of a limit by which the model may exceed it. The model is less accurate before the
// first trace.
constexpr double kFirstTolerance = 3e-3;
constexpr double kLeastTolerance = 5e-4;
constexpr double kMostTolerance = 2e-3;
// Standard errors above a limit at which the optimiser stops; fewer than kErrorsAboveLimit.
constexpr double kFewErrors = 1.5;
// The optimiser stops after the first round if the gap is at most this.
constexpr double kGoodGap = 0.004;
// Steps to improve the bound after each trace. Later rounds start from the prices of the round
// before.
constexpr int kBoundSteps = 180;
// A small field searches again, at most this often, if less than this fraction of the power is
// left.
constexpr int kMostSearches = 2;
constexpr double kSettled = 0.99;
// Relative improvement over the best round that is required for another round.
constexpr double kStalled = 3e-4;
// Relative improvement of the distance from a target flux map, which includes the noise of rays.
constexpr double kStalledMap = 0.01;
// The initial aim points keep this number of standard deviations of the image from the edges.
constexpr double kStartFactor = 1.5;

/// Chooses the aim points on rank 0.
class FieldAiming {
  public:
    FieldAiming(run::Session& session,
                const RunConfig& config,
                std::vector<AimedPoint> points,
                std::vector<LimitMap> limits,
                const StepBefore* before,
                double effort)
        : session_(session),
          config_(config),
          effort_(effort),
          scenario_(*session.prepared().scenario),
          points_(std::move(points)),
          field_(config, scenario_, points_, limits, session.options().num_threads) {
        result_.errors = aim_errors(session.prepared());
        if (result_.errors.calibrated && !before)
            write(session_.options().log,
                  run::LogLevel::info,
                  fmt::format(
                      "limits leave room for {} of the calibration's "
                      "expected aim errors, {:.2f} mrad (rms of the heliostats{})",
                      config_.aiming.robust_confidence
                          ? fmt::format("{:g} % of the draws",
                                        100.0 * *config_.aiming.robust_confidence)
                          : fmt::format("{:g} standard deviations", config_.aiming.robust_sigma),
                      1e3 * result_.errors.rms(),
                      result_.errors.tracking ? ", with the tracking error" : ""));
        result_.limits = std::move(limits);
        if (config_.aiming.target_map)
            wanted_ = read_wanted_map(config_, scenario_, field_.flux.grids);
        if (config_.aiming.strategy == Strategy::center) return;
        field_.can_aim = keep_in_reach(config_, scenario_, field_.flux, points_, field_.ranges);
        if (const auto idle = std::count(field_.can_aim.begin(), field_.can_aim.end(), 0); idle > 0)
            write(session_.options().log,
                  run::LogLevel::warning,
                  fmt::format("{} heliostat(s) stay off: their motors reach no aim point", idle));
        if (!before) return;
        continues_ = true;
        starts_near_ = !before->limits.empty();
        begin_from(*before, field_.flux, points_, field_.ranges, field_.can_aim);
        held_ = held_aims(config_, *before, points_, field_.ranges, field_.can_aim);
        best_prices_ = cell_prices(before->limits, field_.flux, scenario_, config_.bitmap);
    }

    AimingResult run(const AimingResult* center) {
        before_ = center != nullptr ? TracedField{center->after, center->shields} : trace(points_);
        const Strategy strategy = config_.aiming.strategy;
        if (strategy == Strategy::optimize) {
            optimize();
        } else {
            if (strategy != Strategy::center) {
                trace_images();
                std::vector<Setting> chosen = by_rule(strategy, config_.aiming.sigma_factor);
                for (size_t i = 0; i < chosen.size(); ++i)
                    if (held_.keeps(i, chosen[i].aim)) chosen[i].aim = *held_.points[i];
                place(chosen);
                after_ = trace(points_);
            } else {
                after_ = before_;
            }
            note_round(after_);
        }
        finish();
        return std::move(result_);
    }

  private:
    TracedField trace(std::vector<AimedPoint> points) {
        session_.check_stop();
        share_points(session_, true, points);
        ++result_.traces;
        return *trace_field(session_, config_, points, result_.limits);
    }

    /// Returns true for sun positions of a year, which need no bound.
    bool is_quick() const { return effort_ < 1.0; }

    void trace_images() {
        session_.check_stop();
        field_.trace_images(config_, scenario_, points_, {starts_near_, is_quick()});
        ++result_.traces;
    }

    /// Updates the room for aim errors at these settings.
    void set_room(const std::vector<Setting>& settings) {
        room_ = robust_room(config_,
                            scenario_,
                            result_.errors,
                            field_.flux,
                            points_,
                            settings,
                            limits_of_cells({}, 0.0, {}),
                            room_.factor);
        if (!room_.deviation.empty()) result_.robust_factor = room_.factor;
    }
    std::vector<double> limits_of_cells(const std::vector<MapCorrection>& corrections,
                                        double back_off,
                                        const std::vector<double>& room,
                                        std::vector<LimitPlace>* places = nullptr) const {
        return cell_limits(
            field_.flux, result_.limits, config_.bitmap, corrections, back_off, room, places);
    }
    /// Returns the limits of cells, corrected by a trace of these settings.
    std::vector<double> corrected_limits(const TracedField& traced,
                                         const std::vector<Setting>& settings) const {
        return limits_of_cells(
            map_corrections(
                field_.flux, result_.limits, config_.bitmap, traced, field_.flux.cells(settings)),
            kBackOff,
            room_.watts());
    }

    /// Applies the settings to the points, except heliostats with motor positions.
    void place(const std::vector<Setting>& settings) {
        for (size_t i = 0; i < points_.size(); ++i) {
            AimedPoint& point = points_[i];
            point.active = settings[i].share > 0.0 && field_.can_aim[i] != 0;
            if (point.aim.motor_positions) continue;
            const SurfacePoint at = on_surface(field_.aim_surfaces[i], settings[i].aim);
            if (at.x == point.x && at.y == point.y) continue;
            point.x = at.x;
            point.y = at.y;
            point.aim.point = surface_point(field_.aim_surfaces[i], at.x, at.y);
        }
    }

    std::vector<Setting> settings() const {
        std::vector<Setting> settings;
        for (const AimedPoint& point : points_)
            settings.push_back({{point.x, point.y}, point.active ? 1.0 : 0.0});
        return settings;
    }

    std::vector<Setting> by_rule(Strategy strategy, double factor) const {
        if (strategy == Strategy::equator)
            return aim_at_equator(field_.flux, field_.nearest, field_.ranges);
        if (strategy == Strategy::sigma)
            return aim_by_spread(field_.flux, field_.nearest, field_.ranges, factor);
        return aim_by_image_size(field_.flux,
                                 field_.nearest,
                                 field_.ranges,
                                 factor,
                                 wanted_ ? wanted_->cells : std::vector<double>{});
    }

    void note_round(const TracedField& traced, double bound = 0.0) {
        Round round;
        round.iterations = static_cast<int>(result_.iterations);
        round.power = power_on_targets(traced.run);
        round.bound = bound;
        round.worst_limit_share = check_limits(result_.limits, traced).worst_share.value_or(0.0);
        round.seconds = seconds_since(start_);
        result_.rounds.push_back(round);
    }

    /// Traced aim points.
    struct Candidate {
        std::vector<AimedPoint> points;
        TracedField traced;
        bool kept = false;    ///< True if the limits are kept within kFewErrors
        double errors = 0.0;  ///< Largest excess over a limit, in its standard errors
        double merit = 0.0;   ///< Power, W, or minus the distance from the target flux map

        bool is_better_than(const Candidate& other) const {
            if (kept != other.kept) return kept;
            return kept ? merit > other.merit : errors < other.errors;
        }
    };

    void optimize();
    double prepare(AimProblem& problem, AimSolution& solution);
    Candidate trace_candidate(AimSolution& solution);
    void keep_known(std::vector<AimedPoint> points, TracedField traced);
    void bound(AimProblem problem,
               const TracedField& traced,
               const std::vector<Setting>& settings,
               const std::vector<double>& prices);
    void finish();

    run::Session& session_;
    const RunConfig& config_;
    double effort_;  ///< Fraction of the usual search in small fields
    const Scenario& scenario_;
    Clock::time_point start_ = Clock::now();
    std::vector<AimedPoint> points_;
    FieldModel field_;
    std::optional<WantedMap> wanted_;
    std::vector<double> best_prices_;  ///< Shadow prices, W per W, by cell
    bool continues_ = false;           ///< True after a previous step or with aim.file
    bool starts_near_ = false;         ///< True if best_prices_ come from the previous step
    HeldAims held_;
    RobustRoom room_;
    TracedField before_, after_;
    AimingResult result_;
};

/// Sets the problem and the start of the first round. Returns the tolerance of the limits.
double FieldAiming::prepare(AimProblem& problem, AimSolution& solution) {
    problem.model = &field_.flux;
    problem.ranges = field_.ranges;
    problem.starts_near = starts_near_;
    problem.effort = effort_;
    problem.held = held_;
    if (wanted_) problem.wanted = &*wanted_;
    solution.settings = continues_ ? settings() : by_rule(Strategy::image_size, kStartFactor);
    set_room(solution.settings);
    if (continues_) {
        // The previous points are already traced, so the first round uses corrected limits.
        solution.prices = best_prices_;
        problem.limits = corrected_limits(before_, solution.settings);
        return kMostTolerance;
    }
    solution.prices.assign(field_.flux.num_cells, 0.0);
    problem.limits = limits_of_cells({}, 0.0, room_.watts());
    return kFirstTolerance;
}

/// Places and traces a solution, and sets its settings to those that were traced.
FieldAiming::Candidate FieldAiming::trace_candidate(AimSolution& solution) {
    place(solution.settings);
    // Keep one heliostat on, because a field without light cannot be traced.
    if (std::none_of(points_.begin(), points_.end(), [](const auto& p) { return p.active; }))
        points_.front().active = true;
    Candidate candidate;
    candidate.points = points_;
    candidate.traced = trace(points_);
    candidate.merit = power_on_targets(candidate.traced.run);
    solution.settings = settings();
    return candidate;
}

void FieldAiming::optimize() {
    const std::vector<AimedPoint> start = points_;
    trace_images();
    AimProblem problem;
    AimSolution solution;
    double tolerance = prepare(problem, solution);
    Candidate best;
    double most = 0.0;
    int searches = 0;
    for (int round = 0; round < kMostRounds; ++round) {
        session_.check_stop();
        problem.only_turns_off = round >= kMovingRounds && !best.kept;
        solve(problem, tolerance, solution);
        result_.iterations = solution.iterations;
        Candidate candidate = trace_candidate(solution);
        const LimitCheck check = check_limits(result_.limits, candidate.traced);
        candidate.kept = check.most_errors <= kFewErrors;
        candidate.errors = check.most_errors;
        // The first correction also covers the change of images as they move. Tracing them after
        // every round took a fifth of the time and did not improve the aim points.
        if (round > 0 && !candidate.kept && !field_.has_lattices()) trace_images();
        set_room(solution.settings);
        // Do not solve more accurately than the standard error of the trace.
        tolerance = std::clamp(0.5 * check.worst_std_error, kLeastTolerance, kMostTolerance);
        if (!wanted_) {
            bound(problem, candidate.traced, solution.settings, solution.prices);
        } else {
            const std::vector<double> cells = field_.flux.cells(solution.settings);
            problem.beyond =
                traced_cells(candidate.traced.run, scenario_, config_.bitmap, field_.flux);
            candidate.merit = -wanted_->distance(problem.beyond);
            for (size_t c = 0; c < cells.size(); ++c) problem.beyond[c] -= cells[c];
        }
        problem.starts_near = true;
        // Corrections only hold near the traced aim points, which another search would leave. It is
        // only worthwhile where limits cost much of the power that a search found.
        most = std::max(most, candidate.merit);
        const bool searches_again = solution.is_searched && candidate.merit < kSettled * most &&
                                    ++searches <= kMostSearches;
        problem.only_settles = solution.is_searched && !searches_again;
        note_round(candidate.traced, result_.power_bound.value_or(0.0));
        std::vector<double> limits = corrected_limits(candidate.traced, solution.settings);
        // Corrections may alternate between lower and higher limits; from here on limits only fall.
        if (round >= kFreeRounds && !candidate.kept)
            for (size_t c = 0; c < limits.size(); ++c)
                limits[c] = std::min(limits[c], problem.limits[c]);
        problem.limits = std::move(limits);
        // Merits are negative for a target flux map.
        const double progress = (wanted_ ? kStalledMap : kStalled) * std::abs(best.merit);
        const bool has_stalled =
            candidate.kept && best.kept && candidate.merit < best.merit + progress;
        // The room is computed at the current aim points, so later rounds estimate it better.
        const bool leaves_more_room = candidate.kept && !room_.deviation.empty();
        if (round == 0 || leaves_more_room || candidate.is_better_than(best))
            best = std::move(candidate);
        // Further rounds with corrected limits gain only a ten-thousandth of the power.
        const bool is_enough =
            !wanted_ &&
            (starts_near_ || round > 0 ||
             (room_.deviation.empty() && best.merit >= (1.0 - kGoodGap) * *result_.power_bound));
        if (best.kept && !searches_again && (has_stalled || is_enough)) break;
    }
    points_ = std::move(best.points);
    after_ = std::move(best.traced);
    keep_known(start, before_);
    if (const auto plan = plan_of_file(config_, scenario_, points_))
        keep_known(*plan, trace(*plan));
}

/// Uses a plan from before the optimisation if it keeps the limits, with the room for errors, and
/// its trace has more power.
void FieldAiming::keep_known(std::vector<AimedPoint> points, TracedField traced) {
    if (wanted_) return;
    for (size_t i = 0; i < points.size(); ++i)
        if (points[i].active && !field_.can_aim[i]) return;
    if (power_on_targets(traced.run) <= power_on_targets(after_.run)) return;
    points_.swap(points);
    std::vector<LimitMap> limits = result_.limits;
    if (!room_.deviation.empty()) lower_limits(field_.flux, config_.bitmap, room_.watts(), limits);
    if (check_limits(limits, traced).most_errors <= kFewErrors)
        after_ = std::move(traced);
    else
        points_.swap(points);
}

/// Improves the bound of the result with the model as it is after this trace.
void FieldAiming::bound(AimProblem problem,
                        const TracedField& traced,
                        const std::vector<Setting>& settings,
                        const std::vector<double>& prices) {
    const std::vector<double> room = room_.watts();
    std::vector<LimitPlace> places;
    problem.limits = limits_of_cells({}, 0.0, room, &places);
    // Also tries the best prices of earlier rounds.
    TracedBound found = traced_bound(field_,
                                     problem,
                                     config_,
                                     scenario_,
                                     {points_, settings, traced, !is_quick()},
                                     kBoundSteps,
                                     prices,
                                     best_prices_);
    best_prices_ = found.prices;
    if (result_.power_bound && found.bound >= *result_.power_bound) return;
    result_.power_bound = found.bound;
    result_.bound_margin = found.margin;
    for (LimitMap& map : result_.limits) map.price.assign(map.limit.size(), 0.0);
    for (const ReceiverGrid& grid : field_.flux.grids) {
        // A higher limit only helps in the pixel with the tightest limit of its cell.
        for (size_t c = grid.first_cell; c < grid.first_cell + grid.num_cells(); ++c)
            result_.limits[places[c].map].price[places[c].pixel] +=
                found.prices[c] * grid.cell_area();
    }
    if (!room.empty())
        result_.robust_price =
            std::inner_product(room.begin(), room.end(), found.prices.begin(), 0.0);
}

void FieldAiming::finish() {
    result_.worst_limit_share_before = check_limits(result_.limits, before_).worst_share;
    const LimitCheck check = check_limits(result_.limits, after_);
    result_.before = std::move(before_.run);
    result_.after = std::move(after_.run);
    result_.shields = std::move(after_.shields);
    result_.points = points_;
    result_.follows = continues_;
    result_.power = power_on_targets(result_.after);
    if (const TargetResult* target = target_with_peak(result_.after)) {
        result_.peak_flux = target->peak_flux_w_m2;
        result_.peak_flux_std_error = target->peak_flux_std_error_w_m2;
    }
    double square = 0.0;
    for (const TargetResult& target : result_.after.targets)
        square += target.power_std_error_w * target.power_std_error_w;
    result_.power_std_error = std::sqrt(square);
    result_.heliostats_off =
        std::count_if(points_.begin(), points_.end(), [](const auto& p) { return !p.active; });
    if (wanted_) {
        const auto distance = [&](const RunResult& traced) {
            return wanted_->distance(traced_cells(traced, scenario_, config_.bitmap, field_.flux));
        };
        result_.map_distance_before = distance(result_.before);
        result_.map_distance = distance(result_.after);
    }
    // The power may exceed the bound by rounding of the images and by errors of the trace.
    if (result_.power_bound) result_.power_bound = std::max(*result_.power_bound, result_.power);
    result_.worst_limit_share = check.worst_share;
    result_.worst_limit_place = check.place;
    if (check.worst_share) result_.worst_limit_share_std_error = check.worst_std_error;
    result_.limits_kept = check.kept;
    if (!check.kept) {
        const bool is_alone = result_.heliostats_off + 1 == std::ssize(points_);
        result_.violation =
            (is_alone ? "even one heliostat alone cannot keep the limits: " : "") + check.text();
    }
}

}  // namespace

std::optional<AimingResult> aim_field(run::Session& session,
                                      const RunConfig& config,
                                      const StepBefore* before,
                                      const AimingResult* center,
                                      double effort) {
    if (!config.aiming.target_shares.empty()) return aim_shares(session, config, before);
    std::optional<AimingResult> result;
    session.guard([&] {
        const Scenario& scenario = *session.prepared().scenario;
        std::vector<AimedPoint> points = configured_points(config, scenario);
        std::vector<LimitMap> limits =
            pixel_limits(config, scenario, used_targets(scenario, points));
        if (session.is_root()) {
            const auto table = before ? std::nullopt : points_of_file(config, scenario);
            if (table) before = &*table;
            result =
                FieldAiming(session, config, points, std::move(limits), before, effort).run(center);
            share_points(session, false, points);
        } else {
            while (share_points(session, true, points))
                trace_field(session, config, points, limits);
        }
    });
    return result;
}

std::optional<AimingResult> aim_field(run::Session& session) {
    session.guard([&] {
        if (session.prepared().is_series())
            throw InputError(Problem{"sun",
                                     "the configuration has several positions of the sun",
                                     "aim points are chosen for one",
                                     "keep one position, or use aim_series()"});
        check_aim_series(session.prepared());
    });
    const RunConfig& config = session.prepared().config;
    std::optional<AimingResult> found = aim_field(session, config, nullptr);
    session.guard([&] {
        if (found) check_light(config, found->before, found->after);
    });
    return found;
}

}  // namespace helioray::aiming

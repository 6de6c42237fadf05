// SPDX-License-Identifier: MIT
// Chooses aim points, traces them, corrects, and goes on.
#include "raytracer/aiming/aim_field.h"

#include "raytracer/aiming/flux_limits.h"
#include "raytracer/aiming/flux_model.h"
#include "raytracer/aiming/optimize.h"
#include "raytracer/aiming/strategies.h"
#include "raytracer/aiming/trace_images.h"
#include "raytracer/geometry/frames.h"
#include "raytracer/run/make_job.h"
#include "raytracer/run/trace.h"
#include "scenario/files/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <memory>

namespace helioray::aiming {

namespace {

using Strategy = AimingConfig::Strategy;

// A trace with other random numbers shall hold the limits too, so that the optimiser stays below
// them by this many standard errors: both traces err, and hundreds of cells are at their limit.
constexpr double kBackOff = 2.0;
// Traces of the whole field that the optimiser may ask for.
constexpr int kMostRounds = 6;
// Shares of a limit that the model may exceed it by. Before the first trace it is wrong by more.
constexpr double kFirstTolerance = 3e-3;
constexpr double kTolerance = 7e-4;
// Standard errors above a limit at which the optimiser stops: fewer than what counts as kept.
constexpr double kFewErrors = 1.5;
// A gap that is good enough to stop at.
constexpr double kGoodGap = 0.004;
// Power over that of the round before from which on another round is worth its time.
constexpr double kStalled = 1.0003;
// Standard deviations of its image that the start of the optimiser keeps from the edges.
constexpr double kStartFactor = 1.5;

/// The points of the configuration: strategy center.
std::vector<AimedPoint> configured_points(const RunConfig& config, const Scenario& scenario) {
    AimConfig aim = config.aim;
    std::vector<AimedPoint> points;
    for (const Aim& one : resolve_aims(aim, scenario)) {
        AimedPoint point;
        point.aim = one;
        const Target& target = scenario.targets[one.target];
        if (!one.motor_positions)
            point.aim.point =
                default_aim_point(target, scenario.heliostats[one.heliostat].position);
        const SurfacePoint at = unrolled(target, point.aim.point);
        point.x = at.x;
        point.y = at.y;
        points.push_back(point);
    }
    return points;
}

/// Of all ranks the points of rank 0, for one more trace; false: there is none.
bool share_points(run::Session& session, bool trace, std::vector<AimedPoint>& points) {
    constexpr size_t kNumbers = 4;
    std::vector<int64_t> numbers(1 + kNumbers * points.size(), 0);
    if (session.is_root()) {
        numbers[0] = trace ? 1 : 0;
        for (size_t i = 0; i < points.size(); ++i) {
            int64_t* own = numbers.data() + 1 + kNumbers * i;
            for (size_t k = 0; k < 3; ++k) own[k] = std::bit_cast<int64_t>(points[i].aim.point[k]);
            own[3] = points[i].active ? 1 : 0;
        }
    }
    session.environment().all_reduce_sum(std::span<int64_t>(numbers));
    for (size_t i = 0; i < points.size(); ++i) {
        const int64_t* own = numbers.data() + 1 + kNumbers * i;
        for (size_t k = 0; k < 3; ++k) points[i].aim.point[k] = std::bit_cast<double>(own[k]);
        points[i].active = own[3] != 0;
    }
    return numbers[0] != 0;
}

/// Traces the points on all ranks. Collective.
std::optional<RunResult> trace_points(run::Session& session,
                                      const std::vector<AimedPoint>& points) {
    const run::PreparedRun& run = session.prepared();
    const auto job = make_job(with_points(run.config, *run.scenario, points),
                              *run.scenario,
                              session.options().num_threads);
    return run::trace(session, *job);
}

/// The work of rank 0.
class FieldAiming {
  public:
    FieldAiming(run::Session& session, std::vector<AimedPoint> points)
        : session_(session),
          config_(session.prepared().config),
          scenario_(*session.prepared().scenario),
          threads_(session.options().num_threads),
          points_(std::move(points)) {
        make_grids();
        result_.limits = pixel_limits(config_, scenario_, model_.grids);
    }

    AimingResult run() {
        result_.before = trace(points_);
        const Strategy strategy = config_.aiming.strategy;
        if (strategy == Strategy::optimize) {
            optimize();
        } else {
            if (strategy != Strategy::center) {
                trace_images();
                place(by_rule(strategy, config_.aiming.sigma_factor));
                result_.after = trace(points_);
            } else {
                result_.after = result_.before;
            }
            note_round(result_.after);
        }
        finish();
        return std::move(result_);
    }

  private:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

    RunResult trace(std::vector<AimedPoint> points) {
        session_.check_stop();
        share_points(session_, true, points);
        ++result_.traces;
        return *trace_points(session_, points);
    }

    void make_grids() {
        model_.num_threads = threads_;
        model_.grid_of.resize(points_.size());
        model_.images.resize(points_.size());
        for (size_t t = 0; t < scenario_.targets.size(); ++t) {
            const bool used = std::any_of(points_.begin(), points_.end(), [&](const AimedPoint& p) {
                return p.aim.target == t;
            });
            if (!used) continue;
            const auto extras = config_.targets.find(scenario_.targets[t].name);
            ReceiverGrid grid =
                make_grid(scenario_.targets[t],
                          t,
                          extras != config_.targets.end() ? extras->second : TargetConfig{},
                          config_.bitmap,
                          image_radius(config_, scenario_, points_, t));
            grid.first_cell = model_.num_cells;
            model_.num_cells += grid.num_cells();
            for (size_t i = 0; i < points_.size(); ++i)
                if (points_[i].aim.target == t) model_.grid_of[i] = model_.grids.size();
            model_.grids.push_back(std::move(grid));
        }
        for (const AimedPoint& point : points_) {
            const Target& target = scenario_.targets[point.aim.target];
            const ReceiverGrid& grid = model_.grid(nearest_.size());
            const SurfacePoint here{point.x, point.y};
            const auto* cylinder = std::get_if<CylindricalTarget>(&target.geometry);
            const bool outside = !cylinder || cylinder->side == CylindricalTarget::Side::outer;
            SurfacePoint nearest = here;
            if (!point.aim.motor_positions && grid.free_x && outside)
                nearest.x = on_surface(target,
                                       unrolled(target,
                                                scenario_.heliostats[point.aim.heliostat].position))
                                .x;
            nearest_.push_back(nearest);
            Range2 range{here, here};
            if (!point.aim.motor_positions) {
                range.low.y = -0.5 * grid.height;
                range.high.y = 0.5 * grid.height;
                if (grid.free_x) {
                    range.low.x = -0.5 * grid.width;
                    range.high.x = 0.5 * grid.width;
                }
            }
            ranges_.push_back(range);
        }
    }

    void trace_images() {
        session_.check_stop();
        if (tracers_.empty()) {
            for (const ReceiverGrid& grid : model_.grids)
                tracers_.push_back(
                    std::make_unique<ImageTracer>(config_, scenario_, grid, points_, threads_));
        }
        for (const auto& tracer : tracers_) tracer->trace(points_, threads_, model_.images);
        ++result_.traces;
    }

    /// Heliostats that bring nothing anyway stay where they are.
    void place(const std::vector<Setting>& settings) {
        for (size_t i = 0; i < points_.size(); ++i) {
            AimedPoint& point = points_[i];
            point.active = settings[i].share > 0.0;
            if (point.aim.motor_positions) continue;
            const Target& target = scenario_.targets[point.aim.target];
            const SurfacePoint at = on_surface(target, settings[i].aim);
            if (at.x == point.x && at.y == point.y) continue;
            point.x = at.x;
            point.y = at.y;
            point.aim.point = surface_point(target, at.x, at.y);
        }
    }

    std::vector<Setting> settings() const {
        std::vector<Setting> settings;
        for (const AimedPoint& point : points_)
            settings.push_back({{point.x, point.y}, point.active ? 1.0 : 0.0});
        return settings;
    }

    std::vector<Setting> by_rule(Strategy strategy, double factor) const {
        if (strategy == Strategy::equator) return aim_at_equator(model_, nearest_, ranges_);
        if (strategy == Strategy::sigma) return aim_by_spread(model_, nearest_, ranges_, factor);
        return aim_by_image_size(model_, nearest_, ranges_, factor);
    }

    void note_round(const RunResult& traced, double bound = 0.0) {
        Round round;
        round.iterations = static_cast<int>(result_.iterations);
        for (const TargetResult& target : traced.targets) round.power += target.power_w;
        round.bound = bound;
        round.worst_limit_share = check_limits(result_.limits, traced).worst_share.value_or(0.0);
        round.seconds = seconds();
        result_.rounds.push_back(round);
    }

    void optimize();
    void set_prices(const std::vector<double>& prices, const std::vector<size_t>& pixels);
    void finish();

    run::Session& session_;
    const RunConfig& config_;
    const Scenario& scenario_;
    int threads_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::vector<AimedPoint> points_;
    std::vector<SurfacePoint> nearest_;
    std::vector<Range2> ranges_;
    FluxModel model_;
    std::vector<std::unique_ptr<ImageTracer>> tracers_;
    AimingResult result_;
};

double power_of(const RunResult& traced) {
    double power = 0.0;
    for (const TargetResult& target : traced.targets) power += target.power_w;
    return power;
}

void FieldAiming::optimize() {
    trace_images();
    AimProblem problem;
    problem.model = &model_;
    problem.ranges = ranges_;
    problem.limits = cell_limits(model_, result_.limits, config_.bitmap, nullptr, {}, 0.0);
    AimSolution solution;
    solution.settings = by_rule(Strategy::image_size, kStartFactor);
    solution.prices.assign(model_.num_cells, 0.0);
    const std::vector<double> lit = model_.lit_shares();

    bool best_kept = false;
    double best_power = 0.0, best_errors = 0.0;
    std::vector<AimedPoint> best_points;
    for (int round = 0; round < kMostRounds; ++round) {
        session_.check_stop();
        solve(problem, round == 0 ? kFirstTolerance : kTolerance, solution);
        result_.iterations = solution.iterations;
        place(solution.settings);
        if (std::none_of(points_.begin(), points_.end(), [](const auto& p) { return p.active; }))
            points_.front().active = true;
        RunResult traced = trace(points_);
        trace_images();

        // What the model says where rays have been traced, and what it says of other aim points.
        solution.settings = settings();
        const std::vector<double> cells = model_.cells(solution.settings);
        double modelled = 0.0;
        for (size_t c = 0; c < cells.size(); ++c) modelled += lit[c] * cells[c];
        std::vector<size_t> pixels;
        problem.limits = cell_limits(
            model_, result_.limits, config_.bitmap, &traced, cells, 0.0, &pixels);
        const double power = power_of(traced);
        const double bound = power_bound(problem, solution.prices) + power - modelled;
        if (!result_.power_bound || bound < *result_.power_bound) {
            result_.power_bound = bound;
            set_prices(solution.prices, pixels);
        }
        note_round(traced, bound);

        const LimitCheck check = check_limits(result_.limits, traced);
        const bool kept = check.most_errors <= kFewErrors;
        const bool is_better =
            best_points.empty() ||
            (kept != best_kept ? kept
                               : (kept ? power > best_power : check.most_errors < best_errors));
        const bool has_stalled = kept && best_kept && power < best_power * kStalled;
        problem.limits =
            cell_limits(model_, result_.limits, config_.bitmap, &traced, cells, kBackOff);
        if (is_better) {
            best_kept = kept;
            best_errors = check.most_errors;
            best_power = power;
            best_points = points_;
            result_.after = std::move(traced);
        }
        if (best_kept && (has_stalled || best_power >= (1.0 - kGoodGap) * *result_.power_bound))
            break;
    }
    points_ = std::move(best_points);
}

void FieldAiming::set_prices(const std::vector<double>& prices,
                             const std::vector<size_t>& pixels) {
    for (size_t g = 0; g < model_.grids.size(); ++g) {
        const ReceiverGrid& grid = model_.grids[g];
        std::vector<double>& map = result_.limits[g].price;
        map.assign(result_.limits[g].limit.size(), 0.0);
        // More of the limit helps only in the pixel that decides in its cell.
        for (size_t c = 0; c < grid.num_cells(); ++c)
            map[pixels[grid.first_cell + c]] += prices[grid.first_cell + c] * grid.cell_area();
    }
}

void FieldAiming::finish() {
    result_.points = points_;
    result_.power = power_of(result_.after);
    double square = 0.0;
    for (const TargetResult& target : result_.after.targets) {
        square += target.power_std_error_w * target.power_std_error_w;
        result_.peak_flux = std::max(result_.peak_flux, target.peak_flux_w_m2);
    }
    result_.power_std_error = std::sqrt(square);
    result_.heliostats_off =
        std::count_if(points_.begin(), points_.end(), [](const auto& p) { return !p.active; });
    const LimitCheck check = check_limits(result_.limits, result_.after);
    result_.worst_limit_share = check.worst_share;
    if (check.worst_share) result_.worst_limit_share_std_error = check.worst_std_error;
    result_.limits_kept = check.kept;
    if (!check.kept) {
        result_.violation = fmt::format(
            "{} cell(s) are above their flux limit by more than three standard errors; the worst is "
            "on target '{}' at {:.4f} times its limit",
            check.pixels_above,
            check.target,
            *check.worst_share);
    }
}

}  // namespace

std::optional<AimingResult> aim_field(run::Session& session) {
    const run::PreparedRun& run = session.prepared();
    std::optional<AimingResult> result;
    session.guard([&] {
        if (run.config.tracing.model != Model::physical)
            throw InputError(Problem{"tracing.model",
                                     "model artist does not choose aim points",
                                     "they come from rays of model physical",
                                     "leave tracing.model out"});
        if (run.is_series())
            throw InputError(Problem{"sun",
                                     "the configuration has several positions of the sun",
                                     "aim points are chosen for one",
                                     "keep one position"});
        std::vector<AimedPoint> points = configured_points(run.config, *run.scenario);
        if (session.is_root()) {
            result = FieldAiming(session, points).run();
            share_points(session, false, points);
        } else {
            while (share_points(session, true, points)) trace_points(session, points);
        }
    });
    return result;
}

}  // namespace helioray::aiming

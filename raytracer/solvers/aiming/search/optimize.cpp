// SPDX-License-Identifier: MIT
// Solves the optimisation problem: local searches, exchanges, and heliostats that turn off and on.
#include "raytracer/solvers/aiming/search/optimize.h"

#include "kernels/host/parallel_for.h"
#include "raytracer/solvers/aiming/search/exchange.h"
#include "raytracer/solvers/aiming/search/lagrangian.h"
#include "raytracer/solvers/aiming/search/power_bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace helioray::aiming {

namespace {

// Fraction by which a limit may be exceeded when more heliostats are turned on before all are
// moved, for successive attempts. Only used if heliostats have to stay off. 400 heliostats under a
// limit of a seventh (a 25th) of the flux at the centre bring 5 (16) % more power this way.
constexpr std::array<double, 8> kCrowds{0.0, 0.02, 0.1, 0.02, 0.1, 0.02, 0.1, 0.02};
constexpr int kMostIdleFills = 2;  ///< Consecutive attempts without progress before the search ends
constexpr double kWorthFilling = 1e-3;  ///< Required gain, as a fraction of the power
// Number of heliostats up to which aim points are exchanged even if all are on, and the effort of
// exchanges for nearly the same problem.
constexpr size_t kFew = 60;
constexpr double kNearEffort = 0.3;
/// Missing power that makes exchanges worthwhile, as a fraction of the bound at the solution's
/// prices
constexpr double kWorthExchanging = 1e-3;
// Number of searches at an effort of 1, and the fraction of them that do not start from the best
// result so far. Many short searches, whose results all move, bring more than few long ones.
constexpr int kSearches = 24;
constexpr double kManySearched = 40.0;  ///< Fewer heliostats need fewer searches, down to a quarter
constexpr double kFreshSearches = 2.0 / 3.0;
constexpr int kSettlingRounds = 24;      ///< Rounds of the local optimisation after a search
constexpr double kWorthSettling = 0.99;  ///< Fraction of the power that has to be left after it
constexpr int kHeldRounds = 8;  ///< Rounds in which other heliostats compensate for held aim points

double largest_excess(const AimProblem& problem, const std::vector<Setting>& settings) {
    const std::vector<double> cells = problem.model->cells(settings);
    double worst = 0.0;
    for (size_t c = 0; c < cells.size(); ++c)
        worst = std::max(worst, cells[c] / problem.limits[c] - 1.0);
    return worst;
}

/// Cells that exceed their limits by more than the tolerance.
struct Excess {
    std::vector<double> above;  ///< 1 for cells above their limits and 0 for all others
    double watts = 0.0;         ///< Total power above the limits, W
};

Excess compute_excess(const AimProblem& problem,
                      double tolerance,
                      const std::vector<Setting>& settings) {
    const std::vector<double> cells = problem.model->cells(settings);
    Excess excess{std::vector<double>(cells.size(), 0.0)};
    for (size_t c = 0; c < cells.size(); ++c) {
        if (cells[c] <= problem.limits[c] * (1.0 + 2.0 * tolerance)) continue;
        excess.above[c] = 1.0;
        excess.watts += cells[c] - problem.limits[c];
    }
    return excess;
}

/// Turns off heliostats until no cell has an excess. Heliostats that bring least for the excess
/// that they cause are turned off first.
void turn_off(const AimProblem& problem, double tolerance, AimSolution& solution) {
    const std::vector<double> lit = problem.model->lit_shares();
    while (true) {
        const Excess excess = compute_excess(problem, tolerance, solution.settings);
        if (excess.watts == 0.0) return;
        const auto guilt = problem.model->weighted(solution.settings, excess.above);
        const auto worth = problem.model->weighted(solution.settings, lit);
        std::vector<size_t> order;
        for (size_t i = 0; i < guilt.size(); ++i)
            if (solution.settings[i].share > 0.0 && guilt[i].value > 0.0) order.push_back(i);
        if (order.empty()) return;
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return guilt[a].value * worth[b].value > guilt[b].value * worth[a].value;
        });
        // Turn off only some of the heliostats that would be enough, then compute the sums again.
        double removed = 0.0;
        for (const size_t i : order) {
            solution.settings[i].share = 0.0;
            removed += guilt[i].value;
            if (removed >= 0.5 * excess.watts) break;
        }
    }
}

/// Turns every heliostat on or off such that their number stays about the same everywhere on the
/// receiver: the remaining fractions of neighbours are carried over to the next heliostat that is
/// turned on.
void round_shares(const AimProblem& problem, std::vector<Setting>& settings) {
    std::vector<size_t> order;
    for (size_t i = 0; i < settings.size(); ++i)
        if (settings[i].share > 0.0 && settings[i].share < 1.0) order.push_back(i);
    const auto place = [&](size_t i) {
        return std::make_tuple(
            problem.model->grid_of[i], std::round(settings[i].aim.x), settings[i].aim.y);
    };
    std::stable_sort(
        order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
    double sum = 0.5;
    for (const size_t i : order) {
        sum += settings[i].share;
        settings[i].share = sum >= 1.0 ? 1.0 : 0.0;
        sum -= settings[i].share;
    }
}

/// Turns on heliostats for which there is still room, at their best aim points, the most profitable
/// at the solution's prices first. room: fraction by which cells may exceed their limits.
void turn_on(const AimProblem& problem, double room, AimSolution& solution) {
    const FluxModel& model = *problem.model;
    const std::vector<double> lit = model.lit_shares();
    std::vector<double> cells = model.cells(solution.settings);
    std::vector<double> own(cells.size()), factors(cells.size());
    const auto best_with = [&](size_t i) {
        const Range2& range = problem.ranges[i];
        return model.images[i].best(
            model.grid(i), range.low, range.high, model.factors_for(i, factors));
    };
    for (size_t c = 0; c < cells.size(); ++c) factors[c] = lit[c] - solution.prices[c];
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < solution.settings.size(); ++i)
        if (solution.settings[i].share == 0.0) order.emplace_back(-best_with(i).value, i);
    std::sort(order.begin(), order.end());
    for (const auto& [profit, i] : order) {
        // Give full cells a cost above their gain.
        for (size_t c = 0; c < cells.size(); ++c) {
            const double full = std::isinf(problem.limits[c]) ? 0.0 : cells[c] / problem.limits[c];
            factors[c] = lit[c] - 2.0 * std::pow(std::clamp(full, 0.0, 1.0), 8);
        }
        const Image::Best best = best_with(i);
        std::fill(own.begin(), own.end(), 0.0);
        model.images[i].add(model.grid(i), best.aim, 1.0, model.cells_of(i).of(std::span(own)));
        double brings = 0.0;
        bool fits = true;
        // A heliostat without light on any cell, such as one that motor positions turn away, does
        // no harm.
        bool is_dark = true;
        for (size_t c = 0; c < cells.size(); ++c) {
            brings += lit[c] * own[c];
            is_dark = is_dark && own[c] == 0.0;
            fits = fits && (own[c] == 0.0 || cells[c] + own[c] <= problem.limits[c] * (1.0 + room));
        }
        if (!fits || (brings <= 0.0 && !is_dark)) continue;
        solution.settings[i] = {best.aim, 1.0};
        for (size_t c = 0; c < cells.size(); ++c) cells[c] += own[c];
    }
}

/// Returns the power on lit cells, W.
double lit_power(const AimProblem& problem, const AimSolution& solution) {
    const std::vector<double> lit = problem.model->lit_shares();
    const std::vector<double> cells = problem.model->cells(solution.settings);
    return std::inner_product(cells.begin(), cells.end(), lit.begin(), 0.0);
}

/// Fills the gaps between heliostats that are on: turns on a few more than fit, moves all of them,
/// turns off those that still cause an excess, and keeps the result if it brings more power.
/// enough: power at which the search ends, W; it is that of the problem with fractional use.
void fill_up(const AimProblem& problem, double tolerance, double enough, AimSolution& solution) {
    turn_on(problem, tolerance, solution);
    double power = lit_power(problem, solution);
    int idle = 0;
    for (const double crowd : kCrowds) {
        const bool all_on = std::none_of(solution.settings.begin(),
                                         solution.settings.end(),
                                         [](const Setting& s) { return s.share == 0.0; });
        if (all_on || idle == kMostIdleFills || power >= enough * (1.0 - kWorthFilling)) return;
        AimSolution trial = solution;
        if (crowd > 0.0) turn_on(problem, crowd, trial);
        minimise_lagrangian(problem, tolerance, trial, false, 10);
        turn_off(problem, tolerance, trial);
        trial.prices = solution.prices;
        turn_on(problem, tolerance, trial);
        solution.iterations = trial.iterations;
        const double found = lit_power(problem, trial);
        ++idle;
        if (found < power * (1.0 + kWorthFilling)) continue;
        idle = 0;
        power = found;
        solution = std::move(trial);
    }
}

/// Moves the heliostats that are on to the nearest local optimum, turns off those that still cause
/// an excess, and turns on those that have room. Leaves the prices unchanged.
void settle(const AimProblem& problem, double tolerance, AimSolution& solution) {
    const std::vector<double> prices = solution.prices;
    minimise_lagrangian(problem, tolerance, solution, false, kSettlingRounds);
    if (largest_excess(problem, solution.settings) > 2.0 * tolerance)
        turn_off(problem, tolerance, solution);
    solution.prices = prices;
    turn_on(problem, tolerance, solution);
}

/// Returns the power, less what it would cost to scale all light down to the limits; 0 if limits
/// are not kept.
double merit(const AimProblem& problem, double tolerance, const AimSolution& found) {
    const double excess = largest_excess(problem, found.settings);
    return excess > 2.0 * tolerance ? 0.0 : lit_power(problem, found) / (1.0 + excess);
}

/// Exchanges aim points between candidates in several searches, and lets all heliostats move from
/// the result of each. The first search starts from the solution, further ones from scratch, the
/// last ones from the best result so far. Keeps the best. Does nothing if the bound at the
/// solution's prices shows that hardly any power is missing.
void exchange_aims(const AimProblem& problem, double tolerance, AimSolution& solution) {
    if (largest_excess(problem, solution.settings) <= 2.0 * tolerance &&
        lit_power(problem, solution) >=
            (1.0 - kWorthExchanging) * power_bound_at(problem, solution.prices).bound)
        return;
    const AimSolution start = solution;
    const double size =
        std::clamp(static_cast<double>(start.settings.size()) / kManySearched, 0.25, 1.0);
    // A plan that could not settle needs another one.
    const bool is_near = problem.starts_near && !problem.only_settles;
    const double effort = problem.effort * (is_near ? kNearEffort : 1.0) * size * kSearches;
    // In large fields few long searches do better: letting all heliostats move after each takes
    // longer than a short search.
    const double share = std::min(1.0, kFew / static_cast<double>(start.settings.size()));
    const int searches = std::max(1, static_cast<int>(std::lround(effort * share * share)));
    double most = merit(problem, tolerance, solution);
    const auto note = [&](const AimSolution& found) {
        const double now = merit(problem, tolerance, found);
        if (now <= most) return;
        most = now;
        solution.settings = found.settings;
        solution.is_searched = true;
    };
    for (int k = 0; k < searches; ++k) {
        AimSolution trial = start;
        trial.iterations = solution.iterations;
        ExchangeOptions options{effort / searches, static_cast<uint64_t>(k)};
        options.reheats = k >= searches * kFreshSearches;
        if (options.reheats)
            trial.settings = solution.settings;
        else if (k > 0)
            for (Setting& setting : trial.settings) setting.share = 0.0;
        if (!exchange(problem, tolerance, options, trial)) continue;
        note(trial);
        settle(problem, tolerance, trial);
        note(trial);
        solution.iterations = trial.iterations;
    }
}

/// Solves the problem without held aim points.
void solve_freely(const AimProblem& problem, double tolerance, AimSolution& solution) {
    std::optional<AimSolution> settled;
    if (problem.only_settles) {
        settled = solution;
        settle(problem, tolerance, *settled);
        if (lit_power(problem, *settled) >= kWorthSettling * lit_power(problem, solution)) {
            solution = std::move(*settled);
            return;
        }
        solution.iterations = settled->iterations;
    }
    if (problem.wanted != nullptr) {
        // Fractional use is only needed if all heliostats together bring too much power for the
        // target flux map.
        const double excess = minimise_lagrangian(problem, tolerance, solution, false, 10);
        const std::vector<double> cells = problem.model->cells(solution.settings);
        const std::vector<double>& wanted = problem.wanted->cells;
        const double power = std::accumulate(cells.begin(), cells.end(), 0.0);
        if (excess < tolerance && power < 1.01 * std::accumulate(wanted.begin(), wanted.end(), 0.0))
            return;
    }
    const double worst = minimise_lagrangian(problem, tolerance, solution, true, 24);
    const bool are_all_on =
        std::all_of(solution.settings.begin(), solution.settings.end(), [](const Setting& setting) {
            return setting.share == 1.0;
        });
    // The bound uses the prices of the problem with fractional use.
    const std::vector<double> prices = solution.prices;
    if (!are_all_on || worst >= tolerance) {
        const double in_parts = lit_power(problem, solution);
        round_shares(problem, solution.settings);
        minimise_lagrangian(problem, tolerance, solution, false, 10);
        if (largest_excess(problem, solution.settings) > 2.0 * tolerance)
            turn_off(problem, tolerance, solution);
        solution.prices = prices;
        if (problem.wanted == nullptr) fill_up(problem, tolerance, in_parts, solution);
    } else if (solution.settings.size() > kFew) {
        return;
    }
    if (problem.wanted == nullptr) exchange_aims(problem, tolerance, solution);
    if (settled && merit(problem, tolerance, *settled) > merit(problem, tolerance, solution))
        solution.settings = std::move(settled->settings);
    solution.prices = prices;
}

/// Releases some held aim points, starting with the heliostats that relieve cells above their
/// limits most by moving to their position in `moved`. Returns true if any were released.
bool release_held(const AimProblem& problem,
                  double tolerance,
                  const std::vector<Setting>& moved,
                  std::vector<uint8_t>& is_held,
                  AimSolution& solution) {
    const Excess excess = compute_excess(problem, tolerance, solution.settings);
    const auto here = problem.model->weighted(solution.settings, excess.above);
    const auto there = problem.model->weighted(moved, excess.above);
    std::vector<std::pair<double, size_t>> order;
    for (size_t i = 0; i < moved.size(); ++i)
        if (is_held[i] != 0 && here[i].value > there[i].value)
            order.emplace_back(there[i].value - here[i].value, i);
    std::sort(order.begin(), order.end());
    double relief = 0.0;
    for (const auto& [change, i] : order) {
        solution.settings[i].aim = moved[i].aim;
        is_held[i] = 0;
        relief -= change;
        if (relief >= 0.5 * excess.watts) break;
    }
    return !order.empty();
}

/// Moves heliostats back to their held aim points if these are near, and lets the others
/// compensate. Releases more of them as long as limits are exceeded.
void keep_held(const AimProblem& problem, double tolerance, AimSolution& solution) {
    const AimSolution free = solution;
    AimProblem rest = problem;
    rest.starts_near = true;
    std::vector<uint8_t> may_stay(free.settings.size(), 1), is_held(free.settings.size(), 0);
    const auto hold = [&] {
        bool any = false;
        for (size_t i = 0; i < is_held.size(); ++i) {
            Setting& setting = solution.settings[i];
            if (may_stay[i] == 0 || is_held[i] != 0 || setting.share == 0.0 ||
                !problem.held.keeps(i, setting.aim))
                continue;
            setting.aim = *problem.held.points[i];
            is_held[i] = 1;
            any = true;
        }
        return any;
    };
    bool has_changed = hold();
    for (int round = 0; round < kHeldRounds && has_changed; ++round) {
        for (size_t i = 0; i < is_held.size(); ++i) {
            const SurfacePoint here = solution.settings[i].aim;
            rest.ranges[i] = is_held[i] != 0 ? Range2{here, here} : problem.ranges[i];
        }
        minimise_lagrangian(rest, tolerance, solution, false, 10);
        has_changed = hold();
        if (largest_excess(problem, solution.settings) <= 2.0 * tolerance) continue;
        const std::vector<uint8_t> were_held = is_held;
        has_changed |= release_held(problem, tolerance, free.settings, is_held, solution);
        for (size_t i = 0; i < is_held.size(); ++i)
            if (were_held[i] != is_held[i]) may_stay[i] = 0;
    }
    solution.prices = free.prices;
    while (largest_excess(problem, solution.settings) > 2.0 * tolerance)
        if (!release_held(problem, tolerance, free.settings, is_held, solution)) break;
    // Limits take precedence over held aim points.
    if (largest_excess(problem, solution.settings) > 2.0 * tolerance &&
        largest_excess(problem, free.settings) <= 2.0 * tolerance)
        solution.settings = free.settings;
}

}  // namespace

bool HeldAims::keeps(size_t heliostat, SurfacePoint aim) const {
    if (points.empty() || !points[heliostat]) return false;
    const SurfacePoint& held = *points[heliostat];
    return std::hypot(aim.x - held.x, aim.y - held.y) < least_move;
}

void solve(const AimProblem& problem, double tolerance, AimSolution& solution) {
    if (problem.only_turns_off) {
        turn_off(problem, tolerance, solution);
        return;
    }
    solve_freely(problem, tolerance, solution);
    if (!problem.held.points.empty()) keep_held(problem, tolerance, solution);
}

}  // namespace helioray::aiming

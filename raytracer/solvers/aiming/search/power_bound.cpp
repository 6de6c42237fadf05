// SPDX-License-Identifier: MIT
// Computes the bound from the Lagrangian dual.
#include "raytracer/solvers/aiming/search/power_bound.h"

#include "kernels/host/parallel_for.h"
#include "raytracer/solvers/aiming/search/projected_lbfgs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace helioray::aiming {

namespace {

// Gap below which further steps to improve the bound are not worth their time.
constexpr double kGoodGap = 0.003;
// Softness of the choice between on and off in each stage, as a fraction of an image's power.
constexpr std::array<double, 5> kSoftness{0.1, 0.03, 0.01, 0.003, 0.001};
// Number of stages for many heliostats, whose choices average out; the number of heliostats that
// counts as many; and the number of steps for few heliostats, which take little time.
constexpr size_t kStagesOfMany = 3;
constexpr size_t kMany = 16;
constexpr int kStepsOfFew = 30;
// Fractions of the distance to the prices at which light no longer pays.
constexpr std::array<double, 3> kShares{0.1, 0.3, 1.0};
// Number of steps for prices of nearly the same problem. Twice as many lowered the bound of 10,000
// heliostats by 1e-4.
constexpr int kNearSteps = 8;
// Relative progress of a step at which a stage ends. A quarter of the near one lowers the bound of
// 10,000 heliostats from a cold start by 5e-4 of the power, in four CPU seconds.
constexpr double kLeastProgress = 7e-7;
constexpr double kLeastNearProgress = 3e-6;
// Upper bound for prices that do not start above it; at 1 lit cells no longer bring a gain.
constexpr double kHighestPrice = 2.0;

/// Value of the dual function at given prices.
struct Dual {
    std::vector<double> prices;     ///< Shadow prices, W per W, by cell
    double bound = 0.0;             ///< Upper bound on the power, W
    double income = 0.0;            ///< Cost of all limits at these prices, W
    std::vector<Image::Best> best;  ///< Best aim point by heliostat
};

Dual dual(const AimProblem& problem, std::span<const double> prices) {
    const FluxModel& model = *problem.model;
    const std::vector<double> lit = model.lit_shares();
    std::vector<double> factors(lit.size());
    Dual result;
    result.prices.assign(prices.begin(), prices.end());
    for (size_t c = 0; c < lit.size(); ++c) {
        factors[c] = lit[c] - prices[c];
        if (prices[c] > 0.0) result.income += prices[c] * problem.limits[c];
    }
    const std::vector<CellFactors> of_grid = model.cell_factors(factors);
    result.best.resize(model.images.size());
    parallel_shares(result.best.size(), 16, model.num_threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            if (i + 1 < end) model.images[i + 1].prefetch();
            const Range2& range = problem.ranges[i];
            result.best[i] = model.images[i].best(
                model.grid(i), range.low, range.high, of_grid[model.factors_of(i)]);
        }
    });
    result.bound = result.income;
    for (const Image::Best& best : result.best) result.bound += std::max(0.0, best.bound);
    return result;
}

/// Value of the dual function with a soft choice between on and off.
struct SoftDual {
    double value = 0.0;  ///< Smoothed bound, W
    /// Best aim point of each heliostat, used in part if being off is nearly as good.
    std::vector<Setting> answers;
};

SoftDual soften(const FluxModel& model, const Dual& dual, double softness) {
    SoftDual result;
    result.value = dual.income;
    for (size_t i = 0; i < dual.best.size(); ++i) {
        const Image::Best& most = dual.best[i];
        const double width = std::max(softness * model.images[i].power(), 1e-300);
        const double odds = std::exp(-std::abs(most.value) / width);
        result.value += std::max(0.0, most.value) + width * std::log1p(odds);
        result.answers.push_back({most.aim, (most.value > 0.0 ? 1.0 : odds) / (1.0 + odds)});
    }
    return result;
}

PowerBound make_bound(Dual dual) {
    PowerBound result{dual.bound, std::move(dual.prices), {}};
    for (const Image::Best& best : dual.best)
        result.answers.push_back({best.aim, best.value > 0.0 ? 1.0 : 0.0});
    return result;
}

/// Improves the prices step by step. is_good: returns true if no more steps are worthwhile. note:
/// stores a dual in `best` if it is better.
template <typename IsGood, typename Note>
void improve(const AimProblem& problem,
             int steps,
             const IsGood& is_good,
             const Note& note,
             const Dual& best) {
    // If most of the receiver is full, the best prices are near those at which light no longer
    // pays.
    const std::vector<double> lit = problem.model->lit_shares();
    const std::vector<double> prices = best.prices;
    std::vector<double> low(prices.size(), 0.0), high(prices.size(), 0.0), trial(prices.size());
    for (size_t c = 0; c < high.size(); ++c)
        if (!std::isinf(problem.limits[c])) high[c] = std::max(kHighestPrice, best.prices[c]);
    for (const double share : std::span(kShares).first(problem.starts_near ? 0 : kShares.size())) {
        for (size_t c = 0; c < trial.size(); ++c)
            trial[c] = high[c] > 0.0 ? prices[c] + share * (lit[c] - prices[c]) : 0.0;
        note(dual(problem, trial));
    }

    // The dual is convex, and with many heliostats it is nearly smooth except near those that are
    // about to be turned off. With a soft choice, L-BFGS needs fewer steps than a subgradient
    // method.
    const double unit = best.bound;
    const bool are_many = problem.ranges.size() >= kMany;
    const auto stages = std::span(kSoftness).first(are_many ? kStagesOfMany : kSoftness.size());
    for (const double softness : stages) {
        if (is_good()) break;
        const bool is_last = softness == stages.back();
        if (problem.starts_near && !is_last) continue;
        const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
            // Reuse the known dual at the first prices, which are the best ones so far.
            const bool is_known = std::equal(x.begin(), x.end(), best.prices.begin());
            Dual found = is_known ? best : dual(problem, x);
            const SoftDual soft = soften(*problem.model, found, softness);
            note(std::move(found));
            const std::vector<double> cells = problem.model->cells(soft.answers);
            for (size_t c = 0; c < cells.size(); ++c)
                gradient[c] = high[c] > 0.0 ? (problem.limits[c] - cells[c]) / unit : 0.0;
            return soft.value / unit;
        };
        LbfgsOptions options;
        options.most_iterations = !are_many             ? std::min(steps, kStepsOfFew)
                                  : problem.starts_near ? std::min(steps, kNearSteps)
                                                        : steps / static_cast<int>(stages.size());
        options.first_step = 0.02;
        options.least_progress = problem.starts_near ? kLeastNearProgress : kLeastProgress;
        std::vector<double> x = best.prices;
        LbfgsMemory memory;
        minimise(objective, low, high, x, options, memory);
    }
}

}  // namespace

PowerBound power_bound_at(const AimProblem& problem, const std::vector<double>& prices) {
    return make_bound(dual(problem, prices));
}

PowerBound power_bound(const AimProblem& problem,
                       double known,
                       int steps,
                       const std::vector<double>& prices,
                       const std::vector<double>& others) {
    Dual best = dual(problem, prices);
    const auto note = [&](Dual found) {
        if (found.bound < best.bound) best = std::move(found);
    };
    const auto is_good = [&] { return best.bound <= known * (1.0 + kGoodGap); };
    if (!others.empty()) note(dual(problem, others));
    if (steps > 0 && !is_good()) improve(problem, steps, is_good, note, best);
    return make_bound(std::move(best));
}

}  // namespace helioray::aiming

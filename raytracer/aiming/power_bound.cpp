// SPDX-License-Identifier: MIT
// Lagrangian dual.
#include "raytracer/aiming/power_bound.h"

#include "kernels/parallel_for.h"
#include "raytracer/aiming/projected_lbfgs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace helioray::aiming {

namespace {

// The gap from which on steps to a better bound are not worth their time.
constexpr double kGoodGap = 0.003;
// How soft the choice between on and off is, as a share of an image's power, from stage to stage.
constexpr std::array<double, 5> kSoftness{0.1, 0.03, 0.01, 0.003, 0.001};
// Stages and steps of each for many heliostats, whose choices make up for each other, and steps for
// few, which take little time.
constexpr size_t kStagesOfMany = 3;
constexpr size_t kMany = 16;
constexpr int kStepsOfFew = 30;
// Shares of the way to the prices at which no light pays any more.
constexpr std::array<double, 3> kShares{0.1, 0.3, 1.0};
// Steps for prices of nearly the same problem. Twice as many lowered the bound of 10,000 heliostats
// by 1e-4.
constexpr int kNearSteps = 8;
// No price is higher unless it begins there: at 1 lit cells bring nothing any more.
constexpr double kHighestPrice = 2.0;

/// The dual function at some prices.
struct Dual {
    std::vector<double> prices;     ///< W per W, by cell
    double bound = 0.0;             ///< W
    double income = 0.0;            ///< W: what all limits cost at these prices
    std::vector<Image::Best> best;  ///< by heliostat
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
                model.grid(i), range.low, range.high, of_grid[model.grid_of[i]]);
        }
    });
    result.bound = result.income;
    for (const Image::Best& best : result.best) result.bound += std::max(0.0, best.bound);
    return result;
}

/// The same with a softer choice between on and off.
struct SoftDual {
    double value = 0.0;  ///< W
    /// Everybody's best aim point, used in part where being off is nearly as good.
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

PowerBound bound_of(Dual dual) {
    PowerBound result{dual.bound, std::move(dual.prices), {}};
    for (const Image::Best& best : dual.best)
        result.answers.push_back({best.aim, best.value > 0.0 ? 1.0 : 0.0});
    return result;
}

/// Improves the prices step by step. is_good: no more are worth while; note: keeps a dual in `best`
/// if it is better.
template <typename IsGood, typename Note>
void improve(const AimProblem& problem,
             int steps,
             const IsGood& is_good,
             const Note& note,
             const Dual& best) {
    // Where most of the receiver is full, prices are near those at which no light pays any more.
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

    // The dual is convex, and with many heliostats it is nearly smooth but for those that are about
    // to be turned off: with a softer choice L-BFGS needs fewer steps than a subgradient method.
    const double unit = best.bound;
    const bool are_many = problem.ranges.size() >= kMany;
    const auto stages = std::span(kSoftness).first(are_many ? kStagesOfMany : kSoftness.size());
    for (const double softness : stages) {
        if (is_good()) break;
        const bool is_last = softness == stages.back();
        if (problem.starts_near && !is_last) continue;
        const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
            // The first prices are the best ones so far, which are known.
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
        options.least_progress = 3e-6;
        std::vector<double> x = best.prices;
        LbfgsMemory memory;
        minimise(objective, low, high, x, options, memory);
    }
}

}  // namespace

PowerBound power_bound_at(const AimProblem& problem, const std::vector<double>& prices) {
    return bound_of(dual(problem, prices));
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
    return bound_of(std::move(best));
}

}  // namespace helioray::aiming

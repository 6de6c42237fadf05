// SPDX-License-Identifier: MIT
// Lagrangian dual.
#include "raytracer/aiming/power_bound.h"

#include "kernels/parallel_for.h"
#include "raytracer/aiming/projected_lbfgs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

namespace helioray::aiming {

namespace {

// The gap from which on steps to a better bound are not worth their time.
constexpr double kGoodGap = 0.003;
// How soft the choice between on and off is, as a share of an image's power, from stage to stage.
constexpr std::array<double, 3> kSoftness{0.1, 0.03, 0.01};
// Shares of the way to the prices at which no light pays any more.
constexpr std::array<double, 3> kShares{0.1, 0.3, 1.0};
// Steps for prices of nearly the same problem. Twice as many lowered the bound of 10,000 heliostats
// by 1e-4.
constexpr int kNearSteps = 8;
// No price is higher unless it begins there: at 1 lit cells bring nothing any more.
constexpr double kHighestPrice = 2.0;

/// The dual function at some prices.
struct Dual {
    double bound = 0.0;   ///< W
    double smooth = 0.0;  ///< the same with a softer choice between on and off
    /// Everybody's best aim point, used in part where being off is nearly as good.
    std::vector<Setting> answers;
};

Dual dual(const AimProblem& problem, std::span<const double> prices, double softness) {
    const FluxModel& model = *problem.model;
    const std::vector<double> lit = model.lit_shares();
    std::vector<double> factors(lit.size());
    Dual result;
    for (size_t c = 0; c < lit.size(); ++c) {
        factors[c] = lit[c] - prices[c];
        if (prices[c] > 0.0) result.bound += prices[c] * problem.limits[c];
    }
    result.smooth = result.bound;
    const std::vector<CellFactors> of_grid = model.cell_factors(factors);
    std::vector<double> best(model.images.size()), soft(best.size());
    result.answers.resize(best.size());
    parallel_shares(best.size(), 16, model.num_threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            if (i + 1 < end) model.images[i + 1].prefetch();
            const Range2& range = problem.ranges[i];
            const Image& image = model.images[i];
            const Image::Best most =
                image.best(model.grid(i), range.low, range.high, of_grid[model.grid_of[i]]);
            best[i] = std::max(0.0, most.bound);
            const double width = std::max(softness * image.power(), 1e-300);
            const double odds = std::exp(-std::abs(most.value) / width);
            soft[i] = std::max(0.0, most.value) + width * std::log1p(odds);
            result.answers[i] = {most.aim, (most.value > 0.0 ? 1.0 : odds) / (1.0 + odds)};
        }
    });
    result.bound = std::accumulate(best.begin(), best.end(), result.bound);
    result.smooth = std::accumulate(soft.begin(), soft.end(), result.smooth);
    return result;
}

}  // namespace

double power_bound(const AimProblem& problem,
                   double known,
                   int steps,
                   std::vector<double>& prices) {
    double bound = dual(problem, prices, 0.0).bound;
    std::vector<double> best = prices;
    const auto note = [&](double found, std::span<const double> at) {
        if (found >= bound) return;
        bound = found;
        best.assign(at.begin(), at.end());
    };
    const auto is_good = [&] { return bound <= known * (1.0 + kGoodGap); };
    if (steps == 0 || is_good()) return bound;

    // Where most of the receiver is full, prices are near those at which no light pays any more.
    const std::vector<double> lit = problem.model->lit_shares();
    std::vector<double> low(prices.size(), 0.0), high(prices.size(), 0.0), trial(prices.size());
    for (size_t c = 0; c < high.size(); ++c)
        if (!std::isinf(problem.limits[c])) high[c] = std::max(kHighestPrice, prices[c]);
    for (const double share : std::span(kShares).first(problem.starts_near ? 0 : kShares.size())) {
        for (size_t c = 0; c < trial.size(); ++c)
            trial[c] = high[c] > 0.0 ? prices[c] + share * (lit[c] - prices[c]) : 0.0;
        note(dual(problem, trial, 0.0).bound, trial);
    }

    // The dual is convex, and with many heliostats it is nearly smooth but for those that are about
    // to be turned off: with a softer choice L-BFGS needs fewer steps than a subgradient method.
    const double unit = bound;
    for (const double softness : kSoftness) {
        if (is_good()) break;
        const bool is_last = softness == kSoftness.back();
        if (problem.starts_near && !is_last) continue;
        const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
            const Dual found = dual(problem, x, softness);
            note(found.bound, x);
            const std::vector<double> cells = problem.model->cells(found.answers);
            for (size_t c = 0; c < cells.size(); ++c)
                gradient[c] = high[c] > 0.0 ? (problem.limits[c] - cells[c]) / unit : 0.0;
            return found.smooth / unit;
        };
        LbfgsOptions options;
        options.most_iterations = problem.starts_near ? std::min(steps, kNearSteps)
                                                      : steps / static_cast<int>(kSoftness.size());
        options.first_step = 0.02;
        options.least_progress = 3e-6;
        std::vector<double> x = best;
        LbfgsMemory memory;
        minimise(objective, low, high, x, options, memory);
    }
    prices = std::move(best);
    return bound;
}

}  // namespace helioray::aiming

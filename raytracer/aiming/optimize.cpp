// SPDX-License-Identifier: MIT
// Augmented Lagrangian and Lagrangian dual.
#include "raytracer/aiming/optimize.h"

#include "kernels/parallel_for.h"
#include "raytracer/aiming/projected_lbfgs.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace helioray::aiming {

namespace {

constexpr size_t kUnknowns = 3;  ///< of a heliostat: x, y and the share of its light

/// Power and limits in units in which the optimiser's steps have about one size.
class Lagrangian {
  public:
    Lagrangian(const AimProblem& problem, const AimSolution& solution)
        : problem_(problem), lit_(problem.model->lit_shares()), multipliers_(lit_.size(), 0.0) {
        const std::vector<Image>& images = problem.model->images;
        for (const Image& image : images) unit_ += image.power();
        unit_ /= static_cast<double>(std::max<size_t>(1, images.size()));
        size_t limited = 0;
        for (size_t c = 0; c < lit_.size(); ++c) {
            if (std::isinf(problem.limits[c])) continue;
            ++limited;
            multipliers_[c] = solution.prices[c] * problem.limits[c] / unit_;
        }
        // A multiplier is about the number of heliostats that a cell has; a hundredth of the limit
        // shall cost that much.
        penalty_ = 30.0 * static_cast<double>(images.size()) /
                   static_cast<double>(std::max<size_t>(1, limited));
    }

    double operator()(std::span<const double> x, std::span<double> gradient) const {
        const std::vector<Setting> settings = settings_of(x);
        const std::vector<double> cells = problem_.model->cells(settings);
        std::vector<double> factors(cells.size());
        double value = 0.0;
        for (size_t c = 0; c < cells.size(); ++c) {
            value -= lit_[c] * cells[c] / unit_;
            factors[c] = -lit_[c] / unit_;
            if (std::isinf(problem_.limits[c])) continue;
            const double excess = cells[c] / problem_.limits[c] - 1.0;
            const double pull = std::max(0.0, multipliers_[c] + penalty_ * excess);
            value += (pull * pull - multipliers_[c] * multipliers_[c]) / (2.0 * penalty_);
            factors[c] += pull / problem_.limits[c];
        }
        const auto parts = problem_.model->weighted(settings, factors);
        for (size_t i = 0; i < settings.size(); ++i) {
            gradient[kUnknowns * i] = settings[i].share * parts[i].dx;
            gradient[kUnknowns * i + 1] = settings[i].share * parts[i].dy;
            gradient[kUnknowns * i + 2] = parts[i].value;
        }
        return value;
    }

    /// Moves the multipliers; returns the largest excess over a limit, as a share of it.
    double update(const std::vector<Setting>& settings) {
        const std::vector<double> cells = problem_.model->cells(settings);
        double worst = 0.0;
        for (size_t c = 0; c < cells.size(); ++c) {
            if (std::isinf(problem_.limits[c])) continue;
            const double excess = cells[c] / problem_.limits[c] - 1.0;
            worst = std::max(worst, excess);
            multipliers_[c] = std::max(0.0, multipliers_[c] + penalty_ * excess);
        }
        return worst;
    }
    void stiffen(double factor) { penalty_ *= factor; }

    std::vector<double> prices() const {
        std::vector<double> prices(lit_.size(), 0.0);
        for (size_t c = 0; c < prices.size(); ++c)
            if (multipliers_[c] > 0.0) prices[c] = multipliers_[c] * unit_ / problem_.limits[c];
        return prices;
    }

    static std::vector<Setting> settings_of(std::span<const double> x) {
        std::vector<Setting> settings(x.size() / kUnknowns);
        for (size_t i = 0; i < settings.size(); ++i) {
            settings[i] = {{x[kUnknowns * i], x[kUnknowns * i + 1]}, x[kUnknowns * i + 2]};
        }
        return settings;
    }

  private:
    const AimProblem& problem_;
    std::vector<double> lit_;
    std::vector<double> multipliers_;  ///< per share of the limit, in mean images
    double unit_ = 0.0;                ///< W of a mean image
    double penalty_ = 1.0;
};

/// Solves with the shares between 0 and 1, or with each as it is.
double iterate(const AimProblem& problem,
               double tolerance,
               AimSolution& solution,
               bool free_shares,
               int rounds) {
    const size_t count = solution.settings.size();
    std::vector<double> x(kUnknowns * count), low(x.size()), high(x.size());
    for (size_t i = 0; i < count; ++i) {
        const Setting& setting = solution.settings[i];
        const Range2& range = problem.ranges[i];
        const size_t k = kUnknowns * i;
        low[k] = range.low.x;
        low[k + 1] = range.low.y;
        high[k] = range.high.x;
        high[k + 1] = range.high.y;
        low[k + 2] = free_shares ? 0.0 : setting.share;
        high[k + 2] = free_shares ? 1.0 : setting.share;
        x[k] = std::clamp(setting.aim.x, low[k], high[k]);
        x[k + 1] = std::clamp(setting.aim.y, low[k + 1], high[k + 1]);
        x[k + 2] = setting.share;
    }
    Lagrangian lagrangian(problem, solution);
    double before = 1e300, worst = 0.0;
    for (int round = 0; round < rounds; ++round) {
        LbfgsOptions options;
        options.most_iterations = round == 0 ? 40 : 20;
        options.least_progress = 1e-6 / static_cast<double>(rounds);
        solution.iterations += minimise(std::cref(lagrangian), low, high, x, options);
        worst = lagrangian.update(Lagrangian::settings_of(x));
        if (worst < tolerance) break;
        if (worst > 0.5 * before) lagrangian.stiffen(2.0);
        before = worst;
    }
    solution.settings = Lagrangian::settings_of(x);
    solution.prices = lagrangian.prices();
    return worst;
}

double largest_excess(const AimProblem& problem, const std::vector<Setting>& settings) {
    const std::vector<double> cells = problem.model->cells(settings);
    double worst = 0.0;
    for (size_t c = 0; c < cells.size(); ++c)
        worst = std::max(worst, cells[c] / problem.limits[c] - 1.0);
    return worst;
}

/// Turns off the heliostats that bring least for the excess that they cause, until there is none.
void turn_off(const AimProblem& problem, double tolerance, AimSolution& solution) {
    const std::vector<double> lit = problem.model->lit_shares();
    while (true) {
        const std::vector<double> cells = problem.model->cells(solution.settings);
        std::vector<double> above(cells.size(), 0.0);
        double excess = 0.0;
        for (size_t c = 0; c < cells.size(); ++c) {
            if (cells[c] <= problem.limits[c] * (1.0 + 2.0 * tolerance)) continue;
            above[c] = 1.0;
            excess += cells[c] - problem.limits[c];
        }
        if (excess == 0.0) return;
        const auto guilt = problem.model->weighted(solution.settings, above);
        const auto worth = problem.model->weighted(solution.settings, lit);
        std::vector<size_t> order;
        for (size_t i = 0; i < guilt.size(); ++i)
            if (solution.settings[i].share > 0.0 && guilt[i].value > 0.0) order.push_back(i);
        if (order.empty()) return;
        std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
            return guilt[a].value * worth[b].value > guilt[b].value * worth[a].value;
        });
        // A part of those that would do, then the sums anew.
        double removed = 0.0;
        for (const size_t i : order) {
            solution.settings[i].share = 0.0;
            removed += guilt[i].value;
            if (removed >= 0.5 * excess) break;
        }
    }
}

}  // namespace

void solve(const AimProblem& problem, double tolerance, AimSolution& solution) {
    const double worst = iterate(problem, tolerance, solution, true, 14);
    // On or off.
    bool in_part = false;
    for (Setting& setting : solution.settings) {
        in_part = in_part || (setting.share > 0.0 && setting.share < 1.0);
        setting.share = setting.share < 0.5 ? 0.0 : 1.0;
    }
    if (in_part || worst >= tolerance) {
        iterate(problem, tolerance, solution, false, 6);
        if (largest_excess(problem, solution.settings) > 2.0 * tolerance) {
            turn_off(problem, tolerance, solution);
            iterate(problem, tolerance, solution, false, 3);
            turn_off(problem, tolerance, solution);
        }
    }
}

double power_bound(const AimProblem& problem, std::vector<double>& prices) {
    const FluxModel& model = *problem.model;
    const std::vector<double> lit = model.lit_shares();
    std::vector<double> factors(lit.size());
    double bound = 0.0;
    for (size_t c = 0; c < lit.size(); ++c) {
        factors[c] = lit[c] - prices[c];
        if (prices[c] > 0.0) bound += prices[c] * problem.limits[c];
    }
    std::vector<double> best(model.images.size(), 0.0);
    parallel_shares(best.size(), 16, model.num_threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            const Range2& range = problem.ranges[i];
            const Image::Best most = model.images[i].best(
                model.grid(i), range.low, range.high, model.part(i, factors));
            best[i] = std::max(0.0, most.bound);
        }
    });
    return std::accumulate(best.begin(), best.end(), bound);
}

}  // namespace helioray::aiming

// SPDX-License-Identifier: MIT
// Augmented Lagrangian of the optimisation problem, and its minimum by L-BFGS.
#include "raytracer/solvers/aiming/search/lagrangian.h"

#include "raytracer/solvers/aiming/model/flux_model.h"
#include "raytracer/solvers/aiming/search/projected_lbfgs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace helioray::aiming {

namespace {

// Iterations with the first multipliers (from a cold start and from a near solution), with later
// multipliers, and for a target flux map. With 10,000 heliostats, short rounds that keep the memory
// of L-BFGS take half the time of rounds of 20 iterations that start without it.
constexpr int kFirstIterations = 40;
constexpr int kFirstNearIterations = 20;
constexpr int kNextIterations = 15;
constexpr int kMapIterations = 150;

/// Augmented Lagrangian in units in which the optimiser's steps have a size of about one.
class Lagrangian {
  public:
    /// Unknowns per heliostat: x, y and the used fraction of its light
    static constexpr size_t kUnknowns = 3;

    /// which: selects the heliostats that may change.
    Lagrangian(const AimProblem& problem, const AimSolution& solution, FluxModel::Heliostats which)
        : problem_(problem),
          which_(which),
          lit_(problem.model->lit_shares()),
          multipliers_(lit_.size(), 0.0) {
        const std::vector<Image>& images = problem.model->images;
        for (const Image& image : images) unit_ += image.power();
        unit_ /= static_cast<double>(std::max<size_t>(1, images.size()));
        size_t limited = 0, of_shields = 0;
        for (size_t c = 0; c < lit_.size(); ++c) {
            if (std::isinf(problem.limits[c])) continue;
            ++(lit_[c] > 0.0 ? limited : of_shields);
            multipliers_[c] = solution.prices[c] * problem.limits[c] / unit_;
        }
        if (limited == 0) limited = of_shields;
        if (problem.wanted != nullptr) limited = lit_.size();
        // A multiplier is about the number of heliostats per cell; the penalty charges that much
        // for an excess of a hundredth of the limit. With a third of this penalty, the prices of
        // small fields give poor bounds.
        penalty_ = 30.0 * static_cast<double>(images.size()) /
                   static_cast<double>(std::max<size_t>(1, limited));
        weight_ = penalty_;
    }

    /// Returns the value at the unknowns and computes the gradient.
    double operator()(std::span<const double> x, std::span<double> gradient) const {
        const std::vector<Setting> settings = settings_of(x);
        const std::vector<double>& cells = cells_at(x, settings);
        std::vector<double> factors(cells.size());
        double value = 0.0;
        for (size_t c = 0; c < cells.size(); ++c) {
            if (problem_.wanted == nullptr) {
                value -= lit_[c] * cells[c] / unit_;
                factors[c] = -lit_[c] / unit_;
            } else {
                const WantedMap::Part part = problem_.part(c, cells[c]);
                value += weight_ * part.value;
                factors[c] = weight_ * part.slope;
            }
            if (std::isinf(problem_.limits[c])) continue;
            const double excess = cells[c] / problem_.limits[c] - 1.0;
            const double pull = std::max(0.0, multipliers_[c] + penalty_ * excess);
            value += (pull * pull - multipliers_[c] * multipliers_[c]) / (2.0 * penalty_);
            factors[c] += pull / problem_.limits[c];
        }
        const auto parts = problem_.model->weighted(settings, factors, which_);
        for (size_t i = 0; i < settings.size(); ++i) {
            gradient[kUnknowns * i] = settings[i].share * parts[i].dx;
            gradient[kUnknowns * i + 1] = settings[i].share * parts[i].dy;
            gradient[kUnknowns * i + 2] = parts[i].value;
        }
        return value;
    }

    /// Updates the multipliers. Returns the largest excess over a limit, as a fraction of the
    /// limit.
    double update(std::span<const double> x) {
        const std::vector<double>& cells = cells_at(x, settings_of(x));
        double worst = 0.0;
        for (size_t c = 0; c < cells.size(); ++c) {
            if (std::isinf(problem_.limits[c])) continue;
            const double excess = cells[c] / problem_.limits[c] - 1.0;
            worst = std::max(worst, excess);
            multipliers_[c] = std::max(0.0, multipliers_[c] + penalty_ * excess);
        }
        return worst;
    }
    /// Multiplies the penalty.
    void stiffen(double factor) { penalty_ *= factor; }

    /// Returns the shadow prices of the multipliers, W per W, by cell.
    std::vector<double> prices() const {
        std::vector<double> prices(lit_.size(), 0.0);
        for (size_t c = 0; c < prices.size(); ++c)
            if (multipliers_[c] > 0.0) prices[c] = multipliers_[c] * unit_ / problem_.limits[c];
        return prices;
    }

    /// Returns the settings of all heliostats from the unknowns.
    static std::vector<Setting> settings_of(std::span<const double> x) {
        std::vector<Setting> settings(x.size() / kUnknowns);
        for (size_t i = 0; i < settings.size(); ++i) {
            settings[i] = {{x[kUnknowns * i], x[kUnknowns * i + 1]}, x[kUnknowns * i + 2]};
        }
        return settings;
    }

  private:
    /// Returns the power in the cells and caches it, because each round starts at the point where
    /// the previous one ended.
    const std::vector<double>& cells_at(std::span<const double> x,
                                        const std::vector<Setting>& settings) const {
        if (!std::equal(x.begin(), x.end(), last_x_.begin(), last_x_.end())) {
            cells_ = problem_.model->cells(settings);
            last_x_.assign(x.begin(), x.end());
        }
        return cells_;
    }

    const AimProblem& problem_;
    FluxModel::Heliostats which_;
    std::vector<double> lit_;
    std::vector<double> multipliers_;  ///< Multipliers per fraction of the limit, in mean images
    double unit_ = 0.0;                ///< Power of a mean image, W
    double penalty_ = 1.0;
    double weight_ = 1.0;  ///< Weight of the distance from a target flux map
    /// Last settings, and the power in each cell for them, W
    mutable std::vector<double> last_x_, cells_;
};

}  // namespace

double minimise_lagrangian(const AimProblem& problem,
                           double tolerance,
                           AimSolution& solution,
                           bool free_shares,
                           int rounds) {
    const size_t count = solution.settings.size();
    std::vector<double> x(Lagrangian::kUnknowns * count), low(x.size()), high(x.size());
    for (size_t i = 0; i < count; ++i) {
        const Setting& setting = solution.settings[i];
        const Range2& range = problem.ranges[i];
        const size_t k = Lagrangian::kUnknowns * i;
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
    Lagrangian lagrangian(problem,
                          solution,
                          free_shares ? FluxModel::Heliostats::all : FluxModel::Heliostats::active);
    double before = 1e300, worst = 0.0;
    LbfgsMemory memory;
    const int first = problem.wanted != nullptr ? kMapIterations
                      : problem.starts_near     ? kFirstNearIterations
                                                : kFirstIterations;
    for (int round = 0; round < rounds; ++round) {
        LbfgsOptions options;
        // Without limits there is only one round.
        options.most_iterations = round == 0 ? first : kNextIterations;
        options.least_progress = 1e-6 / static_cast<double>(rounds);
        solution.iterations += minimise(std::cref(lagrangian), low, high, x, options, memory);
        worst = lagrangian.update(x);
        if (worst < tolerance) break;
        if (worst > 0.5 * before) lagrangian.stiffen(2.0);
        before = worst;
    }
    solution.settings = Lagrangian::settings_of(x);
    solution.prices = lagrangian.prices();
    return worst;
}

}  // namespace helioray::aiming

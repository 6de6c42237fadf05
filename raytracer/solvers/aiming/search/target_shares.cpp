// SPDX-License-Identifier: MIT
// Divides a field among targets: solves for prices, assigns the heliostats with tied targets, and
// improves the result by exchanges.
#include "raytracer/solvers/aiming/search/target_shares.h"

#include "raytracer/solvers/aiming/search/projected_lbfgs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

namespace helioray::aiming {

namespace {

// Softness of the choice between targets in each stage, as a fraction of the power of a heliostat.
constexpr std::array<double, 4> kSoftnessOfShares{0.1, 0.03, 0.01, 0.003};
// Prices below this fraction of the highest are set to 0: their targets receive more than their
// fractions.
constexpr double kNoPrice = 1e-3;
// Upper bound for prices. Only their ratios matter; with a sum of 1 no price exceeds one over the
// fraction of its target.
constexpr double kUnboundedPrice = 1e9;
// A heliostat takes part in the assignment of ties at a target that it serves with at least this
// fraction.
constexpr double kTied = 0.05;
// Number of heliostats tried in exchanges from each target to each other one; those that lose least
// come first.
constexpr size_t kCandidates = 12;
// Exchanges that improve the result by less than this are skipped. One heliostat of a large field
// counts a hundred times as much.
constexpr double kProgress = 1e-6;
// Weight of the next worst served target relative to the previous one, if the worst target is
// served equally well.
constexpr double kNextWorst = 1e-2;
// Tolerance for rounding in sums of the same numbers in another order.
constexpr double kRounding = 1e-12;
// Maximum number of sets of heliostats tried at once: pairs in large fields, larger sets in small
// ones.
constexpr double kMostTries = 5e4;

/// Soft choice between targets: the fractions of each heliostat that serve the targets, given their
/// prices.
class SoftChoice {
  public:
    SoftChoice(const PowerTable& table,
               const std::vector<uint8_t>& takes_part,
               const std::vector<uint8_t>& is_open)
        : table_(table), takes_part_(takes_part), is_open_(is_open) {}

    /// Computes the fraction of a heliostat that serves each open target; 0 for all if it brings no
    /// power. Returns the soft maximum of price times power, W.
    double shares(size_t i,
                  std::span<const double> prices,
                  double softness,
                  std::span<double> share) const {
        double most = 0.0, largest = 0.0;
        for (size_t t = 0; t < prices.size(); ++t) {
            if (!is_usable(i, t)) continue;
            most = std::max(most, table_.at(i, t));
            largest = std::max(largest, prices[t] * table_.at(i, t));
        }
        std::fill(share.begin(), share.end(), 0.0);
        if (most == 0.0) return 0.0;
        const double width = softness * most;
        double sum = 0.0;
        for (size_t t = 0; t < prices.size(); ++t) {
            if (!is_usable(i, t)) continue;
            share[t] = std::exp((prices[t] * table_.at(i, t) - largest) / width);
            sum += share[t];
        }
        for (double& fraction : share) fraction /= sum;
        return largest + width * std::log(sum);
    }

    bool is_usable(size_t i, size_t t) const {
        return takes_part_[i] != 0 && is_open_[t] != 0 && table_.at(i, t) > 0.0;
    }

  private:
    const PowerTable& table_;
    const std::vector<uint8_t>& takes_part_;
    const std::vector<uint8_t>& is_open_;
};

/// Returns the prices of the open targets for the heliostats that take part.
std::vector<double> solve_prices(const PowerTable& table,
                                 std::span<const double> shares,
                                 const SoftChoice& choice,
                                 const std::vector<uint8_t>& is_open) {
    const size_t targets = shares.size();
    double unit = 0.0;
    for (size_t i = 0; i < table.num_heliostats(); ++i) {
        double most = 0.0;
        for (size_t t = 0; t < targets; ++t)
            if (choice.is_usable(i, t)) most = std::max(most, table.at(i, t));
        unit += most;
    }
    std::vector<double> low(targets, 0.0), high(targets, 0.0), prices(targets, 0.0);
    for (size_t t = 0; t < targets; ++t) {
        if (!is_open[t]) continue;
        prices[t] = 1.0;
        high[t] = kUnboundedPrice;
    }
    if (unit == 0.0) return prices;
    // The dual requires that the prices, weighted with the fractions, sum to 1. A logarithm
    // replaces this constraint and gives the same prices up to a common factor, because the maximum
    // is proportional to the prices.
    std::vector<double> share(targets);
    for (const double softness : kSoftnessOfShares) {
        const auto objective = [&](std::span<const double> x, std::span<double> gradient) {
            double value = 0.0, weight = 0.0;
            std::fill(gradient.begin(), gradient.end(), 0.0);
            for (size_t i = 0; i < table.num_heliostats(); ++i) {
                value += choice.shares(i, x, softness, share) / unit;
                for (size_t t = 0; t < targets; ++t)
                    gradient[t] += share[t] * table.at(i, t) / unit;
            }
            for (size_t t = 0; t < targets; ++t)
                if (is_open[t]) weight += shares[t] * x[t];
            for (size_t t = 0; t < targets; ++t)
                if (is_open[t]) gradient[t] -= shares[t] / weight;
            return weight > 0.0 ? value - std::log(weight) : kUnboundedPrice;
        };
        LbfgsOptions options;
        options.most_iterations = 100;
        options.least_progress = 1e-9;
        LbfgsMemory memory;
        minimise(objective, low, high, prices, options, memory);
    }
    const double highest = *std::max_element(prices.begin(), prices.end());
    for (double& price : prices)
        if (price < kNoPrice * highest) price = 0.0;
    return prices;
}

/// Returns the value of the dual function at these prices.
double bound_at(const PowerTable& table,
                std::span<const double> shares,
                const std::vector<double>& prices) {
    double sum = 0.0;
    for (size_t i = 0; i < table.num_heliostats(); ++i) {
        double most = 0.0;
        for (size_t t = 0; t < prices.size(); ++t)
            most = std::max(most, prices[t] * table.at(i, t));
        sum += most;
    }
    return sum / std::inner_product(shares.begin(), shares.end(), prices.begin(), 0.0);
}

/// Reassignment of a heliostat to another target.
struct Move {
    size_t heliostat = 0, to = 0;
};

/// Improves an assignment by exchanging single heliostats, pairs, and in small fields larger sets.
class Exchange {
  public:
    Exchange(const PowerTable& table,
             std::span<const double> shares,
             std::vector<double> prices,
             FieldDivision& division)
        : table_(table), shares_(shares), prices_(std::move(prices)), division_(division) {}

    void run() {
        bool has_improved = true;
        while (has_improved) {
            const std::vector<Move> moves = candidates();
            best_ = score(division_.watts);
            taken_.clear();
            double sets = 1.0;
            for (size_t size = 1; taken_.empty() && size <= moves.size(); ++size) {
                sets *= static_cast<double>(moves.size() - size + 1) / static_cast<double>(size);
                if (size > 1 && sets > kMostTries) break;
                attempt(moves, 0, size);
            }
            has_improved = !taken_.empty();
            for (const Move& move : taken_) apply(move);
        }
    }

  private:
    /// Power over fraction: the minimum over the targets, and a weighted sum of the others.
    struct Score {
        double least = 0.0, others = 0.0;

        bool is_better_than(const Score& other) const {
            if (least > other.least * (1.0 + kProgress)) return true;
            return least >= other.least * (1.0 - kRounding) &&
                   others > other.others * (1.0 + kProgress);
        }
    };

    Score score(const std::vector<double>& watts) {
        ratios_.clear();
        for (size_t t = 0; t < watts.size(); ++t) ratios_.push_back(watts[t] / shares_[t]);
        std::sort(ratios_.begin(), ratios_.end());
        Score result{ratios_.front(), 0.0};
        double weight = 1.0;
        for (const double ratio : std::span(ratios_).subspan(1)) {
            result.others += weight * ratio;
            weight *= kNextWorst;
        }
        return result;
    }

    /// Returns the heliostats that lose least, for every pair of targets.
    std::vector<Move> candidates() const {
        const size_t targets = shares_.size();
        std::vector<std::vector<std::pair<double, size_t>>> losses(targets * targets);
        for (size_t i = 0; i < division_.target_of.size(); ++i) {
            const size_t from = division_.target_of[i];
            if (from == FieldDivision::kNowhere) continue;
            for (size_t to = 0; to < targets; ++to)
                if (to != from && table_.at(i, to) > 0.0)
                    losses[from * targets + to].emplace_back(
                        prices_[from] * table_.at(i, from) - prices_[to] * table_.at(i, to), i);
        }
        std::vector<Move> moves;
        for (size_t pair = 0; pair < losses.size(); ++pair) {
            auto& all = losses[pair];
            const auto end = all.begin() + std::min(std::ssize(all), std::ptrdiff_t{kCandidates});
            std::partial_sort(all.begin(), end, all.end());
            for (auto move = all.begin(); move != end; ++move)
                moves.push_back({move->second, pair % targets});
        }
        return moves;
    }

    void apply(const Move& move) {
        size_t& at = division_.target_of[move.heliostat];
        division_.watts[at] -= table_.at(move.heliostat, at);
        division_.watts[move.to] += table_.at(move.heliostat, move.to);
        at = move.to;
    }

    /// Tries all sets of `more` further moves from `first` on, in addition to those already
    /// applied.
    void attempt(const std::vector<Move>& moves, size_t first, size_t more) {
        for (size_t next = first; next < moves.size(); ++next) {
            const Move& move = moves[next];
            const Move back{move.heliostat, division_.target_of[move.heliostat]};
            const auto moved = [&](const Move& other) { return other.heliostat == move.heliostat; };
            if (std::any_of(applied_.begin(), applied_.end(), moved)) continue;
            const std::vector<double> watts = division_.watts;
            apply(move);
            applied_.push_back(move);
            if (more > 1) {
                attempt(moves, next + 1, more - 1);
            } else if (const Score found = score(division_.watts); found.is_better_than(best_)) {
                best_ = found;
                taken_ = applied_;
            }
            applied_.pop_back();
            apply(back);
            // Restore the stored powers, because subtraction would leave rounding errors.
            division_.watts = watts;
        }
    }

    const PowerTable& table_;
    std::span<const double> shares_;
    std::vector<double> prices_;
    FieldDivision& division_;
    Score best_;
    std::vector<Move> applied_, taken_;
    std::vector<double> ratios_;
};

/// Assigns the heliostats with tied targets in turn, so that every target receives as much power as
/// with fractions of heliostats.
void round_choice(const PowerTable& table,
                  const std::vector<double>& prices,
                  const SoftChoice& choice,
                  FieldDivision& division) {
    const size_t targets = prices.size();
    std::vector<double> share(targets), owed(targets, 0.0);
    for (size_t i = 0; i < table.num_heliostats(); ++i) {
        choice.shares(i, prices, kSoftnessOfShares.back(), share);
        size_t best = FieldDivision::kNowhere;
        for (size_t t = 0; t < targets; ++t) {
            owed[t] += share[t] * table.at(i, t);
            // Targets without a price leave this heliostat to the others.
            if (prices[t] == 0.0 || share[t] < kTied) continue;
            if (best == FieldDivision::kNowhere || owed[t] > owed[best]) best = t;
        }
        if (best == FieldDivision::kNowhere) continue;
        division.target_of[i] = best;
        owed[best] -= table.at(i, best);
    }
}

}  // namespace

double shared_power(std::span<const double> watts, std::span<const double> shares) {
    double least = std::numeric_limits<double>::infinity();
    for (size_t t = 0; t < shares.size(); ++t) least = std::min(least, watts[t] / shares[t]);
    return least;
}

FieldDivision divide_field(const PowerTable& table, std::span<const double> shares) {
    const size_t targets = shares.size();
    FieldDivision division;
    division.target_of.assign(table.num_heliostats(), FieldDivision::kNowhere);
    std::vector<uint8_t> takes_part(table.num_heliostats(), 1), is_open(targets, 1);
    std::vector<double> all_prices(targets, 0.0);
    // Targets without a price receive more than their fractions. Once the other targets have all
    // that they can use, these targets divide the rest.
    for (double weight = 1.0; std::count(is_open.begin(), is_open.end(), 1) > 0; weight *= 1e-3) {
        const SoftChoice choice(table, takes_part, is_open);
        const std::vector<double> prices = solve_prices(table, shares, choice, is_open);
        if (weight == 1.0) division.bound = bound_at(table, shares, prices);
        round_choice(table, prices, choice, division);
        for (size_t t = 0; t < targets; ++t) {
            if (prices[t] == 0.0) continue;
            is_open[t] = 0;
            all_prices[t] = weight * prices[t];
        }
        for (size_t i = 0; i < takes_part.size(); ++i)
            if (division.target_of[i] != FieldDivision::kNowhere) takes_part[i] = 0;
    }
    division.watts.assign(targets, 0.0);
    for (size_t i = 0; i < division.target_of.size(); ++i)
        if (division.target_of[i] != FieldDivision::kNowhere)
            division.watts[division.target_of[i]] += table.at(i, division.target_of[i]);
    Exchange(table, shares, std::move(all_prices), division).run();
    return division;
}

}  // namespace helioray::aiming

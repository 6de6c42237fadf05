// SPDX-License-Identifier: MIT
// Implements the local search over candidates with restarts.
#include "raytracer/solvers/aiming/search/exchange.h"

#include "kernels/host/parallel_for.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

namespace helioray::aiming {

namespace {

// Number of candidates along an axis with one free coordinate, and with two.
constexpr int kOfLine = 41;
constexpr int kOfPlane = 15;
// Maximum number of stored cells of all candidates: 128 MB.
constexpr size_t kMostStored = 32'000'000;
constexpr double kVisits = 6.7e7;  ///< Maximum number of visited cells at an effort of 1
// Penalty in W of power per W above a limit, from sweep to sweep.
constexpr std::array<double, 5> kPenalties{1.0, 3.0, 10.0, 30.0, 100.0};
constexpr int kMostSweeps = 4;  ///< Maximum number of sweeps at one penalty
// Initial temperature of the annealing from scratch and from a good solution, and its final
// temperature, as fractions of the mean power of a heliostat.
constexpr double kHot = 0.15;
constexpr double kWarm = 0.08;
constexpr double kCold = 0.02;
constexpr double kAnnealPenalty = 20.0;  ///< Penalty during annealing, W per W above a limit
constexpr double kAnnealing = 0.9;       ///< Fraction of all visits that annealing takes
constexpr size_t kLanes = 8;  ///< Number of partial sums, so that the order of additions is fixed

/// Pseudorandom number generator with the same sequence on all machines (SplitMix64).
struct Random {
    uint64_t state;

    uint64_t next() {
        uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
        return z ^ (z >> 31);
    }
    size_t below(size_t count) { return static_cast<size_t>(next() % count); }
    double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }
};

/// Light of one candidate in the cells [begin, begin + watts.size()) of its heliostat's grid.
struct Candidate {
    SurfacePoint aim;
    double power = 0.0;  ///< Power on lit cells, W
    size_t begin = 0;
    std::vector<float> watts;
};

constexpr int kOff = -1;

class Search {
  public:
    Search(const AimProblem& problem, double tolerance, const AimSolution& start)
        : problem_(problem), limits_(problem.limits.size()) {
        const FluxModel& model = *problem.model;
        for (size_t c = 0; c < limits_.size(); ++c)
            limits_[c] = std::isinf(problem.limits[c])
                             ? std::numeric_limits<float>::max()
                             : static_cast<float>(problem.limits[c] * (1.0 + tolerance));
        const std::vector<double> lit = model.lit_shares();
        candidates_.resize(model.images.size());
        parallel_shares(candidates_.size(), 1, model.num_threads, [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) make_candidates(i, lit, start.settings[i]);
        });
    }

    /// Returns the initial states: the last candidate of each heliostat is its setting.
    std::vector<int> start_of(const AimSolution& start) const {
        std::vector<int> states;
        for (size_t i = 0; i < candidates_.size(); ++i)
            states.push_back(
                start.settings[i].share > 0.0 ? static_cast<int>(candidates_[i].size()) - 1 : kOff);
        return states;
    }

    /// Returns the total power of the states, W.
    double power(const std::vector<int>& states) const {
        double sum = 0.0;
        for (size_t i = 0; i < states.size(); ++i)
            if (states[i] != kOff) sum += of(i, states[i]).power;
        return sum;
    }

    /// Improves the states at rising penalties from `first` on, then repairs violated limits.
    void improve(size_t first, Random& random, std::vector<int>& states) {
        load(states);
        std::vector<size_t> order(states.size());
        std::iota(order.begin(), order.end(), size_t{0});
        for (size_t k = first; k < kPenalties.size(); ++k) {
            for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
                for (size_t i = order.size(); i > 1; --i)
                    std::swap(order[i - 1], order[random.below(i)]);
                bool changed = false;
                for (const size_t i : order) changed |= respond(i, kPenalties[k], states);
                if (!changed) break;
            }
        }
        repair(states);
        // Turn heliostats on again if others that were turned off made room for them.
        for (const size_t i : order)
            if (states[i] == kOff) respond(i, std::numeric_limits<double>::infinity(), states);
    }

    /// Runs simulated annealing from the states: single heliostats move, turn on or off, or swap,
    /// and worse states are accepted less and less often (Kirkpatrick, Gelatt and Vecchi 1983).
    void anneal(double visits, double hot, Random& random, std::vector<int>& states) {
        load(states);
        double mean = 0.0;
        for (const auto& own : candidates_) mean += own.back().power;
        mean /= static_cast<double>(candidates_.size());
        const double begin = visits_;
        while (visits_ < begin + visits) {
            const double t = (visits_ - begin) / visits;
            const double heat = mean * hot * std::pow(kCold / hot, t);
            for (size_t k = 0; k < states.size(); ++k) step(heat, random, states);
        }
    }

    /// Returns the settings of the states. Heliostats without any light, such as those whose motors
    /// are fixed away from the receiver, keep their previous setting.
    std::vector<Setting> settings(const std::vector<int>& states,
                                  const std::vector<Setting>& before) const {
        std::vector<Setting> result = before;
        for (size_t i = 0; i < states.size(); ++i) {
            if (is_dark(i)) continue;
            result[i] = states[i] == kOff ? Setting{before[i].aim, 0.0}
                                          : Setting{of(i, states[i]).aim, 1.0};
        }
        return result;
    }

    double visits() const { return visits_; }
    /// Returns true if no candidate brings any light, so that there is nothing to search.
    bool is_dark() const {
        for (size_t i = 0; i < candidates_.size(); ++i)
            if (!is_dark(i)) return false;
        return true;
    }
    size_t count(size_t i) const { return candidates_[i].size(); }
    double above(const std::vector<int>& states) {
        load(states);
        double sum = 0.0;
        for (size_t c = 0; c < cells_.size(); ++c) sum += std::max(0.0f, cells_[c] - limits_[c]);
        return sum;
    }

  private:
    bool is_dark(size_t i) const {
        return std::all_of(candidates_[i].begin(), candidates_[i].end(), [](const Candidate& c) {
            return c.watts.empty();
        });
    }
    const Candidate& of(size_t i, int state) const {
        return candidates_[i][static_cast<size_t>(state)];
    }
    size_t first_cell(size_t i) const { return problem_.model->cells_of(i).first; }

    void make_candidates(size_t i, const std::vector<double>& lit, const Setting& start) {
        const FluxModel& model = *problem_.model;
        const ReceiverGrid& grid = model.grid(i);
        const Range2& range = problem_.ranges[i];
        const auto points = [](double low, double high, int most) {
            std::vector<double> places;
            const int count = low < high ? most : 1;
            for (int k = 0; k < count; ++k)
                places.push_back(count == 1 ? low : std::lerp(low, high, k / (count - 1.0)));
            return places;
        };
        const bool is_plane = range.low.x < range.high.x;
        std::vector<double> cells(model.cells_of(i).count);
        const auto add = [&](SurfacePoint aim) {
            std::fill(cells.begin(), cells.end(), 0.0);
            model.images[i].add(grid, aim, 1.0, cells);
            Candidate candidate{aim, 0.0, cells.size(), {}};
            size_t end = 0;
            for (size_t c = 0; c < cells.size(); ++c) {
                if (cells[c] == 0.0) continue;
                candidate.power += cells[c] * lit[first_cell(i) + c];
                candidate.begin = std::min(candidate.begin, c);
                end = c + 1;
            }
            if (end == 0) candidate.begin = 0;
            for (size_t c = candidate.begin; c < end; ++c)
                candidate.watts.push_back(static_cast<float>(cells[c]));
            candidates_[i].push_back(std::move(candidate));
        };
        for (const double y : points(range.low.y, range.high.y, is_plane ? kOfPlane : kOfLine))
            for (const double x : points(range.low.x, range.high.x, kOfPlane)) add({x, y});
        add(start.aim);
    }

    void load(const std::vector<int>& states) {
        cells_.assign(limits_.size(), 0.0f);
        change_.assign(limits_.size(), 0.0f);
        for (size_t i = 0; i < states.size(); ++i)
            if (states[i] != kOff) change(i, states[i], 1.0f);
    }

    void change(size_t i, int state, float sign) {
        const Candidate& candidate = of(i, state);
        float* cells = cells_.data() + first_cell(i) + candidate.begin;
        for (size_t c = 0; c < candidate.watts.size(); ++c) cells[c] += sign * candidate.watts[c];
        visits_ += static_cast<double>(candidate.watts.size());
    }

    /// Returns the power above the limits that a change of the cells from `first` on adds, W.
    double excess(size_t first, std::span<const float> change) {
        const float* cells = cells_.data() + first;
        const float* limits = limits_.data() + first;
        const size_t size = change.size();
        std::array<float, kLanes> parts{};
        size_t c = 0;
        for (; c + kLanes <= size; c += kLanes) {
            for (size_t k = 0; k < kLanes; ++k) {
                const float room = cells[c + k] - limits[c + k];
                parts[k] += std::max(0.0f, room + change[c + k]) - std::max(0.0f, room);
            }
        }
        for (; c < size; ++c) {
            const float room = cells[c] - limits[c];
            parts[0] += std::max(0.0f, room + change[c]) - std::max(0.0f, room);
        }
        visits_ += static_cast<double>(size);
        return std::accumulate(parts.begin(), parts.end(), 0.0);
    }
    double excess(size_t i, const Candidate& candidate) {
        return excess(first_cell(i) + candidate.begin, std::span<const float>(candidate.watts));
    }

    /// Adds the light of a state, times a factor, to the change of the cells.
    void add_change(size_t i, int state, float factor) {
        if (state == kOff) return;
        const Candidate& candidate = of(i, state);
        float* change = change_.data() + first_cell(i) + candidate.begin;
        for (size_t c = 0; c < candidate.watts.size(); ++c)
            change[c] += factor * candidate.watts[c];
        visits_ += static_cast<double>(candidate.watts.size());
    }
    /// Includes the cells of a state in the range of cells that change.
    void widen(size_t i, int state, size_t& begin, size_t& end) const {
        if (state == kOff || of(i, state).watts.empty()) return;
        const size_t first = first_cell(i) + of(i, state).begin;
        begin = std::min(begin, first);
        end = std::max(end, first + of(i, state).watts.size());
    }
    double power_of(size_t i, int state) const { return state == kOff ? 0.0 : of(i, state).power; }

    bool is_state(size_t i, int state) const {
        return state < static_cast<int>(candidates_[i].size());
    }

    /// Makes one proposal of the annealing and accepts or rejects it.
    void step(double heat, Random& random, std::vector<int>& states) {
        const size_t i = random.below(states.size());
        // Change a second heliostat as well in a quarter of the proposals.
        const size_t j = random.below(2) == 0 ? random.below(states.size()) : i;
        int next = propose(i, states[i], random);
        int other = j != i ? propose(j, states[j], random) : next;
        // Half of them swap their states.
        if (j != i && random.below(2) == 0 && is_state(i, states[j]) && is_state(j, states[i])) {
            next = states[j];
            other = states[i];
        }
        if (next == states[i] && (j == i || other == states[j])) return;
        size_t begin = cells_.size(), end = 0;
        double gain = power_of(i, next) - power_of(i, states[i]);
        widen(i, states[i], begin, end);
        widen(i, next, begin, end);
        if (j != i) {
            gain += power_of(j, other) - power_of(j, states[j]);
            widen(j, states[j], begin, end);
            widen(j, other, begin, end);
        }
        if (begin >= end) return;
        std::fill_n(&change_[begin], end - begin, 0.0f);
        add_change(i, states[i], -1.0f);
        add_change(i, next, 1.0f);
        if (j != i) {
            add_change(j, states[j], -1.0f);
            add_change(j, other, 1.0f);
        }
        const std::span<const float> change(change_.data() + begin, end - begin);
        const double merit = gain - kAnnealPenalty * excess(begin, change);
        if (merit < 0.0 && random.fraction() >= std::exp(merit / heat)) return;
        for (size_t c = begin; c < end; ++c) cells_[c] += change_[c];
        states[i] = next;
        if (j != i) states[j] = other;
    }

    /// Returns a new state: off, near the previous one, or anywhere.
    int propose(size_t i, int before, Random& random) const {
        const size_t count = candidates_[i].size();
        const size_t kind = random.below(8);
        if (kind == 0) return kOff;
        if (kind < 5 && before != kOff) {
            // Choose a neighbour along the first or the second axis.
            const Range2& range = problem_.ranges[i];
            const int row = range.low.x < range.high.x && random.below(2) == 0 ? kOfPlane : 1;
            const int ahead = before + row * (static_cast<int>(random.below(5)) - 2);
            if (ahead >= 0 && ahead < static_cast<int>(count)) return ahead;
        }
        return static_cast<int>(random.below(count));
    }

    /// Sets one heliostat to its best state. Returns true if it changed.
    bool respond(size_t i, double penalty, std::vector<int>& states) {
        const int before = states[i];
        if (before != kOff) change(i, before, -1.0f);
        int best = kOff;
        double most = 0.0;
        for (size_t k = 0; k < candidates_[i].size(); ++k) {
            const Candidate& candidate = candidates_[i][k];
            if (candidate.power <= most) continue;
            const double above = excess(i, candidate);
            const double merit =
                candidate.power - (above > 1e-6 * candidate.power ? penalty * above : 0.0);
            if (merit <= most) continue;
            most = merit;
            best = static_cast<int>(k);
        }
        states[i] = best;
        if (best != kOff) change(i, best, 1.0f);
        return best != before;
    }

    /// Turns off heliostats until no cell exceeds its limit, starting with those that bring least
    /// for the excess that they cause.
    void repair(std::vector<int>& states) {
        while (true) {
            double worst = 0.0;
            int out = kOff;
            double total = 0.0;
            for (size_t c = 0; c < cells_.size(); ++c)
                total += std::max(0.0f, cells_[c] - limits_[c] * (1.0f + 1e-6f));
            if (total <= 0.0) return;
            for (size_t i = 0; i < states.size(); ++i) {
                if (states[i] == kOff) continue;
                const Candidate& candidate = of(i, states[i]);
                change(i, states[i], -1.0f);
                const double relief = excess(i, candidate);
                change(i, states[i], 1.0f);
                const double merit = relief / std::max(candidate.power, 1e-9);
                if (merit <= worst) continue;
                worst = merit;
                out = static_cast<int>(i);
            }
            if (out == kOff) return;
            const auto i = static_cast<size_t>(out);
            change(i, states[i], -1.0f);
            states[i] = kOff;
        }
    }

    const AimProblem& problem_;
    std::vector<float> limits_;  ///< Limits by cell, W
    std::vector<std::vector<Candidate>> candidates_;
    std::vector<float> cells_;   ///< Power by cell for the current states, W
    std::vector<float> change_;  ///< Change of the power by cell for a proposal, W
    double visits_ = 0.0;
};

}  // namespace

bool exchange(const AimProblem& problem,
              double tolerance,
              const ExchangeOptions& options,
              AimSolution& solution) {
    const size_t count = solution.settings.size();
    size_t stored = 0;
    for (size_t i = 0; i < count; ++i) {
        const Range2& range = problem.ranges[i];
        const bool is_plane = range.low.x < range.high.x;
        stored += problem.model->cells_of(i).count *
                  static_cast<size_t>(is_plane ? kOfPlane * kOfPlane : kOfLine);
    }
    if (count == 0 || stored > kMostStored) return false;
    Search search(problem, tolerance, solution);
    if (search.is_dark()) return false;
    const double visits = options.effort * kVisits;
    Random random{count + (options.seed << 32)};
    const std::vector<int> start = search.start_of(solution);
    std::vector<int> best = start;
    // Ignore an excess caused by rounding in single precision.
    const double total = search.power(start);
    const bool is_kept = search.above(start) <= 1e-6 * total;
    double most = is_kept && !options.reheats ? total : 0.0;
    const double first = most;
    const auto note = [&](const std::vector<int>& states) {
        const double found = search.power(states);
        if (found <= most) return;
        most = found;
        best = states;
    };
    std::vector<int> states = start;
    search.anneal(visits * kAnnealing, options.reheats ? kWarm : kHot, random, states);
    search.improve(2, random, states);
    note(states);
    for (int restart = 0; search.visits() < visits; ++restart) {
        states = restart % 8 == 1 ? std::vector<int>(count, kOff) : best;
        size_t penalty = restart <= 1 ? 0 : random.below(kPenalties.size() - 1);
        if (restart > 1 && restart % 8 != 1) {
            // Move some heliostats to random candidates and turn others off.
            const size_t moved =
                1 + random.below(std::max<size_t>(1, std::min<size_t>(6, count / 2)));
            for (size_t k = 0; k < moved; ++k) {
                const size_t i = random.below(count);
                states[i] =
                    random.below(3) == 0 ? kOff : static_cast<int>(random.below(search.count(i)));
            }
        }
        search.improve(penalty, random, states);
        note(states);
    }
    if (most <= first * (1.0 + 1e-6)) return false;
    solution.settings = search.settings(best, solution.settings);
    return true;
}

}  // namespace helioray::aiming

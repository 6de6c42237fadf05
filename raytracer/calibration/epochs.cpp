// SPDX-License-Identifier: MIT
// Changes in time: drives that were set to zero anew.
#include "raytracer/calibration/stages.h"

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

namespace {

constexpr size_t kShortestEpoch = 2;  // records
constexpr size_t kMostEpochs = 5;
// Every change has to be so much likelier than none, beyond the number of places it could be at.
constexpr double kLogarithmOfOdds = 4.0;
// More records than this are looked at as a sequence first: of 1,000 sequences without a change,
// one has a larger statistic of Kolmogorov and Smirnov. The search costs as much as fifty fits.
constexpr size_t kAlwaysSearched = 20;
constexpr double kKolmogorov = 1.95;

/// Records with a place in time, in order.
std::vector<size_t> in_order(const SpotProblem& problem) {
    std::vector<size_t> list;
    for (size_t i = 0; i < problem.records.size(); ++i) {
        if (problem.records[i].order) list.push_back(i);
    }
    std::stable_sort(list.begin(), list.end(), [&](size_t a, size_t b) {
        return *problem.records[a].order < *problem.records[b].order;
    });
    return list;
}

/// Whether the residuals drift somewhere: sums of either component, large ones cut off.
bool might_change(const SpotFitter::Fit& fit, const std::vector<size_t>& order, double scale) {
    if (order.size() <= kAlwaysSearched) return true;
    for (size_t k = 0; k < 2; ++k) {
        std::vector<double> values;
        double mean = 0.0;
        for (const size_t i : order) {
            values.push_back(std::clamp(fit.residuals[i][k] / scale, -4.0, 4.0));
            mean += values.back();
        }
        const auto count = static_cast<double>(values.size());
        mean /= count;
        double square = 0.0, sum = 0.0, largest = 0.0;
        for (const double value : values) square += (value - mean) * (value - mean);
        for (const double value : values) {
            sum += value - mean;
            largest = std::max(largest, std::abs(sum));
        }
        if (largest > kKolmogorov * std::sqrt(square)) return true;
    }
    return false;
}

/// The problem with one more change before the record at `place` of `order`.
SpotProblem split(const SpotProblem& problem, const std::vector<size_t>& order, size_t place) {
    SpotProblem result = problem;
    const size_t epoch = problem.epochs[order[place]];
    ++result.num_epochs;
    for (size_t& of_record : result.epochs) {
        if (of_record > epoch) ++of_record;
    }
    // Records without a place in time stay with the later part.
    for (size_t i = 0; i < result.records.size(); ++i) {
        if (problem.epochs[i] == epoch) result.epochs[i] = epoch + 1;
    }
    for (size_t i = 0; i < place; ++i) {
        if (problem.epochs[order[i]] == epoch) result.epochs[order[i]] = epoch;
    }
    return result;
}

bool long_enough(const SpotProblem& problem) {
    std::vector<size_t> counts(problem.num_epochs, 0);
    for (const size_t epoch : problem.epochs) ++counts[epoch];
    return *std::min_element(counts.begin(), counts.end()) >= kShortestEpoch;
}

}  // namespace

std::vector<double> find_epochs(SpotProblem& problem, double scale, std::vector<double> start) {
    const std::vector<size_t> order = in_order(problem);
    if (order.size() < 2 * kShortestEpoch + 1) return start;
    const SpotFitter first(problem);
    if (first.num_unknowns() == problem.parameters.size() &&
        epoch_parameters_of(problem.nominal).empty()) {
        return start;  // ideal drives have no start
    }
    const SpotFitter::Fit unsplit = first.fit(Level::drives, scale, start, std::nullopt, 0.01);
    if (!might_change(unsplit, order, scale)) return unsplit.unknowns;
    double evidence = unsplit.evidence;
    while (problem.num_epochs < kMostEpochs) {
        const double needed =
            evidence + kLogarithmOfOdds + std::log(static_cast<double>(order.size()));
        double best = needed;
        std::optional<SpotProblem> chosen;
        std::vector<double> unknowns;
        for (size_t place = 1; place < order.size(); ++place) {
            // A change that is known already.
            if (problem.epochs[order[place - 1]] != problem.epochs[order[place]]) continue;
            SpotProblem candidate = split(problem, order, place);
            if (!long_enough(candidate)) continue;
            SpotFitter::Fit fit = fit_from_afar(candidate, scale);
            if (fit.evidence <= best) continue;
            best = fit.evidence;
            chosen = std::move(candidate);
            unknowns = std::move(fit.unknowns);
        }
        if (!chosen) break;
        problem = std::move(*chosen);
        start = std::move(unknowns);
        evidence = best;
    }
    return start;
}

}  // namespace helioray::calibration

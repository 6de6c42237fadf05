// SPDX-License-Identifier: MIT
// Changes in time: drives that were set to zero anew.
#include "raytracer/calibration/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

namespace {

constexpr size_t kShortestEpoch = 2;  // records
constexpr size_t kMostEpochs = 5;
// Every change has to be so much likelier than none, beyond the number of places it could be at.
constexpr double kLogarithmOfOdds = 4.0;
// More records than this are looked at as a sequence first. Of 1,000 sequences of independent
// records, one has a mean before or after some place that differs by this many standard deviations
// from the rest. The search costs as much as fifty fits.
constexpr size_t kAlwaysSearched = 20;
constexpr double kDeviations = 4.5;
// Residuals count up to this many standard deviations: two at an end are enough, one is not.
constexpr double kMostDeviations = 5.0;

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

/// Standard deviation of a sequence about its local mean, by the median of its differences, so that
/// neither outliers nor changes enter.
double local_deviation(const std::vector<double>& sequence) {
    std::vector<double> steps;
    for (size_t i = 1; i < sequence.size(); ++i)
        steps.push_back(std::abs(sequence[i] - sequence[i - 1]));
    const auto middle = steps.begin() + static_cast<long>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    constexpr double kMedianOfSteps = 0.9539;  // of a normal distribution of deviation 1
    return *middle / kMedianOfSteps;
}

/// Whether the residuals of the records up to some place, or after it, differ from the rest.
bool might_change(const SpotFitter::Fit& fit, const std::vector<size_t>& order) {
    if (order.size() <= kAlwaysSearched) return true;
    const auto count = static_cast<double>(order.size());
    for (size_t k = 0; k < 2; ++k) {
        std::vector<double> values;
        for (const size_t i : order) values.push_back(fit.residuals[i][k]);
        const double deviation = local_deviation(values);
        if (!(deviation > 0.0)) continue;
        double mean = 0.0;
        for (double& value : values) {
            value = std::clamp(value / deviation, -kMostDeviations, kMostDeviations);
            mean += value / count;
        }
        double sum = 0.0;
        for (size_t i = 0; i + kShortestEpoch < values.size(); ++i) {
            sum += values[i] - mean;
            const auto before = static_cast<double>(i + 1);
            if (i + 1 >= kShortestEpoch &&
                std::abs(sum) > kDeviations * std::sqrt(before * (count - before) / count))
                return true;
        }
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

std::optional<std::string> not_of_last_epoch(const HeliostatState& state,
                                             const SpotRecord& record) {
    const bool timed = record.julian_day &&
                       std::all_of(state.counted.begin(),
                                   state.counted.end(),
                                   [](const CountedRecord& one) { return one.day.has_value(); });
    const auto place = timed ? record.julian_day : number_of(record.id);
    if (!place) return std::nullopt;
    std::optional<double> begin;  // of the last epoch
    std::optional<double> end;    // of the others
    const CountedRecord *first = nullptr, *last = nullptr;
    for (const CountedRecord& one : state.counted) {
        const auto other = timed ? one.day : number_of(one.identity);
        if (!other) continue;
        const bool is_last = one.epoch + 1 >= state.epochs;
        if (is_last && (!begin || *other < *begin)) {
            begin = other;
            first = &one;
        } else if (!is_last && (!end || *other > *end)) {
            end = other;
            last = &one;
        }
    }
    if (!begin || !end || *place >= *begin) return std::nullopt;
    return fmt::format(
        "{}: the drives were set to zero anew between '{}' and '{}', and the state "
        "is that of the time since then; calibrate from the records again",
        *place <= *end ? "older than the state"
                       : "of a time when it is not known how the drives stood",
        last->identity,
        first->identity);
}

std::vector<double> find_epochs(SpotProblem& problem, double scale, std::vector<double> start) {
    const std::vector<size_t> order = in_order(problem);
    if (order.size() < 2 * kShortestEpoch + 1) return start;
    const SpotFitter first(problem);
    if (first.num_unknowns() == problem.parameters.size() &&
        epoch_parameters_of(problem.nominal).empty()) {
        return start;  // ideal drives have no start
    }
    const SpotFitter::Fit unsplit = first.fit(Level::drives, scale, start, std::nullopt, 0.01);
    if (!might_change(unsplit, order)) return unsplit.unknowns;
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

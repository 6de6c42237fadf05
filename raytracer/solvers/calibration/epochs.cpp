// SPDX-License-Identifier: MIT
// Finds changes in time, such as drives that were set to zero anew.
#include "raytracer/solvers/calibration/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

namespace {

constexpr size_t kShortestEpoch = 2;  // records
constexpr size_t kMostEpochs = 5;
// Minimum of the logarithm of the odds for a change, in addition to the logarithm of the number of
// possible positions.
constexpr double kLogarithmOfOdds = 4.0;
// Number of records above which a sequential test decides about the search, which costs as much as
// fifty fits. In one of 1,000 sequences of independent records, the mean before or after some
// position differs by this many standard deviations from the rest.
constexpr size_t kAlwaysSearched = 20;
constexpr double kDeviationsOfEpochs = 4.5;
// Bound of a residual, in standard deviations: two large residuals at an end suffice, one does not.
constexpr double kMostDeviations = 5.0;

/// Returns the records with a known position in time, in order.
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

/// Returns the standard deviation of a sequence about its local mean. The median of its differences
/// makes it insensitive to outliers and changes.
double local_deviation(const std::vector<double>& sequence) {
    std::vector<double> steps;
    for (size_t i = 1; i < sequence.size(); ++i)
        steps.push_back(std::abs(sequence[i] - sequence[i - 1]));
    const auto middle = steps.begin() + static_cast<long>(steps.size() / 2);
    std::nth_element(steps.begin(), middle, steps.end());
    constexpr double kMedianOfSteps = 0.9539;  // standard normal distribution
    return *middle / kMedianOfSteps;
}

/// Returns both components of the residuals in their order, in units of their local deviation, with
/// large values limited and with a mean of 0. A component without scatter is 0 throughout.
std::array<std::vector<double>, 2> list_sequences(const SpotFitter::Fit& fit,
                                                  const std::vector<size_t>& order) {
    std::array<std::vector<double>, 2> sequences;
    for (size_t k = 0; k < 2; ++k) {
        std::vector<double>& values = sequences[k];
        for (const size_t i : order) values.push_back(fit.residuals[i][k]);
        const double deviation = local_deviation(values);
        double mean = 0.0;
        for (double& value : values) {
            value = deviation > 0.0
                        ? std::clamp(value / deviation, -kMostDeviations, kMostDeviations)
                        : 0.0;
            mean += value / static_cast<double>(values.size());
        }
        for (double& value : values) value -= mean;
    }
    return sequences;
}

/// Returns the deviation of a sum over some of the values, in standard deviations.
double compute_deviations(double sum, size_t places, size_t all) {
    const auto part = static_cast<double>(places), count = static_cast<double>(all);
    return std::abs(sum) / std::sqrt(part * (count - part) / count);
}

/// Returns true if the residuals of the records before some position, or after it, differ from the
/// rest.
bool might_change(const SpotFitter::Fit& fit, const std::vector<size_t>& order) {
    if (order.size() <= kAlwaysSearched) return true;
    for (const std::vector<double>& values : list_sequences(fit, order)) {
        double sum = 0.0;
        for (size_t before = 1; before + kShortestEpoch <= values.size(); ++before) {
            sum += values[before - 1];
            if (before >= kShortestEpoch &&
                compute_deviations(sum, before, values.size()) > kDeviationsOfEpochs)
                return true;
        }
    }
    return false;
}

/// Returns the range of records, within one epoch but not at its ends, whose residuals differ most
/// from the others; empty if none differ.
std::optional<std::array<size_t, 2>> standing_apart(const SpotProblem& problem,
                                                    const SpotFitter::Fit& fit,
                                                    const std::vector<size_t>& order) {
    const auto sequences = list_sequences(fit, order);
    const auto epoch_at = [&](size_t place) { return problem.epochs[order[place]]; };
    std::optional<std::array<size_t, 2>> found;
    double most = kDeviationsOfEpochs;
    for (size_t begin = 1; begin < order.size(); ++begin) {
        if (epoch_at(begin - 1) != epoch_at(begin)) continue;
        std::array<double, 2> sums{};
        for (size_t end = begin + 1; end < order.size(); ++end) {
            for (size_t k = 0; k < 2; ++k) sums[k] += sequences[k][end - 1];
            if (epoch_at(end) != epoch_at(begin)) break;
            if (end - begin < kShortestEpoch) continue;
            const double deviations =
                std::max(compute_deviations(sums[0], end - begin, order.size()),
                         compute_deviations(sums[1], end - begin, order.size()));
            if (deviations <= most) continue;
            most = deviations;
            found = {begin, end};
        }
    }
    return found;
}

/// Returns the problem with one more change before the record at `place` of `order`.
SpotProblem split(const SpotProblem& problem, const std::vector<size_t>& order, size_t place) {
    SpotProblem result = problem;
    const size_t epoch = problem.epochs[order[place]];
    ++result.num_epochs;
    for (size_t& of_record : result.epochs) {
        if (of_record > epoch) ++of_record;
    }
    // Records without a position in time remain in the later part.
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
    const bool timed =
        record.julian_day &&
        std::all_of(state.counted.begin(), state.counted.end(), [](const CountedRecord& counted) {
            return counted.day.has_value();
        });
    const auto place = timed ? record.julian_day : number_of(record.id);
    if (!place) return std::nullopt;
    std::optional<double> begin;  // start of the last epoch
    std::optional<double> end;    // end of the epochs before
    const CountedRecord *first = nullptr, *last = nullptr;
    for (const CountedRecord& counted : state.counted) {
        const auto other = timed ? counted.day : number_of(counted.identity);
        if (!other) continue;
        const bool is_last = counted.epoch + 1 >= state.epochs;
        if (is_last && (!begin || *other < *begin)) {
            begin = other;
            first = &counted;
        } else if (!is_last && (!end || *other > *end)) {
            end = other;
            last = &counted;
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

SpotFitter::Fit find_epochs(SpotProblem& problem, double scale, SpotFitter::Fit fit) {
    const std::vector<size_t> order = in_order(problem);
    if (order.size() < 2 * kShortestEpoch + 1) return fit;
    if (problem.num_epochs == 1 && epoch_parameters_of(problem.nominal).empty()) {
        return fit;  // ideal drives have no spindle start
    }
    if (!might_change(fit, order)) return fit;
    const double odds = kLogarithmOfOdds + std::log(static_cast<double>(order.size()));
    while (problem.num_epochs < kMostEpochs) {
        double best = fit.evidence + odds;
        std::optional<SpotProblem> chosen;
        SpotFitter::Fit chosen_fit;
        const auto consider = [&](SpotProblem candidate) {
            if (!long_enough(candidate)) return;
            SpotFitter::Fit other = fit_from_afar(candidate, scale);
            if (other.evidence <= best) return;
            best = other.evidence;
            chosen = std::move(candidate);
            chosen_fit = std::move(other);
        };
        for (size_t place = 1; place < order.size(); ++place) {
            // Skip a change that is known already.
            if (problem.epochs[order[place - 1]] != problem.epochs[order[place]]) continue;
            consider(split(problem, order, place));
        }
        if (!chosen && problem.num_epochs + 2 <= kMostEpochs) {
            // Drives may have been displaced for a while and nearly returned; neither change alone
            // explains such records.
            if (const auto apart = standing_apart(problem, fit, order)) {
                best = fit.evidence + 2.0 * odds;
                consider(split(split(problem, order, (*apart)[0]), order, (*apart)[1]));
            }
        }
        if (!chosen) break;
        problem = std::move(*chosen);
        fit = std::move(chosen_fit);
    }
    return fit;
}

}  // namespace helioray::calibration

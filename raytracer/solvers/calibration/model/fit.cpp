// SPDX-License-Identifier: MIT
// Maximises the posterior density by Levenberg-Marquardt with Student weights.
#include "raytracer/solvers/calibration/model/fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray::calibration {

double student_weight(const std::array<double, 2>& residual, double scale, double share_left) {
    const double square = residual[0] * residual[0] + residual[1] * residual[1];
    return (kStudent + 2.0) / (kStudent + square / (share_left * scale * scale));
}

/// Quadratic form of the cost about a point, for the active unknowns.
struct SpotFitter::Normal {
    double cost = 0.0;
    SquareMatrix hessian;
    std::vector<double> gradient;
    std::vector<double> weights;
    std::vector<std::array<double, 2>> residuals;
};

SpotFitter::SpotFitter(const SpotProblem& problem) : problem_(problem) {
    const auto append = [&](const Parameter& parameter, std::optional<size_t> epoch) {
        std::vector<Term> terms;
        for (const auto& [column, factor] : parameter.columns) {
            terms.push_back({column, factor * parameter.sigma});
        }
        terms_.push_back(std::move(terms));
        levels_.push_back(parameter.level);
        epochs_.push_back(epoch);
        available_.push_back(parameter.sigma > 0);
    };
    for (const Parameter& parameter : problem.parameters) append(parameter, std::nullopt);
    for (size_t epoch = 0; epoch + 1 < problem.num_epochs; ++epoch) {
        for (const Parameter& parameter : epoch_parameters_of(problem.nominal)) {
            append(parameter, epoch);
        }
    }
    for (const SpotRecord& record : problem.records) {
        axes_.push_back(residual_axes(record, problem.nominal.position));
    }
}

KinematicsRecord SpotFitter::kinematics(std::span<const double> unknowns, size_t epoch) const {
    std::array<double, kColumns> shift{};
    for (size_t i = 0; i < terms_.size(); ++i) {
        if (epochs_[i] && *epochs_[i] != epoch) continue;
        for (const Term& term : terms_[i]) shift[term.column] += term.factor * unknowns[i];
    }
    return moved(problem_.nominal, shift);
}

std::optional<SpotFitter::Linear> SpotFitter::linear(const SpotRecord& record,
                                                     size_t epoch,
                                                     std::span<const double> unknowns) const {
    return linear(record, epoch, SpotModel(kinematics(unknowns, epoch)));
}

std::optional<SpotFitter::Linear> SpotFitter::linear(const SpotRecord& record,
                                                     size_t epoch,
                                                     const SpotModel& model) const {
    const auto residual = model.residual(record, residual_axes(record, problem_.nominal.position));
    if (!residual) return std::nullopt;
    Linear result{residual->value, {}};
    for (size_t k = 0; k < 2; ++k) {
        result.slope[k].assign(terms_.size(), 0.0);
        for (size_t i = 0; i < terms_.size(); ++i) {
            if (epochs_[i] && *epochs_[i] != epoch) continue;
            for (const Term& term : terms_[i]) {
                result.slope[k][i] += residual->slope[k][term.column] * term.factor;
            }
        }
    }
    return result;
}

SquareMatrix SpotFitter::column_covariance(const SquareMatrix& covariance) const {
    SquareMatrix result(kColumns);
    for (size_t i = 0; i < terms_.size(); ++i) {
        for (size_t j = 0; j < terms_.size(); ++j) {
            if (epochs_[i] || epochs_[j] || covariance(i, j) == 0.0) continue;
            for (const Term& a : terms_[i]) {
                for (const Term& b : terms_[j]) {
                    result(a.column, b.column) += a.factor * covariance(i, j) * b.factor;
                }
            }
        }
    }
    return result;
}

std::pair<size_t, size_t> SpotFitter::unknowns_of(Level level) const {
    size_t first = 0;
    while (first < problem_.parameters.size() && levels_[first] < level) ++first;
    size_t last = first;
    while (last < problem_.parameters.size() && levels_[last] == level) ++last;
    return {first, last};
}

std::vector<size_t> SpotFitter::active(Level level) const {
    std::vector<size_t> list;
    for (size_t i = 0; i < terms_.size(); ++i) {
        if (available_[i] && levels_[i] <= level) list.push_back(i);
    }
    return list;
}

SquareMatrix SpotFitter::prior_precision(const std::vector<size_t>& active) const {
    SquareMatrix result(active.size());
    const size_t stiff = problem_.stiffness.size();
    for (size_t a = 0; a < active.size(); ++a) {
        for (size_t b = 0; b < active.size() && active[a] < stiff; ++b) {
            if (active[b] < stiff) result(a, b) = problem_.stiffness(active[a], active[b]);
        }
        result(a, a) += 1.0;
    }
    return result;
}

// Returns false if a drive cannot reach a motor position.
bool SpotFitter::assemble(std::span<const double> unknowns,
                          const std::vector<size_t>& active,
                          bool by_translations,
                          double scale,
                          std::optional<size_t> left_out,
                          Normal& normal) const {
    const size_t count = active.size();
    normal.cost = 0.0;
    normal.hessian = SquareMatrix(count);
    normal.gradient.assign(count, 0.0);
    normal.weights.assign(problem_.records.size(), 1.0);
    normal.residuals.assign(problem_.records.size(), {0.0, 0.0});
    const size_t stiff = problem_.stiffness.size();
    for (size_t a = 0; a < count; ++a) {
        const double z = unknowns[active[a]];
        normal.gradient[a] = z;
        normal.hessian(a, a) = 1.0;
        for (size_t b = 0; b < count && active[a] < stiff; ++b) {
            if (active[b] >= stiff) continue;
            const double stiffness = problem_.stiffness(active[a], active[b]);
            normal.gradient[a] += stiffness * unknowns[active[b]];
            normal.hessian(a, b) += stiffness;
        }
        normal.cost += 0.5 * z * normal.gradient[a];
    }
    std::array<std::vector<double>, 2> row{std::vector<double>(count), std::vector<double>(count)};
    struct Pair {
        std::array<size_t, 2> columns{};
        std::array<double, 2> factors{};
    };
    std::vector<Pair> pairs(count);
    double product = 1.0;
    for (size_t epoch = 0; epoch < problem_.num_epochs; ++epoch) {
        const SpotModel model(kinematics(unknowns, epoch));
        // One or two numbers change with an unknown; unknowns of other epochs change none.
        for (size_t a = 0; a < count; ++a) {
            pairs[a] = {};
            const size_t i = active[a];
            if (epochs_[i] && *epochs_[i] != epoch) continue;
            for (size_t t = 0; t < terms_[i].size(); ++t) {
                pairs[a].columns[t] = terms_[i][t].column;
                pairs[a].factors[t] = terms_[i][t].factor / scale;
            }
        }
        for (size_t r = 0; r < problem_.records.size(); ++r) {
            if (problem_.epochs[r] != epoch || left_out == r) continue;
            const auto residual = model.residual(problem_.records[r], axes_[r], by_translations);
            if (!residual) return false;
            const std::array<double, 2> value{residual->value[0] / scale,
                                              residual->value[1] / scale};
            const double square = value[0] * value[0] + value[1] * value[1];
            const double weight = (kStudent + 2.0) / (kStudent + square);
            normal.weights[r] = weight;
            normal.residuals[r] = residual->value;
            // Take one logarithm for many records; one for each took 4 % of the time.
            product *= 1.0 + square / kStudent;
            if (product > 1e100) {
                normal.cost += 0.5 * (kStudent + 2.0) * std::log(product);
                product = 1.0;
            }
            for (size_t k = 0; k < 2; ++k) {
                const auto& slope = residual->slope[k];
                for (size_t a = 0; a < count; ++a) {
                    const Pair& pair = pairs[a];
                    row[k][a] = slope[pair.columns[0]] * pair.factors[0] +
                                slope[pair.columns[1]] * pair.factors[1];
                }
            }
            for (size_t a = 0; a < count; ++a) {
                const double u = weight * row[0][a], v = weight * row[1][a];
                normal.gradient[a] += u * value[0] + v * value[1];
                for (size_t b = 0; b <= a; ++b) {
                    normal.hessian(a, b) += u * row[0][b] + v * row[1][b];
                }
            }
        }
    }
    normal.cost += 0.5 * (kStudent + 2.0) * std::log(product);
    return true;
}

SpotFitter::Normal SpotFitter::minimise(const std::vector<size_t>& list,
                                        bool by_translations,
                                        double scale,
                                        std::optional<size_t> left_out,
                                        double smallest_gain,
                                        std::vector<double>& unknowns) const {
    constexpr int kIterations = 60;
    constexpr double kLargestDamping = 1e8;
    Normal here, there;
    if (!assemble(unknowns, list, by_translations, scale, left_out, here)) {
        std::fill(unknowns.begin(), unknowns.end(), 0.0);
        assemble(unknowns, list, by_translations, scale, left_out, here);
    }
    double damping = 1e-4;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        double gain = -1.0;
        while (damping < kLargestDamping) {
            SquareMatrix damped = here.hessian;
            damped.scale_diagonal(1.0 + damping);
            const Cholesky factors(std::move(damped));
            const std::vector<double> step = factors.solve(here.gradient);
            // Stop if the quadratic form promises almost no gain: evaluating the step would cost
            // more.
            double promised = 0.0;
            for (size_t a = 0; a < list.size(); ++a) promised += 0.5 * here.gradient[a] * step[a];
            if (promised < 0.5 * smallest_gain) break;
            std::vector<double> trial = unknowns;
            for (size_t a = 0; a < list.size(); ++a) trial[list[a]] -= step[a];
            if (assemble(trial, list, by_translations, scale, left_out, there) &&
                there.cost <= here.cost) {
                gain = here.cost - there.cost;
                unknowns = std::move(trial);
                std::swap(here, there);
                damping = std::max(0.1 * damping, 1e-9);
                break;
            }
            damping *= 10.0;
        }
        if (gain < smallest_gain) break;
    }
    return here;
}

SpotFitter::Fit SpotFitter::fit(Level level,
                                double scale,
                                std::vector<double> start,
                                std::optional<size_t> left_out,
                                double smallest_gain) const {
    const std::vector<size_t> list = active(level);
    // Unknowns outside of the level stay at their nominal values.
    std::vector<double> unknowns(terms_.size(), 0.0);
    for (const size_t i : list) unknowns[i] = start[i];
    Normal here = minimise(list, level == Level::all, scale, left_out, smallest_gain, unknowns);

    const Cholesky factors(here.hessian);
    const SquareMatrix prior = prior_precision(list);
    // Add the prior with full weight and the records according to their variance.
    const auto factors_with = [&](double worth) {
        SquareMatrix information = here.hessian;
        for (size_t a = 0; a < list.size(); ++a) {
            for (size_t b = 0; b <= a; ++b) {
                information(a, b) = prior(a, b) + worth * (information(a, b) - prior(a, b));
            }
        }
        return Cholesky(std::move(information));
    };
    double worth = 1.0 / kVarianceOfScale;
    double determined = static_cast<double>(list.size());
    if (problem_.stiffness.size() == 0) {
        determined -= factors_with(worth).trace_of_inverse();
    } else {
        const SquareMatrix undetermined = factors_with(worth).inverse();
        for (size_t a = 0; a < list.size(); ++a) {
            for (size_t b = 0; b < list.size(); ++b) determined -= undetermined(a, b) * prior(a, b);
        }
    }
    double weights = 0.0, deserved = 0.0;
    const size_t counted = problem_.records.size() - (left_out ? 1 : 0);
    const double numbers = 2.0 * static_cast<double>(std::max<size_t>(counted, 1));
    const double share_left = std::max(0.1, 1.0 - determined / numbers);
    // Residuals of few records are smaller than their errors, which makes their weights too large.
    for (size_t r = 0; r < problem_.records.size(); ++r) {
        if (left_out == r) continue;
        weights += here.weights[r];
        deserved += student_weight(here.residuals[r], scale, share_left);
    }
    if (counted > 0) worth *= deserved / weights;
    const SquareMatrix inverse = factors_with(worth).inverse();
    Fit result{
        std::move(unknowns),
        SquareMatrix(terms_.size()),
        here.cost,
        -here.cost + 0.5 * Cholesky(prior).log_determinant() - 0.5 * factors.log_determinant(),
        std::move(here.weights),
        std::move(here.residuals),
        determined,
        share_left};
    for (size_t a = 0; a < list.size(); ++a) {
        for (size_t b = 0; b < list.size(); ++b) {
            result.covariance(list[a], list[b]) = inverse(a, b);
        }
    }
    return result;
}

}  // namespace helioray::calibration

// SPDX-License-Identifier: MIT
// Implements projected L-BFGS.
#include "raytracer/solvers/aiming/search/projected_lbfgs.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace helioray::aiming {

namespace {

constexpr size_t kPairs = 10;
/// Required part of the decrease that the gradient predicts (Armijo)
constexpr double kEnough = 1e-4;
constexpr int kMostHalvings = 12;

using Values = std::vector<double>;

double product(const Values& a, const Values& b) {
    double sum = 0.0;
    for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

using Pair = LbfgsMemory::Pair;

/// Returns -H gradient on the free variables, with the inverse Hessian H given by the pairs, and 0
/// on the others.
Values direction(const std::deque<Pair>& pairs,
                 const Values& gradient,
                 const std::vector<uint8_t>& is_free) {
    const size_t size = gradient.size();
    Values q(size, 0.0);
    for (size_t i = 0; i < size; ++i)
        if (is_free[i]) q[i] = -gradient[i];
    const auto free_product = [&](const Values& a, const Values& b) {
        double sum = 0.0;
        for (size_t i = 0; i < size; ++i)
            if (is_free[i]) sum += a[i] * b[i];
        return sum;
    };
    std::vector<double> alpha(pairs.size(), 0.0), curvature(pairs.size(), 0.0);
    double scale = 0.0;
    for (size_t k = pairs.size(); k-- > 0;) {
        curvature[k] = free_product(pairs[k].step, pairs[k].change);
        const double square = free_product(pairs[k].change, pairs[k].change);
        if (curvature[k] <= 1e-12 * square || square == 0.0) {
            curvature[k] = 0.0;
            continue;
        }
        if (scale == 0.0) scale = curvature[k] / square;
        alpha[k] = free_product(pairs[k].step, q) / curvature[k];
        for (size_t i = 0; i < size; ++i)
            if (is_free[i]) q[i] -= alpha[k] * pairs[k].change[i];
    }
    if (scale > 0.0)
        for (double& value : q) value *= scale;
    for (size_t k = 0; k < pairs.size(); ++k) {
        if (curvature[k] == 0.0) continue;
        const double beta = free_product(pairs[k].change, q) / curvature[k];
        for (size_t i = 0; i < size; ++i)
            if (is_free[i]) q[i] += (alpha[k] - beta) * pairs[k].step[i];
    }
    return q;
}

}  // namespace

int64_t minimise(const Objective& objective,
                 std::span<const double> low,
                 std::span<const double> high,
                 std::vector<double>& x,
                 const LbfgsOptions& options,
                 LbfgsMemory& memory) {
    const size_t size = x.size();
    Values gradient(size), next(size), next_gradient(size);
    double value = objective(x, gradient);
    std::deque<Pair>& pairs = memory.pairs;
    std::vector<uint8_t> is_free(size);
    int64_t iterations = 0;
    int idle = 0;
    while (iterations < options.most_iterations) {
        ++iterations;
        for (size_t i = 0; i < size; ++i) {
            is_free[i] = low[i] < high[i] && !(x[i] <= low[i] && gradient[i] > 0.0) &&
                         !(x[i] >= high[i] && gradient[i] < 0.0);
        }
        Values way = direction(pairs, gradient, is_free);
        double slope = product(way, gradient);
        if (pairs.empty() || slope >= 0.0) {
            pairs.clear();
            way = direction(pairs, gradient, is_free);
            double longest = 0.0;
            for (const double w : way) longest = std::max(longest, std::abs(w));
            if (longest == 0.0) break;
            for (double& w : way) w *= options.first_step / longest;
            slope = product(way, gradient);
        }

        double step = 1.0, next_value = value, promised = 0.0;
        bool fell = false;
        for (int halving = 0; halving < kMostHalvings && !fell; ++halving, step *= 0.5) {
            promised = 0.0;
            for (size_t i = 0; i < size; ++i) {
                next[i] = std::clamp(x[i] + step * way[i], low[i], high[i]);
                promised += gradient[i] * (next[i] - x[i]);
            }
            next_value = objective(next, next_gradient);
            fell = next_value <= value + kEnough * std::min(promised, 0.0) && next_value < value;
        }
        if (!fell) {
            // If the pairs give a bad direction, retry along the gradient.
            if (pairs.empty()) break;
            pairs.clear();
            continue;
        }
        Pair pair{Values(size), Values(size)};
        for (size_t i = 0; i < size; ++i) {
            pair.step[i] = next[i] - x[i];
            pair.change[i] = next_gradient[i] - gradient[i];
        }
        if (product(pair.step, pair.change) > 0.0) pairs.push_back(std::move(pair));
        if (pairs.size() > kPairs) pairs.pop_front();
        const double fall = value - next_value;
        x.swap(next);
        gradient.swap(next_gradient);
        value = next_value;
        idle = fall < options.least_progress * (1.0 + std::abs(value)) ? idle + 1 : 0;
        if (idle == 2) break;
    }
    return iterations;
}

}  // namespace helioray::aiming

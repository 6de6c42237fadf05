// SPDX-License-Identifier: MIT
// Minimises a smooth function of many variables between bounds.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace helioray::aiming {

/// Returns the value at x and writes the gradient.
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

/// Step size and stopping criteria of minimise().
struct LbfgsOptions {
    int most_iterations = 50;
    double first_step = 0.1;  ///< Largest change of a variable in the first step
    /// Stops if the function falls by less than this fraction of its absolute value per step.
    double least_progress = 1e-7;
};

/// Curvature information from the last steps.
struct LbfgsMemory {
    /// Step, and the change of the gradient over it.
    struct Pair {
        std::vector<double> step, change;
    };
    std::deque<Pair> pairs;  ///< Pairs of the last steps, the newest last
};

/// Minimises a function with limited-memory BFGS on the variables that are not at an active bound.
/// Projects each step onto the bounds (Bertsekas 1982; Byrd, Lu, Nocedal and Zhu 1995) and
/// backtracks until the function falls enough. Improves x, which lies between the bounds, and
/// returns the number of iterations. memory: memory of an earlier call for a similar function;
/// receives the memory of this call.
int64_t minimise(const Objective& objective,
                 std::span<const double> low,
                 std::span<const double> high,
                 std::vector<double>& x,
                 const LbfgsOptions& options,
                 LbfgsMemory& memory);

}  // namespace helioray::aiming

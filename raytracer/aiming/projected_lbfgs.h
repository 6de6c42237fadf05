// SPDX-License-Identifier: MIT
// Minimises a smooth function of many variables between bounds.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <vector>

namespace helioray::aiming {

/// The value at x; writes the gradient.
using Objective = std::function<double(std::span<const double> x, std::span<double> gradient)>;

/// When to stop.
struct LbfgsOptions {
    int most_iterations = 50;
    double first_step = 0.1;  ///< largest change of a variable in the first step
    /// Stops where the function falls by less than this share of its value's size per step.
    double least_progress = 1e-7;
};

/// What the last steps say about the curvature.
struct LbfgsMemory {
    /// A step and the change of the gradient over it.
    struct Pair {
        std::vector<double> step, change;
    };
    std::deque<Pair> pairs;  ///< the newest last
};

/// Limited-memory BFGS on the variables that do not rest at a bound, each step projected onto the
/// bounds (Bertsekas 1982; Byrd, Lu, Nocedal and Zhu 1995), with backtracking until the function
/// falls enough. Improves x, which lies between the bounds; returns the number of iterations.
/// memory: of an earlier call for a function that was much the same, and then of this one.
int64_t minimise(const Objective& objective,
                 std::span<const double> low,
                 std::span<const double> high,
                 std::vector<double>& x,
                 const LbfgsOptions& options,
                 LbfgsMemory& memory);

}  // namespace helioray::aiming

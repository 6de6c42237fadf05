// SPDX-License-Identifier: MIT
// Comparison with figures that are known to a margin.
#pragma once

#include "tests/support/catch2.h"

namespace helioray::test {

/// Equals numbers that differ from `value` by at most `margin`.
inline auto near(double value, double margin) {
    return Approx(value).margin(margin).epsilon(0);
}

}  // namespace helioray::test

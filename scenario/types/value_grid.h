// SPDX-License-Identifier: MIT
// A value by position: a rectangular grid with interpolation.
#pragma once

#include <optional>
#include <vector>

namespace helioray {

/// Values on a rectangular grid.
struct ValueGrid {
    std::vector<double> x;       ///< metres, ascending, at least 2
    std::vector<double> y;       ///< metres, ascending, at least 2
    std::vector<double> values;  ///< [y.size(), x.size()]

    /// Interpolates bilinearly between grid points; no value outside the grid.
    std::optional<double> at(double x_m, double y_m) const;
};

}  // namespace helioray

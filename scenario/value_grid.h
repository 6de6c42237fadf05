// SPDX-License-Identifier: MIT
// A value by place: a rectangular grid that is interpolated.
#pragma once

#include <optional>
#include <vector>

namespace helioray {

/// Values on a rectangular grid.
struct ValueGrid {
    std::vector<double> x;       ///< metres, ascending, at least 2
    std::vector<double> y;       ///< metres, ascending, at least 2
    std::vector<double> values;  ///< [y.size(), x.size()]

    /// Bilinear between grid points; nothing where the grid does not reach.
    std::optional<double> at(double x_m, double y_m) const;
};

}  // namespace helioray

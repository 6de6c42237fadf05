// SPDX-License-Identifier: MIT
// Computes lines of equal value through a map.
#pragma once

#include <vector>

namespace helioray {

/// A point of a line in pixels: x to the right from the centre of column 0, y down from the centre
/// of row 0.
struct ContourPoint {
    double x = 0.0;
    double y = 0.0;
};

/// Returns contour lines by marching squares between pixel centres with linear interpolation; the
/// mean of its four corners decides a saddle. `values` is [height, width] in row-major order. Lines
/// end at the edge of the map or at values that are not finite; closed lines repeat their first
/// point.
std::vector<std::vector<ContourPoint>> contour_lines(const std::vector<double>& values,
                                                     int width,
                                                     int height,
                                                     double level);

/// Returns the map after `passes` binomial filters of 3 x 3 pixels (1 2 1); edges are extended.
std::vector<double> smoothed(std::vector<double> values, int width, int height, int passes);

}  // namespace helioray

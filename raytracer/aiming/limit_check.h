// SPDX-License-Identifier: MIT
// Compares a traced field with its limits.
#pragma once

#include "raytracer/aiming/aim_field.h"
#include "raytracer/aiming/trace_field.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray::aiming {

/// Result of comparing a traced field with its limits. Fractions of a limit are free of the upward
/// bias that noise gives to the largest of many pixels: as in estimate_peak(), noise as large as
/// that of the trace is added to choose the pixel and subtracted to measure it, again and again. In
/// contrast to a peak nothing is averaged over neighbours: limits and the flux under them may have
/// structures of one pixel, which an average over a larger area would hide. Pixels that are not the
/// largest are chosen now and then, so that the fraction lies below that of a narrow peak by up to
/// half the standard error of a pixel.
struct LimitCheck {
    /// Largest fraction of a limit that the flux of a pixel reaches; nothing without limits.
    std::optional<double> worst_share;
    double worst_std_error = 0.0;  ///< standard error of worst_share
    double most_errors = 0.0;      ///< excess of the fraction over 1, in its standard errors
    bool kept = true;              ///< the excess is not more than kErrorsAboveLimit
    size_t pixels_above = 0;       ///< pixels whose own flux is above by more than that
    std::string place;             ///< map with the largest fraction, LimitMap::place()

    /// Names the number of cells above their limits, and the place of the worst.
    std::string text() const;
};

/// Compares the flux of a trace with the limits.
LimitCheck check_limits(const std::vector<LimitMap>& limits, const TracedField& traced);

}  // namespace helioray::aiming

// SPDX-License-Identifier: MIT
// Compares a traced field with its limits.
#pragma once

#include "raytracer/solvers/aiming/model/aiming_result.h"
#include "raytracer/solvers/aiming/traced/trace_field.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray::aiming {

/// Result of comparing a traced field with its limits. Noise gives the largest of many pixels an
/// upward bias; the fractions are corrected for it as in estimate_peak(): noise as large as that of
/// the trace is added to choose the pixel and subtracted to measure it, repeatedly. Unlike a peak,
/// nothing is averaged over neighbours, because limits and the flux under them may have structures
/// of one pixel, which an average would hide. Sometimes a pixel other than the largest is chosen,
/// so that the fraction of a narrow peak is too low by up to half the standard error of a pixel.
struct LimitCheck {
    /// Largest ratio of the flux of a pixel to its limit; not set without limits.
    std::optional<double> worst_share;
    double worst_std_error = 0.0;  ///< Standard error of worst_share
    double most_errors = 0.0;      ///< Excess of the ratio over 1, in its standard errors
    bool kept = true;              ///< True if the excess is at most kErrorsAboveLimit
    size_t pixels_above = 0;  ///< Number of pixels whose flux exceeds the limit by more than that
    std::string place;        ///< Map with the largest ratio, as LimitMap::place()

    /// Returns a message with the number of cells above their limits and the place of the worst
    /// one.
    std::string text() const;
};

/// Compares the flux of a trace with the limits.
LimitCheck check_limits(const std::vector<LimitMap>& limits, const TracedField& traced);

}  // namespace helioray::aiming

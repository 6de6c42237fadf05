// SPDX-License-Identifier: MIT
// Fraction of the year's sun positions that a table covers.
#pragma once

#include "raytracer/studies/efficiency/sun_rectangle.h"

#include <string>

namespace helioray {

/// Hours of a year by position of the sun relative to a table.
struct SkyCoverage {
    double hours = 0.0;  ///< hours with the sun at or above the lowest elevation of the table
    double hours_beyond =
        0.0;  ///< part of `hours` with the sun beyond the azimuths or the highest elevation
    SunRectangle::Sun example;  ///< highest sun of hours_beyond
};

/// Returns the coverage at a latitude in radians, by true solar time.
SkyCoverage sky_coverage(const SunRectangle& suns, double latitude);

/// Returns a warning if the sun at the latitude (radians) leaves the table for more than a
/// thousandth of its hours, during which the nearest entries are used. Returns an empty text
/// otherwise.
std::string coverage_warning(const SunRectangle& suns, double latitude);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// How much of the year's sun a table covers.
#pragma once

#include "raytracer/efficiency/sun_rectangle.h"

#include <string>

namespace helioray {

/// Hours of a year by place of the sun in a table.
struct SkyCoverage {
    double hours = 0.0;  ///< with the sun at the lowest elevation of the table or higher
    double hours_beyond =
        0.0;  ///< of these with the sun beyond the azimuths or the highest elevation
    SunRectangle::Sun example;  ///< the highest of these suns
};

/// The coverage at a latitude in radians, by true solar time.
SkyCoverage sky_coverage(const SunRectangle& suns, double latitude);

/// A warning if the sun of the latitude (radians) leaves the table for more than a thousandth of
/// its hours: there the nearest entries count. Empty otherwise.
std::string coverage_warning(const SunRectangle& suns, double latitude);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// A rectangle of sun positions, azimuth times elevation, with linear interpolation.
#pragma once

#include "scenario/types/vector_math.h"

#include <array>
#include <cstddef>
#include <vector>

namespace helioray {

/// Every azimuth combined with every elevation. Numbers on the rectangle are stored elevation by
/// elevation within each azimuth: [azimuths, elevations]. They are interpolated linearly in both
/// angles; beyond the ends, the nearest numbers are used.
class SunRectangle {
  public:
    /// Creates the rectangle from angles in radians. Azimuths are clockwise from north, elevations
    /// above the horizon. Both must ascend, with at least three values each: azimuths within less
    /// than one turn between -2 pi and 4 pi, so that they may cross north (from -90 to 90 degrees,
    /// or from 270 to 390); elevations in (0, pi / 2]. Throws InputError for other angles.
    SunRectangle(std::vector<double> azimuths, std::vector<double> elevations);

    /// Azimuths, radians, ascending: from [0, 2 pi), or from [-2 pi, 0) if they cross north.
    const std::vector<double>& azimuths() const { return azimuths_; }
    /// Elevations, radians, ascending.
    const std::vector<double>& elevations() const { return elevations_; }
    /// Number of positions.
    std::size_t size() const { return azimuths_.size() * elevations_.size(); }

    /// Returns true if the azimuths surround the plant: the step from the last one to the first is
    /// no longer than the longest one between neighbours.
    bool is_all_around() const { return all_around_; }

    /// Returns true if a sun lies in a cell between entries. Any azimuth; radians.
    bool contains(double azimuth, double elevation) const;

    /// A position of the sun.
    struct Sun {
        double azimuth = 0.0;    ///< radians, in [0, 2 pi)
        double elevation = 0.0;  ///< radians
    };
    /// Returns the sun of an entry, from 0 to size() - 1.
    Sun sun(std::size_t entry) const;

    /// An entry and its weight in an interpolated number.
    struct Weight {
        std::size_t entry = 0;  ///< from 0 to size() - 1
        double weight = 0.0;    ///< from 0 to 1
    };
    /// Returns the corners of the cell that contains a sun, with weights that sum to 1. Any
    /// azimuth; radians.
    std::array<Weight, 4> interpolation(double azimuth, double elevation) const;

    /// Returns the suns in the middles of the cells between entries, at which the interpolation is
    /// checked: elevation by elevation within each azimuth. Azimuths are in [0, 2 pi).
    std::vector<Sun> middles() const;

    /// Estimates the error of linear interpolation in the cells about each entry, for numbers on
    /// the rectangle and at its middles(). In each direction the error for a parabola is step^2 / 8
    /// times the second derivative, with the longer step and the largest derivative of the entry
    /// and its neighbours; the two directions are added. The largest deviation at the adjacent
    /// middles from the value that the entries and their second derivatives predict is added as
    /// well. With equal steps a single kink in a cell causes an error of at most 1.21 times this
    /// sum, a jump 1.6 times. at_middles may be empty; then no deviation is added.
    std::vector<double> interpolation_error(const std::vector<double>& values,
                                            const std::vector<double>& at_middles) const;

  private:
    std::vector<double> azimuths_;
    std::vector<double> elevations_;
    bool all_around_ = false;
};

/// Converts a list of azimuths in degrees that may start again at north to an ascending one: 270,
/// 300, 330, 0, 30 become 270 to 390. Returns lists that descend more than once unchanged.
std::vector<double> continued_over_north(std::vector<double> degrees);

/// Returns an angle in degrees as the shortest decimal within 3e-13 degrees of it, if it has at
/// most 12 digits after its point: 15, where the quotient of 15 degrees in radians is
/// 14.999999999999998. Tables hold the requested angles, and readers find them by value.
double decimal_degrees(double radians);

/// Returns SolarPILOT's positions: azimuths every 30 degrees, and zenith angles of 0.5, 7, 15, 30,
/// 45, 60, 75 and 85 degrees.
SunRectangle solarpilot_rectangle();

}  // namespace helioray

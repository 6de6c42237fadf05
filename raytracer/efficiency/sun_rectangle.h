// SPDX-License-Identifier: MIT
// A rectangle of sun positions, azimuth times elevation, and linear interpolation on it.
#pragma once

#include "scenario/vector_math.h"

#include <array>
#include <cstddef>
#include <vector>

namespace helioray {

/// Every azimuth with every elevation. Numbers on it lie elevation by elevation within each
/// azimuth: [azimuths, elevations]. Between them tables of this kind are read by linear
/// interpolation in both angles, and beyond their ends the nearest numbers count.
class SunRectangle {
  public:
    /// Radians. Azimuths count clockwise from north, elevations from the horizon. Both ascend, at
    /// least three each: azimuths within less than one turn between -2 pi and 4 pi, so that they
    /// may cross north (from -90 to 90 degrees, or from 270 to 390); elevations in (0, pi / 2].
    /// Throws InputError for others.
    SunRectangle(std::vector<double> azimuths, std::vector<double> elevations);

    /// Radians, ascending: from [0, 2 pi), or from [-2 pi, 0) where they cross north.
    const std::vector<double>& azimuths() const { return azimuths_; }
    const std::vector<double>& elevations() const { return elevations_; }  ///< radians, ascending
    std::size_t size() const { return azimuths_.size() * elevations_.size(); }  ///< positions

    /// Whether the azimuths surround the plant: the step from the last one to the first is no
    /// longer than the longest one between neighbours.
    bool is_all_around() const { return all_around_; }

    /// Whether a sun lies in a cell between entries. Any azimuth; radians.
    bool contains(double azimuth, double elevation) const;

    /// The sun of an entry.
    struct Sun {
        double azimuth = 0.0;    ///< radians, in [0, 2 pi)
        double elevation = 0.0;  ///< radians
    };
    /// That of an entry, from 0 to size() - 1.
    Sun sun(std::size_t entry) const;

    /// An entry and its share in an interpolated number.
    struct Weight {
        std::size_t entry = 0;  ///< from 0 to size() - 1
        double weight = 0.0;    ///< from 0 to 1
    };
    /// The corners of the cell that holds a sun, with weights that sum up to 1. Any azimuth.
    std::array<Weight, 4> interpolation(double azimuth, double elevation) const;

    /// The suns in the middles of the cells between entries, where interpolation is checked: those
    /// that follow an azimuth by elevation, azimuth by azimuth. Azimuths lie in [0, 2 pi).
    std::vector<Sun> middles() const;

    /// By how much linear interpolation errs in the cells about each entry, for numbers on the
    /// rectangle and at its middles(). In each direction a parabola errs by step^2 / 8 times the
    /// second derivative, with the longer step and the derivative from the entry and its
    /// neighbours; the two directions are added up. To this comes the largest surprise in the
    /// middles beside the entry: their distance from what the entries and their second derivatives
    /// let expect there. With equal steps a single kink in a cell errs by at most 1.21 times this
    /// sum, a jump by 1.6 times. at_middles may be empty: then there are no surprises.
    std::vector<double> interpolation_error(const std::vector<double>& values,
                                            const std::vector<double>& at_middles) const;

  private:
    std::vector<double> azimuths_;
    std::vector<double> elevations_;
    bool all_around_ = false;
};

/// A list of azimuths in degrees that may begin anew at north, as one that ascends: 270, 300, 330,
/// 0, 30 become 270 to 390. Lists that descend more than once stay as they are.
std::vector<double> continued_over_north(std::vector<double> degrees);

/// Returns an angle in degrees as the shortest decimal within 3e-13 degrees of it, if it has at
/// most 12 digits after its point: 15, where the quotient of 15 degrees in radians is
/// 14.999999999999998. Tables hold the angles that were asked for, and readers find them by value.
double decimal_degrees(double radians);

/// SolarPILOT's positions: azimuths every 30 degrees, and zenith angles of 0.5, 7, 15, 30, 45, 60,
/// 75 and 85 degrees.
SunRectangle solarpilot_rectangle();

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Sun positions from which a function on the sun's part of the sky is interpolated.
#pragma once

#include "scenario/types.h"

#include <cstddef>
#include <vector>

namespace helioray {

/// Chebyshev points over the part of the sky where the sun can reach `min_elevation`
/// over a place: in u = sin(declination) / sin(obliquity), which is the sine of the sun's ecliptic
/// longitude, and in x = hour angle / hour angle at which the sun passes that elevation. Where the
/// sun stays below it in winter, u begins at the declination of the first day on which it does not,
/// and errors fall more slowly, since days grow there as a root does; so they do beyond a midnight
/// sun.
///
/// Smooth functions of the sun's position are interpolated with an error that falls faster than any
/// power of the number of points (in u these are the samples of Fourier series along the ecliptic:
/// V. Grigoriev, C. Corsi and M. Blanco, Fourier sampling of sun path for applications in solar
/// energy, AIP Conf. Proc. 1734 (2016) 020008). Every second point makes a grid of the same kind,
/// so that one set of points gives two rules to compare (C. W. Clenshaw and A. R. Curtis, Numer.
/// Math. 2 (1960) 197-205).
class SkyGrid {
  public:
    /// latitude and min_elevation in radians; `declinations` and `hours` are odd, 3 or more.
    /// Throws InputError for other numbers and where the sun stays below min_elevation on every
    /// day.
    SkyGrid(double latitude, double min_elevation, int declinations, int hours);

    /// A position of the sun that is traced.
    struct Node {
        double declination = 0.0;  ///< radians
        double hour_angle = 0.0;   ///< radians, 0 at solar noon, afternoon positive
        double azimuth = 0.0;      ///< radians, clockwise from north, (-pi, pi]
        double elevation = 0.0;    ///< radians
    };
    /// Declination by declination, from the highest; in each by hour angle, from the evening.
    const std::vector<Node>& nodes() const { return nodes_; }
    /// The node at noon in the middle of the declinations.
    std::size_t middle() const { return nodes_.size() / 2; }
    int declinations() const { return declinations_; }       ///< how many
    int hours() const { return hours_; }                     ///< hour angles of each declination
    double min_elevation() const { return min_elevation_; }  ///< radians
    /// Whether the sun rises to that elevation every day.
    bool is_all_year() const;

    /// Whether the sun gets to a direction (unit vector, ENU) at the minimal elevation or higher,
    /// to half a degree.
    bool covers(const Vec3& direction) const;

    /// Which of the points a rule takes: all, or every second one of a direction.
    enum class Rule { full, half_declinations, half_hours };

    /// Adds amount * (weight of each node in the interpolated value at this sun) to `weights`, one
    /// per node. The weights of a sun sum up to 1.
    void distribute(const Vec3& direction_to_sun,
                    double amount,
                    Rule rule,
                    std::vector<double>& weights) const;

  private:
    /// Of u from -1 to 1.
    double declination_at(double u) const;

    double latitude_;
    double min_elevation_;
    double lowest_ = 0.0, highest_ = 0.0;  // declinations
    int declinations_;
    int hours_;
    std::vector<Node> nodes_;
};

/// The sun at a latitude; angles in radians as in SkyGrid::Node.
SkyGrid::Node sun_at_hour_angle(double latitude, double declination, double hour_angle);

}  // namespace helioray

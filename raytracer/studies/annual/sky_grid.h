// SPDX-License-Identifier: MIT
// Sun positions for the interpolation of functions on the part of the sky that the sun reaches.
#pragma once

#include "scenario/types/types.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace helioray {

/// Chebyshev points over the part of the sky where the sun can reach `min_elevation` at a location:
/// in u = sin(declination) / sin(obliquity), which is the sine of the sun's ecliptic longitude, and
/// in x = hour angle / hour angle at which the sun passes that elevation. If the sun stays below it
/// in winter, u begins at the declination of the first day on which it does not; errors then fall
/// more slowly, because the length of days grows like a square root there. The same applies beyond
/// a midnight sun.
///
/// The interpolation error of smooth functions of the sun's position falls faster than any power of
/// the number of points (in u these are the samples of Fourier series along the ecliptic: V.
/// Grigoriev, C. Corsi and M. Blanco, Fourier sampling of sun path for applications in solar
/// energy, AIP Conf. Proc. 1734 (2016) 020008). Every second point forms a grid of the same kind,
/// so one set of points gives two rules to compare (C. W. Clenshaw and A. R. Curtis, Numer. Math. 2
/// (1960) 197-205).
class SkyGrid {
  public:
    /// Creates the grid. latitude and min_elevation are in radians; `declinations` and `hours` are
    /// odd, 3 or more. Throws InputError for other numbers and if the sun stays below min_elevation
    /// on every day.
    SkyGrid(double latitude, double min_elevation, int declinations, int hours);

    /// A traced position of the sun.
    struct Node {
        double declination = 0.0;  ///< radians
        double hour_angle = 0.0;   ///< radians, 0 at solar noon, afternoon positive
        double azimuth = 0.0;      ///< radians, clockwise from north, (-pi, pi]
        double elevation = 0.0;    ///< radians
        /// Temperature of the air during the trace, °C; not set if it is not known.
        std::optional<double> temperature = {};
    };
    /// Returns the nodes, declination by declination from the highest, each by hour angle from the
    /// evening.
    const std::vector<Node>& nodes() const { return nodes_; }
    /// Returns the node at noon in the middle of the declinations.
    std::size_t middle() const { return nodes_.size() / 2; }
    int declinations() const { return declinations_; }  ///< number of declinations
    int hours() const { return hours_; }                ///< number of hour angles per declination
    double min_elevation() const { return min_elevation_; }  ///< minimal elevation, radians
    /// Returns true if the sun rises to the minimal elevation every day.
    bool is_all_year() const;

    /// Returns true if the sun reaches a direction (unit vector, ENU) at the minimal elevation or
    /// higher, within half a degree.
    bool covers(const Vec3& direction) const;

    /// Selects the points of a rule: all, or every second one in one dimension.
    enum class Rule { full, half_declinations, half_hours };

    /// Adds amount * (weight of each node in the interpolated value at this sun) to `weights`, one
    /// per node. The weights for a sun sum to 1.
    void distribute(const Vec3& direction_to_sun,
                    double amount,
                    Rule rule,
                    std::vector<double>& weights) const;

  private:
    /// Returns the declination for u from -1 to 1.
    double declination_at(double u) const;

    double latitude_;
    double min_elevation_;
    double lowest_ = 0.0, highest_ = 0.0;  // range of declinations
    int declinations_;
    int hours_;
    std::vector<Node> nodes_;
};

/// The sun at a latitude; angles in radians as in SkyGrid::Node.
SkyGrid::Node sun_at_hour_angle(double latitude, double declination, double hour_angle);

}  // namespace helioray

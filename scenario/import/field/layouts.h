// SPDX-License-Identifier: MIT
// Positions of heliostats: rings and grids about the tower, distances of the rings, and heliostats
// that are too close.
#pragma once

#include "scenario/import/field/field_template.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Coordinates east and north of the tower's axis, metres.
using PlanPosition = std::array<double, 2>;

/// Returns the positions of a layout other than `positions`, from the inside out. `aim_height`:
/// height of the receiver's centre above the pivots, metres. `report` receives remarks for users,
/// such as the number of zones. Throws InputError if the requested number does not fit within the
/// bounds, or if no heliostat fits.
std::vector<PlanPosition> make_layout(const FieldTemplate& field, std::vector<std::string>& report);

/// Returns the smallest distance between pivots that a template allows.
double min_distance(const FieldTemplate& field);

/// Two heliostats that are too close.
struct TooClose {
    size_t first = 0;  ///< index, below `second`
    size_t second = 0;
    double distance = 0.0;  ///< distance in space, metres
};

/// Returns the pairs closer than `distance` metres, by index; stops after the first position with
/// which there are `most` pairs or more. Positions in a wrong unit are all too close to each other.
std::vector<TooClose> too_close(const std::vector<Vec3>& positions,
                                double distance,
                                size_t most = 1'000'000);

/// Sizes that determine the spacing of rings, metres.
struct RingSizes {
    double width = 0.0;         ///< width of the mirror
    double height = 0.0;        ///< height of the mirror
    double aim_height = 0.0;    ///< height of the receiver's centre above the pivots
    double min_distance = 0.0;  ///< distance between pivots
};

/// Returns the radius of the next ring at the same azimuths that sees the receiver's centre above
/// the mirrors of a ring of radius `radius` in any orientation, or no value if the ring sees the
/// centre grazing the ground, so that there is no space behind it.
///
/// Mirrors are approximated by discs of diameter `height` in the vertical plane through the tower,
/// seen from the receiver at angle a = atan(aim_height / radius) below the horizon. The upper edge
/// of the front mirror appears at p = a - asin(height / 2 / hypot(radius, aim_height)), and the
/// lower edge of the rear mirror touches that line where R sin p - aim_height cos p = height / 2.
/// Far from the tower this is radius + height / sin a, the no-blocking distance of parallel light.
std::optional<double> radius_behind(double radius, const RingSizes& sizes);

/// Returns the radius, at least `radius`, of a ring that is staggered by half a slot of `slot`
/// radians against a ring of radius `radius`, such that neighbours of the two rings are at least
/// min_distance apart.
double staggered_radius(double radius, double slot, const RingSizes& sizes);

/// Correlations of DELSOL3 for rectangular heliostats: B. L. Kistler, A user's manual for DELSOL3,
/// SAND86-8018 (1986); coefficients with all digits as in SolarPILOT's radial stagger
/// (SolarField.cpp). With a the elevation of the receiver, the rings of one azimuth are
///   height (1.1442399 / tan a - 1.093519 + 3.0683558 a - 1.1255617 a^2)
/// apart, consecutive rings half of it; neighbours of a ring
///   width (1.7490871 + 0.63964099 a + 0.028726279 / (a - 0.049023315)) / (1 - s width / 2 radius),
/// s the bracket of the first formula.
struct DelsolSpacing {
    double radial = 0.0;     ///< metres between consecutive rings
    double azimuthal = 0.0;  ///< metres between neighbours of a ring
};

/// Returns the spacing, or no value if the correlations are not valid: a below 0.06 rad (6 tower
/// heights per 0.36), or a spacing that is not positive.
std::optional<DelsolSpacing> delsol_spacing(double radius, const RingSizes& sizes);

}  // namespace helioray

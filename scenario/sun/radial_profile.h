// SPDX-License-Identifier: MIT
// The sun's radiance as a function of the angle to its centre, with its integral and the inverse of
// the integral; and the tables that kernels sample with one lookup.
#pragma once

#include "scenario/types/types.h"

#include <array>
#include <memory>

namespace helioray {

/// Angular distribution of sunlight that is symmetric about the direction to the sun's centre.
///
/// Radiance is per solid angle, in a unit of the profile (1 at the centre, except for tables). A
/// ring contains radiance * theta * d theta: the angle replaces its sine in the solid angle, as in
/// the published shapes of the field (error 2e-5 at the edge of 1 degree, 3e-4 at 2.5 degrees).
class RadialProfile {
  public:
    virtual ~RadialProfile() = default;

    /// Returns the radiance at an angle of at least 0, radians.
    virtual double radiance(double theta) const = 0;
    /// Returns the fraction of the power within an angle, [0, 1].
    virtual double power_within(double theta) const = 0;
    /// Returns the square of the angle that contains a fraction of the power, rad^2: inverse of
    /// power_within(). `share` is in [0, 1], excluding 1 if the profile has no edge.
    virtual double square_angle(double share) const = 0;
    /// Returns the power-weighted mean of theta^2, rad^2; half of it is the variance per axis.
    virtual double mean_square_angle() const = 0;
    /// Returns the integral of radiance * theta over all angles, rad^2 times the unit of radiance.
    virtual double integral() const = 0;
    /// Returns the angle beyond which there is no power; infinite for a Gaussian.
    virtual double edge() const = 0;
    /// Returns the fraction of the power up to a kink of the profile at which a table should change
    /// from core to tail; 0 if there is none.
    virtual double kink() const { return 0.0; }
};

/// Radius of the solar disc of the limb-darkened sun, radians.
inline constexpr double kSolarDisc = 4.65e-3;

/// Returns the profile of a shape. Throws InputError for parameters outside their range, and for a
/// collimated sun, which has no profile.
///   gaussian      exp(-theta^2 / (2 sigma^2))
///   pillbox       1 up to the half angle
///   limb_darkened 1 - 0.5138 (theta / 4.65 mrad)^4 up to 4.65 mrad (M. Wagner and T. Wendelin,
///                 SolarPILOT: A power tower solar field layout and characterization tool, Solar
///                 Energy 171 (2018) 185-196)
///   buie          see buie.h
///   table         linear between the rows, 0 beyond the last one
std::unique_ptr<const RadialProfile> radial_profile(const SunShape& shape);

/// Number of intervals in either part of a table.
inline constexpr int kRadialTableSize = 512;

/// Inverse distribution of the angle to the sun's centre: theta^2 (rad^2) as a function of a
/// uniform number U in [0, 1).
///
/// Piecewise linear in two parts with equidistant knots: core over [0, split], tail over [split,
/// 1], so that a thin aureole has as many knots as the disc. Linear in theta^2 means uniform per
/// solid angle, which represents a pillbox exactly. Values ascend, tail[0] equals
/// core[kRadialTableSize], and 0 < split < 1. The direction about the axis is uniform.
struct RadialTable {
    float split = 0.5F;                              ///< fraction of the power in the core
    std::array<float, kRadialTableSize + 1> core{};  ///< theta^2, rad^2, for U in [0, split]
    std::array<float, kRadialTableSize + 1> tail{};  ///< theta^2, rad^2, for U in [split, 1]
};

/// Returns the table of a shape (see radial_profile() for the formulas).
///
/// A Buie sun is split at the edge of its disc, so that core and tail contain 1 - CSR and CSR of
/// the power. A Gaussian ends at about 4.9 sigma, beyond which it has 5e-6 of its power, with a
/// last knot for which the mean of theta^2 is 2 sigma^2. Throws InputError like radial_profile(),
/// also for a collimated sun.
RadialTable radial_table(const SunShape& shape);

/// Returns theta^2 for a uniform number: the reference implementation for the kernels.
inline float square_angle(const RadialTable& table, float uniform) {
    const bool in_core = uniform < table.split;
    const float part =
        in_core ? uniform / table.split : (uniform - table.split) / (1.0F - table.split);
    const float position = part * kRadialTableSize;
    const int last = kRadialTableSize - 1;
    const int knot = position < last ? static_cast<int>(position) : last;
    const std::array<float, kRadialTableSize + 1>& knots = in_core ? table.core : table.tail;
    return knots[knot] + (knots[knot + 1] - knots[knot]) * (position - static_cast<float>(knot));
}

/// Returns the mean of theta^2 of a table, rad^2.
double mean_square_angle(const RadialTable& table);

}  // namespace helioray

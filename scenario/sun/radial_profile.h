// SPDX-License-Identifier: MIT
// The sun's radiance as a function of the angle to its centre, with its integral and the inverse of
// that; and the tables that tracing kernels sample with one lookup.
#pragma once

#include "scenario/types.h"

#include <array>
#include <memory>

namespace helioray {

/// Angular distribution of sunlight that is the same all around the direction to the sun's centre.
///
/// Radiance is per solid angle, in a unit of the profile's own (1 at the centre, but for tables). A
/// ring holds radiance * theta * d theta: the solid angle's sine is replaced by the angle, as the
/// field's published shapes are (2e-5 at the edge of 1 degree, 3e-4 at 2.5 degrees).
class RadialProfile {
  public:
    virtual ~RadialProfile() = default;

    /// Radiance at an angle of at least 0, radians.
    virtual double radiance(double theta) const = 0;
    /// Share of the power within an angle, [0, 1].
    virtual double power_within(double theta) const = 0;
    /// Square of the angle within which a share of the power lies, rad^2: inverse of power_within.
    /// `share` in [0, 1], without 1 where the profile has no edge.
    virtual double square_angle(double share) const = 0;
    /// Power-weighted mean of theta^2, rad^2; half of it is the variance per axis.
    virtual double mean_square_angle() const = 0;
    /// Integral of radiance * theta over all angles, rad^2 times the unit of radiance.
    virtual double integral() const = 0;
    /// Angle beyond which there is no power; infinite for a Gaussian.
    virtual double edge() const = 0;
    /// Share of the power up to a kink of the profile where a table should change over; 0 where
    /// there is none.
    virtual double kink() const { return 0.0; }
};

/// Radius of the solar disc of the limb darkened sun, radians.
inline constexpr double kSolarDisc = 4.65e-3;

/// The profile of a shape. Throws InputError for shapes outside of their range, and for a
/// collimated sun, which has none.
///   gaussian      exp(-theta^2 / (2 sigma^2))
///   pillbox       1 up to the half angle
///   limb_darkened 1 - 0.5138 (theta / 4.65 mrad)^4 up to 4.65 mrad (M. Wagner and T. Wendelin,
///   SolarPILOT: A power
///                 tower solar field layout and characterization tool, Solar Energy 171 (2018)
///                 185-196)
///   buie          see buie.h
///   table         linear between the rows, 0 beyond the last one
std::unique_ptr<const RadialProfile> radial_profile(const SunShape& shape);

/// Intervals of either part of a table: knots less 1.
inline constexpr int kRadialTableSize = 512;

/// Inverse distribution of the angle to the sun's centre: theta^2 (rad^2) as a function of a
/// uniform number U in [0, 1).
///
/// Piecewise linear in two parts with equidistant knots: core over [0, split], tail over [split,
/// 1], so that a thin aureole has as many knots as the disc. Linear in theta^2 means uniform per
/// solid angle, which makes a pillbox exact. Values ascend, tail[0] equals core[kRadialTableSize],
/// and 0 < split < 1. The direction about the axis is uniform.
struct RadialTable {
    float split = 0.5F;                              ///< share of the power in the core
    std::array<float, kRadialTableSize + 1> core{};  ///< theta^2, rad^2, for U in [0, split]
    std::array<float, kRadialTableSize + 1> tail{};  ///< theta^2, rad^2, for U in [split, 1]
};

/// Table of a shape (see radial_profile for their formulas).
///
/// A Buie sun splits at the edge of its disc, so that core and tail hold 1 - CSR and CSR of the
/// power. A Gaussian ends at about 4.9 sigma, where 5e-6 of its power lies beyond, with the last
/// knot such that the mean of theta^2 is 2 sigma^2. Throws InputError as radial_profile does, for a
/// collimated sun too.
RadialTable radial_table(const SunShape& shape);

/// theta^2 for a uniform number, the reference of what kernels do.
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

/// Mean of theta^2 that the table gives, rad^2.
double mean_square_angle(const RadialTable& table);

}  // namespace helioray

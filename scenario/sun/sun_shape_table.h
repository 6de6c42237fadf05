// SPDX-License-Identifier: MIT
// Sun shapes as tables that tracing kernels sample with one lookup.
#pragma once

#include "scenario/types.h"

#include <array>

namespace helioray {

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

// SPDX-License-Identifier: MIT
// An aligned heliostat that is traced.
#pragma once

#include "scenario/types/types.h"

#include <array>
#include <cstddef>
#include <optional>

namespace helioray::physical {

/// Optical properties of a heliostat that differ from those of the field.
struct OwnOptics {
    std::optional<double> reflectivity;       ///< reflected fraction of the power, clean mirror
    double clean_share = 1.0;                 ///< fraction of the reflectivity that soiling leaves
    std::optional<double> slope_error;        ///< standard deviation about each tangent, radians
    std::optional<double> specularity_error;  ///< standard deviation about each axis, radians
};

/// A heliostat after its Aim has been carried out: the pose of its mirror and its target.
struct AimedHeliostat {
    size_t heliostat = 0;                     ///< index in Scenario::heliostats
    size_t target = 0;                        ///< index in Scenario::targets
    std::array<double, 16> orientation{};     ///< 4 x 4 row-major: mirror frame (normal up) to ENU
    std::array<double, 2> motor_positions{};  ///< motor positions, steps or radians
    Vec3 aim_point{};                         ///< aim point, metres, ENU
    /// Fraction of the irradiance that arrives at the heliostat.
    double sunlit_share = 1.0;
    OwnOptics optics;
};

/// Converts a direction from the mirror frame to ENU.
inline Vec3 direction_to_enu(const std::array<double, 16>& orientation, const Vec3& v) {
    const auto& m = orientation;
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
            m[4] * v[0] + m[5] * v[1] + m[6] * v[2],
            m[8] * v[0] + m[9] * v[1] + m[10] * v[2]};
}

/// Converts a point from the mirror frame to ENU, metres.
inline Vec3 point_to_enu(const std::array<double, 16>& orientation, const Vec3& p) {
    const Vec3 turned = direction_to_enu(orientation, p);
    return {turned[0] + orientation[3], turned[1] + orientation[7], turned[2] + orientation[11]};
}

}  // namespace helioray::physical

// SPDX-License-Identifier: MIT
// A heliostat that is traced.
#pragma once

#include "scenario/types.h"

#include <array>
#include <cstddef>

namespace helioray::physical {

/// An Aim that has been carried out: how the heliostat's mirror is turned, and which target it
/// serves.
struct AimedHeliostat {
    size_t heliostat = 0;                     ///< index in Scenario::heliostats
    size_t target = 0;                        ///< index in Scenario::targets
    std::array<double, 16> orientation{};     ///< 4 x 4 row-major: mirror frame (normal up) to ENU
    std::array<double, 2> motor_positions{};  ///< steps or radians
    Vec3 aim_point{};                         ///< metres, ENU
    double sunlit_share = 1.0;                ///< of the irradiance that clouds let through to it
};

/// Direction of the mirror frame in ENU.
inline Vec3 direction_to_enu(const std::array<double, 16>& orientation, const Vec3& v) {
    const auto& m = orientation;
    return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
            m[4] * v[0] + m[5] * v[1] + m[6] * v[2],
            m[8] * v[0] + m[9] * v[1] + m[10] * v[2]};
}

/// Point of the mirror frame in ENU.
inline Vec3 point_to_enu(const std::array<double, 16>& orientation, const Vec3& p) {
    const Vec3 turned = direction_to_enu(orientation, p);
    return {turned[0] + orientation[3], turned[1] + orientation[7], turned[2] + orientation[11]};
}

}  // namespace helioray::physical

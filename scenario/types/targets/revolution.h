// SPDX-License-Identifier: MIT
// Frames and directions of targets that are surfaces of revolution: cylinders, cones and spheres.
#pragma once

#include "scenario/types/targets/target_member.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <optional>

namespace helioray {

/// Returns unit axes: z along the axis, y towards the middle of the sector, x = y cross z.
/// normal: direction from the axis to the middle of the sector.
std::array<Vec3, 3> revolution_axes(const Vec3& axis, const Vec3& normal);

/// Returns the fault if the normal, "normal", is not perpendicular to the axis.
std::optional<ShapeFault> find_sector_fault(const Vec3& axis, const Vec3& normal);

/// Returns true if a sector of this angle, radians, is a full turn. Allows for rounding of a full
/// turn in the float32 of files.
bool is_full_turn(double opening_angle);

/// Returns the unit vector from the axis through `center` towards `from`; `normal` for a point on
/// the axis.
Vec3 direction_from_axis(const Vec3& center,
                         const Vec3& axis,
                         const Vec3& normal,
                         const Vec3& from);

/// Returns the point in the frame of the axes at a radius, an angle (radians) from the middle of
/// the sector and a height. From outside, positive angles are on the left.
Vec3 point_of_revolution(double radius, double angle, double height);

}  // namespace helioray

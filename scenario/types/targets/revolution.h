// SPDX-License-Identifier: MIT
// Frames and directions of targets that are surfaces of revolution: cylinders, cones and spheres.
#pragma once

#include "scenario/types/targets/cylinder_target.h"
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

/// Returns 1 if the inner side is lit, -1 for the outer one: the sign of angles to the right of an
/// observer who faces the lit side.
double side_sign(CylindricalTarget::Side lit);

/// Returns a point_of_revolution() at angle 0 of a sector whose middle turns to `facing`, in
/// east-north-up.
Vec3 turned_point(const Vec3& center, const Vec3& axis, const Vec3& facing, const Vec3& point);

}  // namespace helioray

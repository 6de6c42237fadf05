// SPDX-License-Identifier: MIT
// B-spline patches for surfaces of elements. Internal to the conversion.
#pragma once

#include "scenario/import/soltrace/heights.h"
#include "scenario/import/soltrace/mirror_outlines.h"

#include <cstdint>
#include <vector>

namespace helioray::soltrace {

/// A B-spline over a rectangle, in the frame of its element.
struct SplinePatch {
    int64_t degree = 0;
    int64_t num_control_points = 0;    ///< along either edge
    std::vector<Vec3> control_points;  ///< metres; first index along the width
    /// Root mean square of the angle between the normals of the patch and of the surface, radians.
    double deviation = 0.0;
};

/// Returns z = (c_x x^2 + c_y y^2) / 2 exactly: a biquadratic Bezier patch contains every quadratic
/// polynomial. Its control points are the polar form of the polynomial at the ends and at the
/// middle of both sides.
SplinePatch quadratic_patch(const MirrorRectangle& rectangle, const Vec2& curvature);

/// Returns a cubic B-spline that interpolates the heights at its Greville points, with 4 to 32
/// control points along either edge: as few as keep the deviation at 1e-6. Beyond the mirror's
/// reach the surface continues along its tangent if it has no points at the rectangle's corners.
/// Returns no value if the surface ends within the mirror.
std::optional<SplinePatch> fit_patch(const MirrorRectangle& rectangle, const Heights& heights);

}  // namespace helioray::soltrace

// SPDX-License-Identifier: MIT
// Kinematics "azimuth_elevation": axis 1 is the azimuth, axis 2 the elevation of the normal; the
// pivot is the position.
#pragma once

#include "raytracer/kinematics/parameters.h"

namespace helioray {

/// Orientation for joint angles [N, 2]: azimuth a (clockwise from north) and elevation h of the
/// normal. Axes in ENU: e = (-cos a, sin a, 0), n = normal x e, normal = (cos h sin a, cos h cos a,
/// sin h). The concentrator translation moves the mirror along these axes; joint translations and
/// tilts do not exist here. Returns [N, 4, 4], mirror frame to ENU; differentiable in the angles,
/// positions and translations.
at::Tensor azimuth_elevation_orientation(const KinematicsParameters& parameters,
                                         const at::Tensor& joint_angles);

/// Joint angles [N, 2] of normals [N, 3] (unit, ENU): azimuth in [0, 2 pi), elevation in [-pi/2,
/// pi/2]. A normal that points straight up has azimuth pi. Differentiable in the normals.
at::Tensor azimuth_elevation_joint_angles(const at::Tensor& normals);

}  // namespace helioray

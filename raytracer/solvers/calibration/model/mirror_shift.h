// SPDX-License-Identifier: MIT
// Computes the shift of the centroid of the light that is due to the shape of a mirror.
#pragma once

#include "raytracer/solvers/calibration/model/spot_model.h"
#include "scenario/types/types.h"

#include <vector>

namespace helioray::calibration {

/// A piece of a mirror that reflects one ray, in the mirror's frame.
struct MirrorElement {
    Vec3 centre{};      ///< Mean position of the piece, m.
    Vec3 normal{};      ///< Mean normal of the piece, unit vector.
    double area = 0.0;  ///< Area, m2.
};

/// Divides a mirror into pieces: a curved or measured facet into 4 x 4 pieces, each the mean of 6 x
/// 6 points; a flat facet is one piece. The ripples of measured mirrors need points this close: the
/// centroid of their light is then accurate to 2 mm at 60 m. Throws InputError as evaluate_facet()
/// does.
std::vector<MirrorElement> mirror_elements(const Surface& surface);

/// Computes the vector from the reflection at the mirror's origin along its normal to the centroid
/// of the light of all elements, m, in the plane of the record's target. The rays come from the
/// centre of the sun's disc, each with the power that its element receives; a symmetric sun and
/// symmetric slope errors do not shift the centroid. Returns zero without elements, and if a ray
/// misses the plane.
Vec3 centroid_shift(const std::vector<MirrorElement>& elements,
                    const KinematicsRecord& kinematics,
                    const SpotRecord& record);

}  // namespace helioray::calibration

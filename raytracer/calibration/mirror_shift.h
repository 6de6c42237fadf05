// SPDX-License-Identifier: MIT
// By how much the shape of a mirror moves the centroid of its light.
#pragma once

#include "raytracer/calibration/spot_model.h"
#include "scenario/types.h"

#include <vector>

namespace helioray::calibration {

/// A piece of a mirror that reflects one ray, in the mirror's frame.
struct MirrorElement {
    Vec3 centre{};      ///< metres; mean of the piece
    Vec3 normal{};      ///< unit vector; mean of the piece
    double area = 0.0;  ///< m2
};

/// A mirror as pieces: 4 x 4 of a curved or measured facet, each the mean of 6 x 6 points, one of a
/// flat facet. Points that fine are needed for the ripples of measured mirrors: the centroid of
/// their light follows within 2 mm at 60 m. Throws InputError as evaluate_facet().
std::vector<MirrorElement> mirror_elements(const Surface& surface);

/// From the reflection at the mirror's origin along its normal to the centroid of the light of all
/// elements, metres in the plane of the record's target. The rays are those of the centre of the
/// sun's disc, each with the power that its element receives; a symmetric sun and symmetric errors
/// of slope leave the centroid where it is. Zero without elements, and where a ray misses the
/// plane.
Vec3 centroid_shift(const std::vector<MirrorElement>& elements,
                    const KinematicsRecord& kinematics,
                    const SpotRecord& record);

}  // namespace helioray::calibration

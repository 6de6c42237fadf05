// SPDX-License-Identifier: MIT
// By how much the shape of a mirror moves the centroid of its light.
#pragma once

#include "raytracer/calibration/spot_model.h"
#include "scenario/types.h"

#include <vector>

namespace helioray::calibration {

/// A piece of a mirror that reflects one ray, in the mirror's frame.
struct MirrorElement {
    Vec3 centre{};      ///< metres
    Vec3 normal{};      ///< unit vector
    double area = 0.0;  ///< m2, or any unit that all elements share
};

/// A mirror as pieces: kElementsAlongEdge x kElementsAlongEdge of a curved or measured facet, one
/// of a flat one. Throws InputError as evaluate_facet().
std::vector<MirrorElement> mirror_elements(const Surface& surface);

inline constexpr int64_t kElementsAlongEdge = 8;  ///< of mirror_elements()

/// From the reflection at the mirror's origin along its normal to the centroid of the light of all
/// elements, metres in the plane of the record's target. The rays are those of the centre of the
/// sun's disc, each with the power that its element receives; a symmetric sun and symmetric errors
/// of slope leave the centroid where it is. Zero without elements, and where a ray misses the
/// plane.
Vec3 centroid_shift(const std::vector<MirrorElement>& elements,
                    const KinematicsRecord& kinematics,
                    const SpotRecord& record);

}  // namespace helioray::calibration

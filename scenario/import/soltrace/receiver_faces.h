// SPDX-License-Identifier: MIT
// Faces of receivers' surfaces that mirrors see. Internal to the conversion.
#pragma once

#include "scenario/types/types.h"

#include <vector>

namespace helioray::soltrace {

/// Sums of the cosines of incidence of mirrors that see the middle of a surface.
struct FaceView {
    double lit = 0.0;    ///< sum on the face that the target counts
    double other = 0.0;  ///< sum on the opposite face
};

/// Returns how well mirrors (positions, metres, ENU) see both faces of surfaces[index]. A mirror
/// that another surface hides does not count. Of many mirrors only every n-th one is considered.
FaceView view_of_faces(const std::vector<Target>& surfaces,
                       size_t index,
                       const std::vector<Vec3>& mirrors);

/// Makes the opposite face of a surface the lit one.
void turn_over(Target& target);

}  // namespace helioray::soltrace

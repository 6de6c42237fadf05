// SPDX-License-Identifier: MIT
// Puts into words what an alignment could not do.
#pragma once

#include "raytracer/kinematics/alignment.h"

#include <array>
#include <vector>

namespace helioray {

/// Marks of one heliostat from which its issues follow; all is well unless said otherwise. Arrays:
/// axis 1, axis 2.
struct AlignmentMarks {
    std::array<bool, 2> reachable_angle{true, true};   ///< aiming: a stroke gives the joint angle
    std::array<bool, 2> reachable_stroke{true, true};  ///< motor positions given: the drive's
                                                       ///< triangle closes
    bool reachable_normal = true;                      ///< some joint angles point the mirror there
    bool defined_normal = true;  ///< a normal exists that sends the light to the aim point
    std::array<double, 2> requested_angles{};  ///< radians, before they were moved into reach
};

/// Appends the issues of one heliostat, those of the whole mirror before those of its axes.
void append_issues(size_t heliostat,
                   const KinematicsRecord& record,
                   const AlignedMirror& mirror,
                   const AlignmentMarks& marks,
                   std::vector<AlignmentIssue>& issues);

}  // namespace helioray

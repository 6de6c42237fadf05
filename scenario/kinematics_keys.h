// SPDX-License-Identifier: MIT
// The 13 deviations of a kinematics by the keys of scenario files.
#pragma once

#include "scenario/types.h"

namespace helioray {

/// Calls `visit(key, value)` for every deviation; `Deviations` is KinematicsDeviations, const or
/// not.
template <typename Deviations, typename Visit>
void for_each_deviation(Deviations& d, Visit&& visit) {
    visit("first_joint_translation_e", d.first_joint_translation[0]);
    visit("first_joint_translation_n", d.first_joint_translation[1]);
    visit("first_joint_translation_u", d.first_joint_translation[2]);
    visit("second_joint_translation_e", d.second_joint_translation[0]);
    visit("second_joint_translation_n", d.second_joint_translation[1]);
    visit("second_joint_translation_u", d.second_joint_translation[2]);
    visit("concentrator_translation_e", d.concentrator_translation[0]);
    visit("concentrator_translation_n", d.concentrator_translation[1]);
    visit("concentrator_translation_u", d.concentrator_translation[2]);
    visit("first_joint_tilt_n", d.first_joint_tilt_n);
    visit("first_joint_tilt_u", d.first_joint_tilt_u);
    visit("second_joint_tilt_e", d.second_joint_tilt_e);
    visit("second_joint_tilt_n", d.second_joint_tilt_n);
}

}  // namespace helioray

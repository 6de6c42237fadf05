// SPDX-License-Identifier: MIT
// Names of kinds (facet shapes, kinematics, actuators, sun shapes) and keys of deviations as
// scenario files spell them.
#pragma once

#include "scenario/types/types.h"

#include <optional>
#include <string>
#include <string_view>

namespace helioray {

std::string to_string(FacetShape shape);              ///< "bspline", "flat", ...
std::string to_string(FacetOutlineKind kind);         ///< "rectangle", "round", "polygon"
std::string to_string(BendingAxis axis);              ///< "elevation", "temperature"
std::string to_string(KinematicsType type);           ///< "rigid_body", "azimuth_elevation"
std::string to_string(ActuatorType type);             ///< "linear", "ideal"
std::string to_string(CylindricalTarget::Side side);  ///< "outer", "inner"
std::string to_string(MeshTarget::Front front);       ///< "normals", "reversed", "both"
std::string to_string(SurfaceUse use);                ///< "absorber", "shield", "mirror"
std::string to_string(AbsorptanceLaw law);  ///< "constant", "duffie_beckman", "martin_ruiz"
std::string to_string(BuieCalibration calibration);  ///< "exact", "tonatiuh", "tracer"
std::string sun_shape_name(
    const SunShape& shape);  ///< "normal", "pillbox", ...; ARTIST's is "normal"

/// Returns the value with this name, or no value if there is none. Only for the enumerations above.
template <typename Enum>
std::optional<Enum> from_string(std::string_view name);

/// Returns all names of an enumeration for messages: "'linear' or 'ideal'".
template <typename Enum>
std::string all_names();

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

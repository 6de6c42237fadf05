// SPDX-License-Identifier: MIT
// Names of kinds (facet shapes, kinematics, actuators, sun shapes) as scenario files spell them.
#pragma once

#include "scenario/types.h"

#include <optional>
#include <string>
#include <string_view>

namespace helioray {

std::string to_string(FacetShape shape);              ///< "bspline", "flat", ...
std::string to_string(KinematicsType type);           ///< "rigid_body", "azimuth_elevation"
std::string to_string(ActuatorType type);             ///< "linear", "ideal"
std::string to_string(CylindricalTarget::Side side);  ///< "outer", "inner"
std::string sun_shape_name(
    const SunShape& shape);  ///< "normal", "pillbox", ...; ARTIST's is "normal"

/// The kind of that name; nothing when there is none. Only for the enumerations above.
template <typename Enum>
std::optional<Enum> from_string(std::string_view name);

/// All names of an enumeration, for messages: "'linear' or 'ideal'".
template <typename Enum>
std::string all_names();

}  // namespace helioray

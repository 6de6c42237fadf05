// SPDX-License-Identifier: MIT
// Target geometry in result files: a kind and a JSON text.
#pragma once

#include "scenario/types/types.h"

#include <string>

namespace helioray {

/// Returns the kind of the target's shape: "planar", "cylindrical", ...
std::string target_kind(const Target& target);

/// Formats the geometry as one JSON object. Members are named as in the types, with lengths in
/// metres and the opening angle in radians: {"center": [e, n, u], "normal": [...], "width": ...,
/// "height": ...}. Numbers keep their exact value.
std::string geometry_to_json(const Target& target);

/// Parses the result of geometry_to_json(). Throws InputError naming `where` for an unknown kind,
/// bad JSON, and members that are missing or not finite numbers.
TargetShape geometry_from_json(const std::string& kind,
                               const std::string& text,
                               const std::string& where);

}  // namespace helioray

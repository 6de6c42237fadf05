// SPDX-License-Identifier: MIT
// Target geometry in result files: a kind and a JSON text.
#pragma once

#include "scenario/types.h"

#include <string>

namespace helioray {

/// The kind of the target's shape: "planar", "cylindrical", ...
std::string target_kind(const Target& target);

/// The geometry as one JSON object; members are named as in the types, lengths in metres, the
/// opening angle in radians: {"center": [e, n, u], "normal": [...], "width": ..., "height": ...}.
/// Numbers keep their exact value.
std::string geometry_to_json(const Target& target);

/// The reverse. Throws InputError naming `where` for an unknown kind, bad JSON or members that are
/// missing or not finite numbers.
TargetShape geometry_from_json(const std::string& kind,
                               const std::string& text,
                               const std::string& where);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// How the shapes of targets name their members, so that files are written and read in one way.
#pragma once

#include <string>

namespace helioray {

/// A number or vector of a target's shape. Every shape offers
///   members(shape, visit), which calls visit(TargetMember, member) for each of its members, where
///   member is a Vec3, a double or an enumeration of the shape's own, const or not as the shape is.
struct TargetMember {
    /// What values the member may have.
    enum class Kind {
        point,      ///< metres, ENU
        direction,  ///< unit vector
        length,     ///< metres, above 0
        angle,      ///< radians, above 0
        choice,     ///< an enumeration; left out of files where it has its default
    };
    const char* name;     ///< in result files
    const char* in_file;  ///< the dataset's name in scenario files
    Kind kind;            ///< see above
};

/// A target's shape in words.
struct TargetWords {
    std::string kind;  ///< "plane"
    std::string size;  ///< "4.000 x 3.000", metres and degrees
};

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Names of the members of target shapes, so that all files are written and read by the same code.
#pragma once

#include <string>

namespace helioray {

/// A number or vector of a target's shape. Every shape offers
///   members(shape, visit), which calls visit(TargetMember, member) for each of its members, where
///   member is a Vec3, a double or an enumeration of the shape, const or not like the shape.
struct TargetMember {
    /// Kind of the member's values.
    enum class Kind {
        point,      ///< metres, ENU
        direction,  ///< unit vector
        length,     ///< metres, above 0
        angle,      ///< radians, above 0
        choice,     ///< an enumeration, omitted in files if it has its default
    };
    const char* name;     ///< name in result files
    const char* in_file;  ///< name of the dataset in scenario files
    Kind kind;            ///< kind of the values
};

/// Description of a target's shape for users.
struct TargetWords {
    std::string kind;  ///< "plane"
    std::string size;  ///< "4.000 x 3.000", in metres and degrees
};

}  // namespace helioray

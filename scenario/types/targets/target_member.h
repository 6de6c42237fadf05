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
        point,           ///< metres, ENU
        direction,       ///< unit vector
        length,          ///< metres, above 0
        length_or_zero,  ///< metres, at least 0
        angle,           ///< radians, above 0
        latitude,        ///< radians, -pi/2 to pi/2
        number,          ///< a number without unit
        choice,          ///< an enumeration, omitted in files if it has its default
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

/// Contradiction between the members of a shape.
struct ShapeFault {
    std::string member;  ///< TargetMember::name of the wrong member
    std::string what;    ///< what is wrong
    std::string why;     ///< reason
    std::string advice;  ///< what to do
};

/// Largest cosine between directions that count as perpendicular.
inline constexpr double kPerpendicular = 1e-4;

}  // namespace helioray

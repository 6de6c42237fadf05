// SPDX-License-Identifier: MIT
// The places where rays end.
#pragma once

#include <cstdint>

namespace helioray::kernels {

/// Place where a ray ends.
enum class RayEnd : int32_t {
    shaded,            ///< on a mirror or body before the ray's own mirror
    blocked,           ///< on a mirror or body between the ray's own mirror and the target
    spilled,           ///< nowhere: the ray passes the target
    delivered,         ///< on the target; a surface that reflects absorbs it
    shielded,          ///< on a shield or the back of a receiver's surface
    escaped,           ///< nowhere: surfaces of receivers reflected it out of the receiver
    reflected_shield,  ///< on a shield or the back of a surface, after reflections
    bounce_limit,      ///< on a surface that would reflect it more often than the limit
    secondary          ///< on a mirror among the surfaces of receivers, which absorbs it
};

}  // namespace helioray::kernels

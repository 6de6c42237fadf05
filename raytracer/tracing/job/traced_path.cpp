// SPDX-License-Identifier: MIT
// Names the ends of rays.
#include "raytracer/tracing/job/traced_path.h"

#include <stdexcept>

namespace helioray {

RayEndInfo ray_end_info(kernels::RayEnd end) {
    switch (end) {
        case kernels::RayEnd::shaded:
            return {"shaded", "The ray ends on a mirror or body before its own mirror."};
        case kernels::RayEnd::blocked:
            return {"blocked",
                    "The ray ends on a mirror or body between its own mirror and the target."};
        case kernels::RayEnd::spilled:
            return {"spilled", "The ray passes the target."};
        case kernels::RayEnd::delivered:
            return {"delivered", "The ray ends on the target."};
        case kernels::RayEnd::shielded:
            return {"shielded", "The ray ends on a shield or the back of a surface of a receiver."};
        case kernels::RayEnd::escaped:
            return {"escaped", "Surfaces of receivers reflect the ray, which then meets nothing."};
        case kernels::RayEnd::reflected_shield:
            return {
                "reflected_shield",
                "The ray ends on a shield or the back of a surface after surfaces have reflected "
                "it."};
        case kernels::RayEnd::bounce_limit:
            return {"bounce_limit", "The ray was reflected as often as the limit allows."};
        case kernels::RayEnd::secondary:
            return {"secondary", "A mirror among the surfaces of receivers absorbs the ray."};
    }
    throw std::logic_error("a ray has an unknown end");
}

}  // namespace helioray

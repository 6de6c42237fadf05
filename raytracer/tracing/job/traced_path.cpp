// SPDX-License-Identifier: MIT
// Names the ends of rays.
#include "raytracer/tracing/job/traced_path.h"

namespace helioray {

const std::vector<RayEndInfo>& ray_end_infos() {
    static const std::vector<RayEndInfo> infos{
        {"shaded", "The ray ends on a mirror or body before its own mirror."},
        {"blocked", "The ray ends on a mirror or body between its own mirror and the target."},
        {"spilled", "The ray passes the target."},
        {"delivered", "The ray ends on the target."},
        {"shielded", "The ray ends on a shield or the back of a surface of a receiver."},
        {"escaped", "Surfaces of receivers reflect the ray, which then meets nothing."},
        {"reflected_shield",
         "The ray ends on a shield or the back of a surface after surfaces have reflected it."},
        {"bounce_limit", "The ray was reflected as often as the limit allows."}};
    return infos;
}

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Traces single rays with the functions of the kernels, one ray in each vector.
#include "kernels/trace_ray.h"

#include "kernels/cpu/bundle_walk.h"
#include "kernels/cpu/mirror_points.h"
#include "kernels/cpu/near_occluders.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <vector>

namespace helioray::kernels {

namespace {

/// Returns the smallest limit for which `meets` is true. meets(limit): the ray meets something at a
/// distance in (0, limit); it is true for kNoLimit.
template <typename Meets>
float find_distance(const Meets& meets) {
    float far = 1.0f;
    while (far < kNoLimit && !meets(far)) far *= 2.0f;
    float near = 0.0f;
    // Halve the interval until its ends are neighbouring numbers.
    constexpr int kHalvings = 64;
    for (int i = 0; i < kHalvings; ++i) {
        const float middle = 0.5f * (near + far);
        if (middle <= near || middle >= far) break;
        (meets(middle) ? far : near) = middle;
    }
    return far;
}

void copy(const Vec<float>& from, float (&to)[3]) {
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

/// Returns the end of a ray that is neither shaded nor blocked.
RayEnd unobstructed_end(const TargetHit<float>& hit) {
    return hit.mask ? RayEnd::delivered : RayEnd::spilled;
}
RayEnd unobstructed_end(const SurfaceHit<float>& hit) {
    if (hit.meets && !hit.mask) return RayEnd::shielded;
    return hit.mask ? RayEnd::delivered : RayEnd::spilled;
}

/// Receiver: a const TargetRecord or NearSurfaces.
template <typename Receiver>
TracedRay trace_ray_to(const FieldView& field, const RayAddress& address, Receiver& target) {
    const HeliostatRecord& h = field.heliostats[address.heliostat];
    const int64_t num_bundles = count_bundles(address.rays_per_block);
    BlockStart start = block_start(field, h, address.block, num_bundles);
    start.sequence.seek(static_cast<uint32_t>(address.ray / kRaysPerPoint));
    SinglePoints points{};
    BundleOcclusion<float> occlusion(field);
    occlusion.begin(h);
    BundleWalk<SinglePoints, BundleOcclusion<float>, Receiver> walk(
        field, target, h, address.rays_per_block, start, points, occlusion);
    walk.enter();
    RayNumbers<float> numbers{};
    walk.numbers(static_cast<int>(address.ray % kRaysPerPoint), numbers);
    const auto outcome = trace_rays(
        field, walk.context, walk.target, walk.point, h.ray_power, numbers, true, occlusion);

    const auto& path = outcome.path;
    TracedRay ray{};
    copy(walk.point.position, ray.mirror);
    copy(path.to_sun, ray.to_sun);
    copy(path.reflected, ray.reflected);
    std::copy(std::begin(outcome.quanta), std::end(outcome.quanta), std::begin(ray.energy));
    if (field.shading != 0 && occlusion.shaded(path.to_sun)) {
        ray.end = RayEnd::shaded;
        ray.distance =
            find_distance([&](float limit) { return occlusion.shaded(path.to_sun, limit); });
    } else if (field.blocking != 0 && is_blocked(path, occlusion)) {
        ray.end = RayEnd::blocked;
        // Bodies stop light only before the target.
        const float bodies = ends(path.hit) ? path.hit.distance - kBodyGap : 0.0f;
        ray.distance = find_distance([&](float limit) {
            return occlusion.blocked(path.reflected, limit, std::min(limit, bodies));
        });
    } else {
        ray.end = unobstructed_end(path.hit);
        ray.distance = ends(path.hit) ? path.hit.distance : std::numeric_limits<float>::infinity();
    }
    return ray;
}

}  // namespace

TracedRay trace_ray(const FieldView& field, const RayAddress& address) {
    const TargetRecord& target = field.targets[field.heliostats[address.heliostat].target];
    if (target.in_receiver == 0) return trace_ray_to(field, address, target);
    std::vector<uint8_t> seen(static_cast<size_t>(field.num_surfaces));
    NearSurfaces<float> surfaces(field, seen.data());
    return trace_ray_to(field, address, surfaces);
}

}  // namespace helioray::kernels

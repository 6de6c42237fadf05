// SPDX-License-Identifier: MIT
// Traces single rays with the functions of the kernels, one ray in each vector.
#include "kernels/trace_ray.h"

#include "kernels/cpu/bundle_walk.h"
#include "kernels/cpu/mirror_points.h"
#include "kernels/cpu/near_occluders.h"
#include "kernels/ray/reflection.h"

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

/// Numbers that determine the random words of a ray's reflections.
struct ReflectionStream {
    uint64_t seed;
    uint32_t random_id;
    uint32_t low, high;  ///< number of the ray among those of its heliostat

    PhiloxWords<float> draw(uint32_t bounce) const {
        const auto tag =
            static_cast<StreamTag>(static_cast<uint32_t>(StreamTag::reflection) + bounce);
        return stream<float>(seed, random_id, tag, low, high);
    }
};

/// Follows a ray from the surface that it meets first, until it is absorbed or lost.
void follow(const FieldView& field,
            const NearSurfaces<float>& receiver,
            const ReflectionStream& random,
            SurfaceHit<float> hit,
            TracedRay& ray) {
    const ReflectingTables tables(field, receiver.groups());
    const ReflectingSurfaces surfaces(field, receiver.groups(), tables);
    Vec<float> point = add_scaled({ray.mirror[0], ray.mirror[1], ray.mirror[2]},
                                  hit.distance,
                                  Vec<float>{ray.reflected[0], ray.reflected[1], ray.reflected[2]});
    Vec<float> direction{ray.reflected[0], ray.reflected[1], ray.reflected[2]};
    for (uint32_t bounce = 0;; ++bounce) {
        const PhiloxWords<float> words = random.draw(bounce);
        const int32_t pixel = needed_pixel(field, hit);
        const Vec<float> normal = surfaces.settle(hit.surface, pixel, direction, point);
        const SurfaceOptics& optics = field.surfaces[hit.surface].optics;
        const float part = absorptance(field, hit.surface, -dot(direction, normal));
        if (unit_interval(words.word[3], 0.0f) < part) {
            ray.end = optics.is_mirror != 0.0f ? RayEnd::secondary : RayEnd::delivered;
            return;
        }
        if (!(static_cast<float>(bounce) < optics.bounces)) {
            ray.end = RayEnd::bounce_limit;
            return;
        }
        direction = reflected_direction(
            direction, normal, optics.specular_fraction, optics.slope_width, words);
        ray.reflections.push_back({point.x, point.y, point.z});
        copy(direction, ray.last);
        const int32_t start = hit.surface;
        surfaces.meet(point, direction, start, pixel, hit);
        ray.distance = hit.meets ? hit.distance : std::numeric_limits<float>::infinity();
        if (!hit.mask) {
            ray.end = hit.meets ? RayEnd::reflected_shield : RayEnd::escaped;
            return;
        }
        point = add_scaled(point, hit.distance, direction);
    }
}
void follow(const FieldView&,
            const TargetRecord&,
            const ReflectionStream&,
            const TargetHit<float>&,
            TracedRay&) {}

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
        if (ray.end == RayEnd::delivered && field.reflects != 0) {
            const uint64_t bundle = walk.sequence.bundle();
            const auto lane = static_cast<uint32_t>(address.ray % kRaysPerPoint);
            const ReflectionStream random{
                field.seed,
                h.random_id,
                static_cast<uint32_t>(bundle),
                (static_cast<uint32_t>(bundle >> 32) << kLaneBits) + lane};
            follow(field, target, random, path.hit, ray);
        }
    }
    return ray;
}

}  // namespace

TracedRay trace_ray(const FieldView& field, const RayAddress& address) {
    const TargetRecord& target = field.targets[field.heliostats[address.heliostat].target];
    if (target.in_receiver == 0) return trace_ray_to(field, address, target);
    NearSurfaces<float> surfaces(field);
    return trace_ray_to(field, address, surfaces);
}

}  // namespace helioray::kernels

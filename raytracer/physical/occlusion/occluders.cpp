// SPDX-License-Identifier: MIT
// Occluder records and candidate lists.
#include "raytracer/physical/occlusion/occluders.h"

#include "raytracer/physical/occlusion/neighbours.h"
#include "scenario/vector_math.h"

#include <array>
#include <map>

namespace helioray::physical {

namespace {

using Orientation = std::array<double, 16>;

/// Every heliostat of the plant with its mirror.
struct StandingMirror {
    const MirrorShape* shape = nullptr;
    Orientation orientation{};
};

Orientation stowed(const Vec3& position) {
    return {1, 0, 0, position[0], 0, 1, 0, position[1], 0, 0, 1, position[2], 0, 0, 0, 1};
}

std::vector<StandingMirror> standing_mirrors(const Scenario& scenario,
                                             const std::vector<AimedHeliostat>& aimed,
                                             const KnownSurfaces& surfaces) {
    std::vector<StandingMirror> mirrors;
    for (const Heliostat& heliostat : scenario.heliostats)
        mirrors.push_back(
            {&surfaces.at(heliostat.surface.get())->shape.value(), stowed(heliostat.position)});
    for (const AimedHeliostat& one : aimed) mirrors[one.heliostat].orientation = one.orientation;
    return mirrors;
}

void set(float (&destination)[3], const Vec3& source) {
    for (size_t i = 0; i < 3; ++i) destination[i] = static_cast<float>(source[i]);
}

/// From the mirror frame to a target's frame.
struct ToFrame {
    const Orientation& orientation;
    const TargetFrame& frame;

    Vec3 point(const Vec3& p) const { return frame.point_to_frame(point_to_enu(orientation, p)); }
    Vec3 direction(const Vec3& v) const {
        return frame.direction_to_frame(direction_to_enu(orientation, v));
    }
};

kernels::OccluderFacet facet_record(const FacetPatch& patch, const ToFrame& to_frame) {
    const Vec3 x = to_frame.direction(patch.half_x);
    const Vec3 y = to_frame.direction(patch.half_y);
    const Vec3 normal = normalized(cross(x, y));
    // Coordinates come from the dual basis: x = axis_x . p is 1 at X and 0 along Y.
    const Vec3 across_y = cross(y, normal);
    const Vec3 across_x = cross(normal, x);
    kernels::OccluderFacet record{};
    set(record.center, to_frame.point(patch.center));
    set(record.normal, normal);
    set(record.axis_x, scaled(1.0 / dot(across_y, x), across_y));
    set(record.axis_y, scaled(1.0 / dot(across_x, y), across_x));
    for (size_t i = 0; i < 3; ++i) record.bending[i] = static_cast<float>(patch.bending[i]);
    record.radius = static_cast<float>(patch.radius);
    return record;
}

void append_frame(const std::vector<StandingMirror>& mirrors,
                  const TargetFrame& frame,
                  OcclusionRecords& records) {
    for (const StandingMirror& mirror : mirrors) {
        const ToFrame to_frame{mirror.orientation, frame};
        kernels::Occluder occluder{};
        set(occluder.center, to_frame.point(mirror.shape->center));
        occluder.radius = static_cast<float>(mirror.shape->radius);
        occluder.first_facet = static_cast<int32_t>(records.facets.size());
        occluder.num_facets = static_cast<int32_t>(mirror.shape->facets.size());
        for (const FacetPatch& patch : mirror.shape->facets)
            records.facets.push_back(facet_record(patch, to_frame));
        records.occluders.push_back(occluder);
    }
}

/// Appends a list, shifted to the occluders of a frame.
void append_candidates(const std::vector<int32_t>& found,
                       int32_t first_occluder,
                       std::vector<int32_t>& candidates) {
    for (const int32_t mirror : found) candidates.push_back(first_occluder + mirror);
}

}  // namespace

OcclusionRecords make_occlusion(const Scenario& scenario,
                                const std::vector<AimedHeliostat>& aimed,
                                const std::map<size_t, TargetFrame>& frames,
                                const OcclusionSettings& settings,
                                const KnownSurfaces& surfaces,
                                std::vector<kernels::HeliostatRecord>& heliostats) {
    OcclusionRecords records;
    if (!settings.shading && !settings.blocking) return records;
    const std::vector<StandingMirror> mirrors = standing_mirrors(scenario, aimed, surfaces);
    // Targets in one place (a map for each heliostat, say) see the mirrors alike.
    std::map<size_t, int32_t> first_occluder;
    std::map<std::array<Vec3, 4>, int32_t> first_in_frame;
    for (const auto& [target, frame] : frames) {
        const auto next = static_cast<int32_t>(records.occluders.size());
        const auto [place, is_new] = first_in_frame.try_emplace(
            {frame.axes[0], frame.axes[1], frame.axes[2], frame.origin}, next);
        if (is_new) append_frame(mirrors, frame, records);
        first_occluder[target] = place->second;
    }

    std::vector<MirrorSphere> spheres;
    for (const StandingMirror& mirror : mirrors)
        spheres.push_back(
            {point_to_enu(mirror.orientation, mirror.shape->center), mirror.shape->radius});
    const NeighbourSearch search(std::move(spheres));

    for (size_t i = 0; i < aimed.size(); ++i) {
        const size_t self = aimed[i].heliostat;
        const int32_t first = first_occluder.at(aimed[i].target);
        const auto find = [&](const LightBeam& beam) {
            return settings.cull ? search.find(self, beam) : search.all_but(self);
        };
        kernels::HeliostatRecord& record = heliostats[i];
        record.first_shader = static_cast<int64_t>(records.candidates.size());
        if (settings.shading) {
            append_candidates(
                find({settings.sun_direction, settings.sun_angle}), first, records.candidates);
        }
        record.first_blocker = static_cast<int64_t>(records.candidates.size());
        record.num_shaders = static_cast<int32_t>(record.first_blocker - record.first_shader);
        if (settings.blocking) {
            // Light of the sun's centre leaves the mirror's points in directions that spread twice
            // as far as the normals.
            const MirrorShape& shape = *mirrors[self].shape;
            const Vec3 normal = direction_to_enu(mirrors[self].orientation, shape.mean_normal);
            const Vec3 to_sun = settings.sun_direction;
            const Vec3 axis =
                normalized(subtract(scaled(2.0 * dot(normal, to_sun), normal), to_sun));
            append_candidates(find({axis, settings.reflected_angle + 2.0 * shape.normal_spread}),
                              first,
                              records.candidates);
        }
        record.num_blockers = static_cast<int32_t>(static_cast<int64_t>(records.candidates.size()) -
                                                   record.first_blocker);
    }
    return records;
}

}  // namespace helioray::physical

// SPDX-License-Identifier: MIT
// Builds occluder records and lists of candidates.
#include "raytracer/tracing/physical/occlusion/occluders.h"

#include "kernels/host/parallel_for.h"
#include "raytracer/tracing/physical/aimed_heliostat.h"
#include "raytracer/tracing/physical/records/records.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace helioray::physical {

namespace {

/// Kind, centre, unit axes and half extents of an obstacle, ENU.
struct Body {
    kernels::ObstacleRecord::Kind kind{};
    Vec3 center{};
    std::array<Vec3, 3> axes{};
    Vec3 half_extents{};
    double taper = 0.0;  ///< ObstacleRecord::taper
};

Body make_body(const BoxObstacle& box) {
    const double sine = std::sin(box.azimuth);
    const double cosine = std::cos(box.azimuth);
    // The axes point right and ahead for an observer who looks along the azimuth.
    return {kernels::ObstacleRecord::Kind::box,
            box.center,
            {{{cosine, -sine, 0}, {sine, cosine, 0}, {0, 0, 1}}},
            {0.5 * box.size[0], 0.5 * box.size[1], 0.5 * box.size[2]}};
}

Body make_body(const CylinderObstacle& cylinder) {
    const Vec3 axis = normalized(cylinder.axis);
    const Vec3 helper = std::abs(axis[2]) < 0.9 ? Vec3{0, 0, 1} : Vec3{1, 0, 0};
    const Vec3 x = normalized(cross(helper, axis));
    return {kernels::ObstacleRecord::Kind::cylinder,
            add_scaled(cylinder.base, 0.5 * cylinder.height, axis),
            {{x, cross(axis, x), axis}},
            {cylinder.radius, cylinder.radius, 0.5 * cylinder.height}};
}

Body make_body(const ConeObstacle& cone) {
    // The kernel's formula needs a taper that single precision can distinguish from 0.
    constexpr double kLeastTaper = 1e-6;
    const double radius = 0.5 * (cone.radius + cone.top_radius);
    Body body = make_body(CylinderObstacle{cone.base, cone.axis, radius, cone.height});
    const double taper = 0.5 * (cone.top_radius - cone.radius) / radius;
    if (std::abs(taper) < kLeastTaper) return body;
    body.kind = kernels::ObstacleRecord::Kind::cone;
    body.taper = taper;
    return body;
}

}  // namespace

kernels::ObstacleRecord obstacle_record(const ObstacleConfig& obstacle, const TargetFrame& frame) {
    const Body body =
        std::visit([](const auto& shape) { return make_body(shape); }, obstacle.shape);
    kernels::ObstacleRecord record{};
    record.kind = body.kind;
    record.taper = static_cast<float>(body.taper);
    const Vec3 center = frame.point_to_frame(body.center);
    for (size_t i = 0; i < 3; ++i) {
        record.center[i] = static_cast<float>(center[i]);
        const Vec3 axis = frame.direction_to_frame(body.axes[i]);
        for (size_t k = 0; k < 3; ++k)
            record.axes[3 * i + k] = static_cast<float>(axis[k] / body.half_extents[i]);
    }
    return record;
}

namespace {

/// Lists from this length on are sorted, because the order of the tests affects their speed.
constexpr int32_t kLongList = 16;
/// Number of mirrors that a thread processes at once.
constexpr size_t kMirrorsPerShare = 128;
/// Light is vertical, above all hills, if its level part is smaller.
constexpr double kSteepest = 1e-6;

/// Transform from the mirror frame to a target's frame.
struct ToFrame {
    const std::array<double, 16>& orientation;
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
    // Coordinates are computed with the dual basis: x = axis_x . p is 1 at X and 0 along Y.
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

/// Returns a sphere with clearance, so that small corrections of a mirror's aim do not rebuild the
/// lists.
MirrorSphere with_clearance(const MirrorSphere& sphere) {
    return {sphere.center, 1.02 * sphere.radius + 0.02};
}

bool holds(const MirrorSphere& outer, const MirrorSphere& inner) {
    return norm(subtract(inner.center, outer.center)) + inner.radius <= outer.radius;
}

}  // namespace

Occlusion::Occlusion(size_t num_mirrors,
                     std::shared_ptr<const Terrain> ground,
                     FacetOcclusion own_facets)
    : mirrors_(num_mirrors),
      slots_(num_mirrors),
      is_moved_(num_mirrors, 0),
      ground_(std::move(ground)),
      own_facets_(own_facets) {}

void Occlusion::set_light(const OcclusionLight& light) {
    light_ = light;
    lists_stale_ = true;
}

void Occlusion::place(size_t mirror,
                      const MirrorShape& shape,
                      const std::array<double, 16>& orientation) {
    Placement& standing = mirrors_[mirror];
    // The previous shape may no longer exist.
    if (standing.num_facets != shape.facets.size()) facets_stale_ = true;
    standing.num_facets = shape.facets.size();
    standing.shape = &shape;
    standing.orientation = orientation;
    set_outlines(standing);
    standing.box = mirror_box(shape, orientation);
    standing.sphere = {point_to_enu(orientation, shape.center), shape.radius};
    if (is_moved_[mirror]) return;
    is_moved_[mirror] = 1;
    moved_.push_back(mirror);
}

void Occlusion::set_outlines(Placement& mirror) {
    mirror.outlines.clear();
    const std::vector<FacetPatch>& facets = mirror.shape->facets;
    const auto is_whole = [](const FacetPatch& facet) { return facet.outline.empty(); };
    if (std::ranges::all_of(facets, is_whole)) return;
    for (const FacetPatch& facet : facets) {
        if (is_whole(facet)) {
            mirror.outlines.push_back(0);
            continue;
        }
        const auto [known, is_new] =
            known_outlines_.try_emplace(facet.outline, static_cast<int32_t>(outlines_.size()));
        if (is_new) outlines_.insert(outlines_.end(), facet.outline.begin(), facet.outline.end());
        mirror.outlines.push_back(known->second);
    }
}

int32_t Occlusion::add_frame(const TargetFrame& frame) {
    const auto is_same = [&](const TargetFrame& other) {
        return other.axes == frame.axes && other.origin == frame.origin;
    };
    const auto known = std::find_if(frames_.begin(), frames_.end(), is_same);
    if (known != frames_.end()) return static_cast<int32_t>(known - frames_.begin());
    frames_.push_back(frame);
    facets_stale_ = true;
    return static_cast<int32_t>(frames_.size()) - 1;
}

// The following functions write records of occluders.

void Occlusion::lay_out_facets() {
    first_facet_.assign(1, 0);
    for (const Placement& mirror : mirrors_)
        first_facet_.push_back(first_facet_.back() + std::ssize(mirror.shape->facets));
    const size_t walls = num_walls();
    occluders_.resize(walls + frames_.size() * mirrors_.size());
    facets_.resize(walls + frames_.size() * static_cast<size_t>(first_facet_.back()));
}

size_t Occlusion::num_walls() const {
    return ground_ ? 2 * mirrors_.size() : 0;
}

int64_t Occlusion::first_occluder(int32_t frame) const {
    return static_cast<int64_t>(num_walls()) + frame * std::ssize(mirrors_);
}

void Occlusion::write_occluder(int32_t frame, size_t mirror) {
    const Placement& standing = mirrors_[mirror];
    const ToFrame to_frame{standing.orientation, frames_[static_cast<size_t>(frame)]};
    const int64_t first =
        static_cast<int64_t>(num_walls()) + frame * first_facet_.back() + first_facet_[mirror];
    kernels::Occluder& occluder = occluders_[static_cast<size_t>(first_occluder(frame)) + mirror];
    set(occluder.center, to_frame.point(standing.shape->center));
    occluder.radius = static_cast<float>(standing.shape->radius);
    occluder.first_facet = static_cast<int32_t>(first);
    occluder.num_facets = static_cast<int32_t>(standing.shape->facets.size());
    for (size_t k = 0; k < standing.shape->facets.size(); ++k) {
        kernels::OccluderFacet& facet = facets_[static_cast<size_t>(first) + k];
        facet = facet_record(standing.shape->facets[k], to_frame);
        if (!standing.outlines.empty()) facet.outline = standing.outlines[k];
    }
}

void Occlusion::write_moved(int num_threads) {
    const bool all = facets_stale_;
    if (all) lay_out_facets();
    const size_t count = all ? mirrors_.size() : moved_.size();
    parallel_shares(count, kMirrorsPerShare, num_threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) {
            for (int32_t frame = 0; frame < std::ssize(frames_); ++frame)
                write_occluder(frame, all ? i : moved_[i]);
        }
    });
    facets_stale_ = false;
}

// The following functions build lists of candidates.

Occlusion::Beams Occlusion::beams(size_t mirror) const {
    // Light of the sun's centre leaves the mirror's points in directions that spread twice as far
    // as the normals.
    const Placement& own = mirrors_[mirror];
    const Vec3 normal = direction_to_enu(own.orientation, own.shape->mean_normal);
    const Vec3 to_sun = light_.sun_direction;
    const Vec3 axis = normalized(subtract(scaled(2.0 * dot(normal, to_sun), normal), to_sun));
    return {{to_sun, light_.sun_angle},
            {axis, light_.reflected_angle + 2.0 * own.shape->normal_spread}};
}

bool Occlusion::obstructs_itself(const Placement& mirror) const {
    if (own_facets_ == FacetOcclusion::off || mirror.num_facets < 2) return false;
    return own_facets_ == FacetOcclusion::on || mirror.shape->depth > kSmallestStep;
}

bool Occlusion::write_wall(size_t mirror, size_t wall, const LightBeam& beam, double reach) {
    const MirrorSphere& sphere = mirrors_[mirror].sphere;
    const double level = std::hypot(beam.axis[0], beam.axis[1]);
    if (!ground_ || level < kSteepest) return false;
    const Vec3 ahead{beam.axis[0] / level, beam.axis[1] / level, 0.0};
    // The mirror may stand deep in uneven ground, which does not hide it.
    const auto skyline =
        ground_->find_skyline(sphere.center, {ahead[0], ahead[1]}, sphere.radius, reach);
    if (!skyline) return false;
    const double distance = skyline->distance;
    const double elevation = std::atan2(skyline->height - sphere.center[2], distance);
    // Light leaves from all points of the sphere.
    const double parallax = std::atan2(sphere.radius, distance);
    if (elevation + parallax + beam.angle < std::atan2(beam.axis[2], level)) return false;

    const double spread = distance * std::tan(std::min(beam.angle, kWidestCulledAngle));
    const double half_width = spread + 2.0 * sphere.radius;
    const double bottom =
        std::min(skyline->height, sphere.center[2]) - spread - 2.0 * sphere.radius - 1.0;
    const double half_height = 0.5 * (skyline->height - bottom);
    FacetPatch patch;
    patch.center = add_scaled(sphere.center, distance, ahead);
    patch.center[2] = bottom + half_height;
    patch.half_x = {half_width * ahead[1], -half_width * ahead[0], 0.0};
    patch.half_y = {0.0, 0.0, half_height};
    patch.radius = std::hypot(half_width, half_height);
    constexpr std::array<double, 16> kInPlace{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const auto frame = static_cast<size_t>(slots_[mirror].frame);
    const ToFrame to_frame{kInPlace, frames_[frame]};
    facets_[wall] = facet_record(patch, to_frame);
    kernels::Occluder& occluder = occluders_[wall];
    set(occluder.center, to_frame.point(patch.center));
    occluder.radius = static_cast<float>(patch.radius);
    occluder.first_facet = static_cast<int32_t>(wall);
    occluder.num_facets = 1;
    return true;
}

struct Occlusion::Found {
    std::vector<int32_t> mirrors;  ///< shaders, then blockers, mirror by mirror
    struct Count {
        int32_t shaders = 0;
        int32_t blockers = 0;
    };
    std::vector<Count> counts;
};

void Occlusion::make_coarse(std::span<const LitMirror> lit, int num_threads) {
    const size_t num_shares = (lit.size() + kMirrorsPerShare - 1) / kMirrorsPerShare;
    std::vector<Found> shares(num_shares);
    parallel_shares(lit.size(), kMirrorsPerShare, num_threads, [&](size_t begin, size_t end) {
        Found& found = shares[begin / kMirrorsPerShare];
        const auto append = [&](size_t self, const LightBeam& beam) {
            const size_t before = found.mirrors.size();
            // The mirror itself holds the places of its own facets and of hills.
            found.mirrors.insert(
                found.mirrors.end(), num_own(mirrors_[self]), static_cast<int32_t>(self));
            if (light_.cull) {
                search_.find(self, beam, found.mirrors);
            } else {
                search_.all_but(self, found.mirrors);
            }
            return static_cast<int32_t>(found.mirrors.size() - before);
        };
        for (size_t i = begin; i < end; ++i) {
            const size_t self = lit[i].mirror;
            const Beams light = beams(self);
            Found::Count count;
            if (light_.shading) count.shaders = append(self, light.to_sun);
            if (light_.blocking) count.blockers = append(self, light.reflected);
            found.counts.push_back(count);
        }
    });

    // Assign positions in the pools in the order of the mirrors, which does not depend on the
    // threads.
    for (size_t share = 0; share < num_shares; ++share) {
        auto first = static_cast<int64_t>(coarse_.size());
        coarse_.insert(coarse_.end(), shares[share].mirrors.begin(), shares[share].mirrors.end());
        for (size_t i = 0; i < shares[share].counts.size(); ++i) {
            const LitMirror& mirror = lit[share * kMirrorsPerShare + i];
            const Found::Count count = shares[share].counts[i];
            Slot& slot = slots_[mirror.mirror];
            unused_candidates_ += slot.num_coarse_shaders + slot.num_coarse_blockers;
            slot.frame = mirror.frame;
            slot.aim = mirror.aim;
            slot.num_coarse_shaders = count.shaders;
            slot.num_coarse_blockers = count.blockers;
            slot.fine.first = first;
            slot.fine.first_blocker = first + count.shaders;
            first += count.shaders + count.blockers;
        }
    }
    candidates_.resize(coarse_.size());
    parallel_shares(lit.size(), kMirrorsPerShare, num_threads, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) refine(lit[i].mirror);
    });
}

size_t Occlusion::num_own(const Placement& mirror) const {
    return (ground_ ? 1 : 0) + (obstructs_itself(mirror) ? 1 : 0);
}

int32_t Occlusion::refine_list(const Placement& own,
                               const LightBeam& beam,
                               int64_t first,
                               int32_t count,
                               int32_t* fine,
                               int32_t first_occluder) const {
    const int32_t* coarse = coarse_.data() + first;
    if (!light_.cull || beam.angle > kWidestCulledAngle) {
        for (int32_t i = 0; i < count; ++i) fine[i] = first_occluder + coarse[i];
        return count;
    }
    const BoxBeam light(own.box, beam);
    int32_t found = 0;
    for (int32_t i = 0; i < count; ++i) {
        if (light.may_meet(mirrors_[static_cast<size_t>(coarse[i])].box))
            fine[found++] = first_occluder + coarse[i];
    }
    // A ray ends at the first occluder that it hits: in a low beam these are mostly the nearest
    // mirrors.
    if (found > kLongList) {
        const auto along = [&](int32_t occluder) {
            return dot(beam.axis,
                       mirrors_[static_cast<size_t>(occluder - first_occluder)].box.center);
        };
        std::stable_sort(
            fine, fine + found, [&](int32_t a, int32_t b) { return along(a) < along(b); });
    }
    return found;
}

void Occlusion::refine(size_t mirror) {
    Slot& slot = slots_[mirror];
    const Placement& own = mirrors_[mirror];
    const Beams light = beams(mirror);
    const auto base = static_cast<int32_t>(first_occluder(slot.frame));
    const auto places = static_cast<int32_t>(num_own(own));
    const auto refine_beam = [&](const LightBeam& beam,
                                 const LightBeam& to_end,
                                 double reach,
                                 size_t wall,
                                 int64_t first,
                                 int32_t count) {
        if (count == 0) return 0;
        int32_t found = 0;
        int32_t* fine = candidates_.data() + first;
        if (obstructs_itself(own)) fine[found++] = base + static_cast<int32_t>(mirror);
        if (write_wall(mirror, wall, to_end, reach)) fine[found++] = static_cast<int32_t>(wall);
        return found + refine_list(own, beam, first + places, count - places, fine + found, base);
    };
    slot.fine.num_shaders = refine_beam(light.to_sun,
                                        light.to_sun,
                                        std::numeric_limits<double>::infinity(),
                                        2 * mirror,
                                        slot.fine.first,
                                        slot.num_coarse_shaders);
    const Vec3 way = subtract(slot.aim, own.sphere.center);
    slot.fine.num_blockers = refine_beam(light.reflected,
                                         {normalized(way), light.reflected.angle},
                                         std::hypot(way[0], way[1]),
                                         2 * mirror + 1,
                                         slot.fine.first_blocker,
                                         slot.num_coarse_blockers);
}

// The following functions process changes.

void Occlusion::mark_affected(std::span<const LitMirror> lit,
                              std::vector<uint8_t>& affected) const {
    for (const LitMirror& mirror : lit) {
        const Slot& slot = slots_[mirror.mirror];
        if (slot.frame < 0) continue;
        const int64_t base = first_occluder(slot.frame);
        const auto has_moved = [&](int32_t occluder) {
            // Walls stand before all mirrors and do not move.
            return occluder >= base && is_moved_[static_cast<size_t>(occluder - base)] != 0;
        };
        const auto any = [&](int64_t first, int32_t count) {
            const auto begin = candidates_.begin() + first;
            return std::any_of(begin, begin + count, has_moved);
        };
        if (any(slot.fine.first, slot.fine.num_shaders) ||
            any(slot.fine.first_blocker, slot.fine.num_blockers))
            affected[mirror.mirror] = 1;
    }
}

void Occlusion::update(std::span<const LitMirror> lit,
                       int num_threads,
                       std::vector<uint8_t>& affected) {
    affected.assign(mirrors_.size(), 0);
    if (is_off()) {
        slots_.assign(mirrors_.size(), {});
        return;
    }
    // Mark the heliostats whose light the mirrors may have obstructed before they moved.
    mark_affected(lit, affected);
    write_moved(num_threads);
    has_own_facets_ = std::ranges::any_of(
        mirrors_, [&](const Placement& mirror) { return obstructs_itself(mirror); });

    const bool left_reach = std::any_of(moved_.begin(), moved_.end(), [&](size_t mirror) {
        return !holds(mirrors_[mirror].reach, mirrors_[mirror].sphere);
    });
    const bool wasteful = 2 * unused_candidates_ > std::ssize(coarse_);
    if (lists_stale_ || left_reach || wasteful) {
        std::vector<MirrorSphere> spheres;
        spheres.reserve(mirrors_.size());
        for (Placement& mirror : mirrors_) {
            mirror.reach = with_clearance(mirror.sphere);
            spheres.push_back(mirror.reach);
        }
        search_ = NeighbourSearch(std::move(spheres));
        coarse_.clear();
        slots_.assign(mirrors_.size(), {});
        unused_candidates_ = 0;
        make_coarse(lit, num_threads);
    } else {
        std::vector<LitMirror> anew;
        std::vector<size_t> refined;
        for (const LitMirror& mirror : lit) {
            const Slot& slot = slots_[mirror.mirror];
            if (is_moved_[mirror.mirror] || slot.frame != mirror.frame) {
                anew.push_back(mirror);
                continue;
            }
            const auto begin = coarse_.begin() + slot.fine.first;
            const bool any = std::any_of(
                begin, begin + slot.num_coarse_shaders + slot.num_coarse_blockers, [&](int32_t m) {
                    return is_moved_[static_cast<size_t>(m)] != 0;
                });
            if (any) refined.push_back(mirror.mirror);
        }
        make_coarse(anew, num_threads);
        for (const size_t mirror : refined) refine(mirror);
    }
    mark_affected(lit, affected);
    for (const size_t mirror : moved_) is_moved_[mirror] = 0;
    moved_.clear();
    lists_stale_ = false;
}

}  // namespace helioray::physical

// SPDX-License-Identifier: MIT
// All mirrors of a plant as occluders, with lists of those that may shade or block each other;
// follows moving mirrors.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/geometry/frames.h"
#include "raytracer/physical/occlusion/mirror_shape.h"
#include "raytracer/physical/occlusion/neighbours.h"
#include "scenario/run_config.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace helioray::physical {

/// The body in the frame of a target.
kernels::ObstacleRecord obstacle_record(const ObstacleConfig& obstacle, const TargetFrame& frame);

/// The light that mirrors may keep from each other.
struct OcclusionLight {
    bool shading = true;
    bool blocking = true;
    bool cull = true;              ///< false: every mirror is tested for every ray (reference)
    Vec3 sun_direction{};          ///< unit vector to the sun, ENU
    double sun_angle = 0.0;        ///< radians, largest angle of a ray to the sun's centre
    double reflected_angle = 0.0;  ///< radians, largest angle of a reflected ray to that of the
                                   ///< sun's centre at the true normal
};

/// A mirror whose light is traced, and the frame that it is traced in.
struct LitMirror {
    size_t mirror = 0;
    int32_t frame = 0;
};

/// Occluders of every mirror in every frame, and lists of those that may stand in each mirror's
/// light. set_light, place and add_frame note changes; update() recomputes everything that depends
/// on them.
///
/// Lists have two levels. Coarse ones hold all that may be in the way wherever they turn to:
/// spheres with some clearance around the mirrors. They are rebuilt when the light changes or a
/// mirror leaves its room. Fine ones, which the kernels read, hold those whose box is in the way as
/// it stands.
class Occlusion {
  public:
    /// How many mirrors there are; all are to be placed before the first update.
    explicit Occlusion(size_t num_mirrors);

    void set_light(const OcclusionLight& light);
    /// Places the mirror. shape: of the mirror, must live until the next
    /// call for it or the end of the last update.
    void place(size_t mirror, const MirrorShape& shape, const std::array<double, 16>& orientation);
    /// Index of the frame; the same for frames in the same place.
    int32_t add_frame(const TargetFrame& frame);

    /// lit: all mirrors that are traced, each once. Marks in affected [num_mirrors] those of them
    /// whose light may meet a mirror that has been placed since the last update, before or after.
    /// Equal lists and records for any number of threads.
    void update(std::span<const LitMirror> lit, int num_threads, std::vector<uint8_t>& affected);

    /// Indices of a mirror's candidates in candidates(): shaders from `first` on, blockers from
    /// `first_blocker` on.
    struct Lists {
        int64_t first = 0;
        int64_t first_blocker = 0;
        int32_t num_shaders = 0;
        int32_t num_blockers = 0;
    };
    const Lists& lists(size_t mirror) const { return rooms_[mirror].fine; }

    const std::vector<kernels::Occluder>& occluders() const { return occluders_; }
    const std::vector<kernels::OccluderFacet>& facets() const { return facets_; }
    const std::vector<int32_t>& candidates() const { return candidates_; }

  private:
    struct Standing {
        const MirrorShape* shape = nullptr;
        size_t num_facets = 0;
        std::array<double, 16> orientation{};
        MirrorBox box;
        MirrorSphere sphere;
        MirrorSphere reach;  ///< sphere with some room, as the coarse lists know the mirror
    };
    /// Places in the pools of candidates that belong to one mirror.
    struct Room {
        int32_t frame = -1;  ///< -1: no lists yet
        int32_t num_coarse_shaders = 0;
        int32_t num_coarse_blockers = 0;
        Lists fine;
    };
    /// Both beams of a mirror's light.
    struct Beams {
        LightBeam to_sun;
        LightBeam reflected;
    };
    /// Coarse candidates found for some mirrors, before they have a place in the pools.
    struct Found;

    bool is_off() const { return !light_.shading && !light_.blocking; }
    Beams beams(size_t mirror) const;
    void lay_out_facets();
    void write_occluder(int32_t frame, size_t mirror);
    void write_moved(int num_threads);
    void mark_affected(std::span<const LitMirror> lit, std::vector<uint8_t>& affected) const;
    void make_coarse(std::span<const LitMirror> lit, int num_threads);
    void refine(size_t mirror);
    int32_t refine_list(const Standing& own,
                        const LightBeam& beam,
                        int64_t first,
                        int32_t count,
                        int32_t first_occluder);

    OcclusionLight light_;
    std::vector<Standing> mirrors_;
    std::vector<Room> rooms_;
    std::vector<TargetFrame> frames_;
    std::vector<int64_t> first_facet_;  ///< [num_mirrors + 1], within a frame
    std::vector<size_t> moved_;         ///< since the last update
    std::vector<uint8_t> is_moved_;
    bool facets_stale_ = true;
    bool lists_stale_ = true;
    NeighbourSearch search_{{}};

    std::vector<kernels::Occluder> occluders_;    ///< [frames, mirrors]
    std::vector<kernels::OccluderFacet> facets_;  ///< [frames, facets of all mirrors]
    std::vector<int32_t> coarse_;                 ///< mirrors
    std::vector<int32_t> candidates_;             ///< occluders; the same places as in coarse_
    int64_t unused_candidates_ = 0;               ///< places that no mirror owns any more
};

}  // namespace helioray::physical

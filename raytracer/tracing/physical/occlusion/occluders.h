// SPDX-License-Identifier: MIT
// All mirrors of a plant as occluders, with lists of the mirrors that may shade or block each
// other. Follows moving mirrors.
#pragma once

#include "kernels/core/trace_types.h"
#include "raytracer/tracing/geometry/frames.h"
#include "raytracer/tracing/physical/occlusion/mirror_shape.h"
#include "raytracer/tracing/physical/occlusion/neighbours.h"
#include "scenario/types/run_config.h"
#include "scenario/types/terrain.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace helioray::physical {

/// Returns the record of an obstacle in the frame of a target.
kernels::ObstacleRecord obstacle_record(const ObstacleConfig& obstacle, const TargetFrame& frame);

/// Light for which the lists of candidates are built.
struct OcclusionLight {
    bool shading = true;
    bool blocking = true;
    bool cull = true;        ///< false: every mirror is tested for every ray (reference)
    Vec3 sun_direction{};    ///< unit vector to the sun, ENU
    double sun_angle = 0.0;  ///< largest angle of a ray to the sun's centre, radians
    /// Largest angle between a reflected ray and the reflection of the sun's centre at the true
    /// normal, radians.
    double reflected_angle = 0.0;
};

/// A mirror whose light is traced, and the frame in which it is traced.
struct LitMirror {
    size_t mirror = 0;
    int32_t frame = 0;
    Vec3 aim{};  ///< point at which it aims, metres, ENU
};

/// Smallest difference in depth of a mirror's facets from which on they obstruct each other's light
/// automatically, metres. At 45 degrees of incidence such a step hides a strip of its own width.
inline constexpr double kSmallestStep = 5e-3;

/// Occluders of every mirror in every frame, and lists of the mirrors that may obstruct each
/// mirror's light. set_light(), place() and add_frame() record changes; update() recomputes
/// everything that depends on them.
///
/// Lists have two levels. Coarse lists contain all mirrors that may obstruct the light in any
/// orientation: they use spheres with some clearance around the mirrors, and are rebuilt if the
/// light changes or a mirror leaves its sphere. Fine lists, which the kernels read, contain the
/// mirrors whose box obstructs the light in its present orientation.
///
/// Hills are facets, too: for each mirror one upright wall towards the sun and one towards its aim
/// point, whose upper edge is the skyline of the terrain in that direction, as seen from the middle
/// of the mirror. A wall is level, and there is only one in each direction.
class Occlusion {
  public:
    /// Creates the occluders of num_mirrors mirrors. All mirrors must be placed before the first
    /// update. ground: null if there are no hills; own_facets: whether a mirror's facets obstruct
    /// each other's light.
    explicit Occlusion(size_t num_mirrors,
                       std::shared_ptr<const Terrain> ground = nullptr,
                       FacetOcclusion own_facets = FacetOcclusion::off);

    void set_light(const OcclusionLight& light);
    /// Sets the pose of a mirror. `shape` must exist until the next call for this mirror or the end
    /// of the last update.
    void place(size_t mirror, const MirrorShape& shape, const std::array<double, 16>& orientation);
    /// Returns the index of the frame. Frames at one place share an index.
    int32_t add_frame(const TargetFrame& frame);

    /// Updates records and lists. lit: all traced mirrors, each once. Sets in `affected`
    /// [num_mirrors] the entries of traced mirrors whose light may hit a mirror that was placed
    /// since the last update, at its previous or its present pose. Lists and records do not depend
    /// on the number of threads.
    void update(std::span<const LitMirror> lit, int num_threads, std::vector<uint8_t>& affected);

    /// Indices of a mirror's candidates in candidates(): shaders start at `first`, blockers at
    /// `first_blocker`.
    struct Lists {
        int64_t first = 0;
        int64_t first_blocker = 0;
        int32_t num_shaders = 0;
        int32_t num_blockers = 0;
    };
    const Lists& lists(size_t mirror) const { return slots_[mirror].fine; }

    const std::vector<kernels::Occluder>& occluders() const { return occluders_; }
    const std::vector<kernels::OccluderFacet>& facets() const { return facets_; }
    const std::vector<int32_t>& candidates() const { return candidates_; }
    /// Returns true if lists may contain the facets of the light's own mirror.
    bool has_own_facets() const { return has_own_facets_; }
    /// Returns the numbers of FieldView::occluder_outlines.
    const std::vector<float>& outlines() const { return outlines_; }

  private:
    struct Placement {
        const MirrorShape* shape = nullptr;
        size_t num_facets = 0;
        std::array<double, 16> orientation{};
        MirrorBox box;
        MirrorSphere sphere;
        MirrorSphere reach;  ///< sphere with clearance that the coarse lists use
        /// Offsets in outlines_ by facet; empty if all facets are rectangles.
        std::vector<int32_t> outlines;
    };
    /// Positions of one mirror's candidates in the pools.
    struct Slot {
        int32_t frame = -1;  ///< index of the frame; -1 if there are no lists yet
        int32_t num_coarse_shaders = 0;
        int32_t num_coarse_blockers = 0;
        Vec3 aim{};  ///< see LitMirror
        Lists fine;
    };
    /// Both beams of a mirror's light.
    struct Beams {
        LightBeam to_sun;
        LightBeam reflected;
    };
    /// Coarse candidates of some mirrors before they have a position in the pools.
    struct Found;

    bool is_off() const { return !light_.shading && !light_.blocking; }
    Beams beams(size_t mirror) const;
    void set_outlines(Placement& mirror);
    void lay_out_facets();
    void write_occluder(int32_t frame, size_t mirror);
    void write_moved(int num_threads);
    void mark_affected(std::span<const LitMirror> lit, std::vector<uint8_t>& affected) const;
    void make_coarse(std::span<const LitMirror> lit, int num_threads);
    void refine(size_t mirror);
    bool obstructs_itself(const Placement& mirror) const;
    /// Returns the number of a list's positions for a mirror's own facets and for hills.
    size_t num_own(const Placement& mirror) const;
    size_t num_walls() const;
    /// Returns the index of a mirror's first occluder in a frame.
    int64_t first_occluder(int32_t frame) const;
    /// Writes the wall of hills in a beam, of which points farther than `reach` (metres) do not
    /// count. Returns false if the light passes above all hills.
    bool write_wall(size_t mirror, size_t wall, const LightBeam& beam, double reach);
    int32_t refine_list(const Placement& own,
                        const LightBeam& beam,
                        int64_t first,
                        int32_t count,
                        int32_t* fine,
                        int32_t first_occluder) const;

    OcclusionLight light_;
    std::vector<Placement> mirrors_;
    std::vector<Slot> slots_;
    std::vector<TargetFrame> frames_;
    /// First facet of each mirror within a frame, [num_mirrors + 1].
    std::vector<int64_t> first_facet_;
    std::vector<size_t> moved_;  ///< mirrors placed since the last update
    std::vector<uint8_t> is_moved_;
    bool facets_stale_ = true;
    bool lists_stale_ = true;
    NeighbourSearch search_{{}};
    std::shared_ptr<const Terrain> ground_;
    FacetOcclusion own_facets_;
    bool has_own_facets_ = false;

    /// Two walls of each mirror if there are hills, then [frames, mirrors].
    std::vector<kernels::Occluder> occluders_;
    std::vector<kernels::OccluderFacet> facets_;  ///< walls, then [frames, facets of all mirrors]
    std::vector<int32_t> coarse_;                 ///< indices of mirrors
    /// Indices of occluders, at the same positions as in coarse_.
    std::vector<int32_t> candidates_;
    std::vector<float> outlines_{0.0f};  ///< different outlines after an element without meaning
    std::map<std::vector<float>, int32_t> known_outlines_;  ///< their offsets
    int64_t unused_candidates_ = 0;  ///< number of positions that no mirror uses any more
};

}  // namespace helioray::physical

// SPDX-License-Identifier: MIT
// Rules of receivers and their surfaces, for all sources of them.
#pragma once

#include "scenario/files/error.h"
#include "scenario/types/types.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// Place of a member ("use") of a target or receiver in messages; an empty member means the whole.
struct SurfacePlaces {
    /// Returns the place of a member of a target.
    std::function<std::string(const Target& target, const std::string& member)> target;
    /// Returns the place of a member of a receiver.
    std::function<std::string(const Receiver& receiver, const std::string& member)> receiver;
};

/// Makes the outlines of all targets counter-clockwise and returns every broken rule: names that
/// occur twice, unknown receivers, receivers without an absorbing surface, shields that stand
/// alone, outlines that are not convex, not on a plane or curved mirror or larger than it, and
/// surfaces of receivers that are the same as another one.
std::vector<Problem> check_receivers(std::vector<Target>& targets,
                                     const std::vector<Receiver>& receivers,
                                     const SurfacePlaces& places);

/// Returns the first mesh among the targets; null if there is none.
const MeshTarget* find_mesh(const std::vector<Target>& targets);

/// Returns the mesh of a target, if its triangles are known; null for other targets.
const MeshTarget* find_triangles(const Target& target);

/// Returns the indices of the targets that are surfaces of a receiver, in the order of their names.
std::vector<size_t> find_surfaces(const std::vector<Target>& targets, const std::string& receiver);

/// Returns the area of a surface, m2: that of its outline if it has one.
double surface_area(const Target& target);

/// Returns the absorbing surface, of `surfaces` (indices), whose default aim point faces `from`
/// (metres, ENU) best: the one with the largest cosine between its outward normal there and the
/// direction to `from`; of equal ones the first. No value if none absorbs.
std::optional<size_t> facing_surface(const std::vector<Target>& targets,
                                     const std::vector<size_t>& surfaces,
                                     const Vec3& from);

/// Returns the point that a heliostat at `from` (metres, ENU) aims at: the receiver's aim point, or
/// the default aim point of the absorbing surface that faces it.
Vec3 receiver_aim_point(const std::vector<Target>& targets,
                        const Receiver& receiver,
                        const Vec3& from);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// The rectangles of all heliostats of the field, aligned where they are active.
#pragma once

#include "raytracer/artist/alignment.h"
#include "raytracer/artist/field.h"
#include "raytracer/artist/rectangles.h"
#include "raytracer/artist/surface.h"

#include <vector>

namespace helioray::artist {

/// One rectangle per heliostat, group after group. Active heliostats have their aligned corners,
/// the others lie flat at their position. The geometry is fixed for the whole trace (P32).
/// @param alignments one per group, rows as in Group::samples
Rectangles field_rectangles(const Scenario& scenario,
                            const ArtistRun& run,
                            const std::vector<Group>& groups,
                            const std::vector<Alignment>& alignments,
                            SurfaceStore& surfaces);

}  // namespace helioray::artist

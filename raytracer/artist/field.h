// SPDX-License-Identifier: MIT
// Heliostat groups in ARTIST's order, and checks that ARTIST's model can trace a run.
#pragma once

#include "raytracer/artist/artist.h"
#include "scenario/files/error.h"
#include "scenario/types/types.h"

#include <string>
#include <vector>

namespace helioray::artist {

/// Heliostats with one kind of kinematics and actuators.
struct Group {
    std::string name;                ///< rigid_body_linear or rigid_body_ideal
    std::vector<size_t> heliostats;  ///< indices into the scenario, ascending (by name)
    std::vector<size_t> samples;     ///< active rows, as indices into ArtistRun::samples
    int64_t first_row = 0;           ///< index of the group's first row among all rows
};

/// Returns the groups in order of first appearance. The run's samples are sorted into them by
/// heliostat, then in the given order.
std::vector<Group> make_groups(const Scenario& scenario, const ArtistRun& run);

/// Returns the number of surface points per heliostat of a group: facets times points per facet.
int64_t num_points(const Scenario& scenario, const Group& group, const ArtistRun& run);

/// Returns the magnitude of every ray of a group: 1, or with DNI the watts of DNI * A / (points *
/// rays). A comes from the first facet of the group's first heliostat (P21), with norms across the
/// canting vectors (P19), four facets and 2 cm gaps (P20), without a cosine (P22).
double ray_magnitude(const Scenario& scenario,
                     const Group& group,
                     const ArtistRun& run,
                     int64_t rays_per_point);

/// Throws std::invalid_argument for indices and sizes out of range, and InputError listing
/// everything that the model cannot trace.
void check(const Scenario& scenario, const ArtistRun& run);

}  // namespace helioray::artist

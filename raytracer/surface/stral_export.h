// SPDX-License-Identifier: MIT
// Heliostats of a scenario as STRAL files.
#pragma once

#include "scenario/stral/stral_file.h"
#include "scenario/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Samples every facet at the middles of points x points equal cells of its parameters. What the
/// format has no place for (offsets and tilts of the kinematics but the mirror's own, drives) is
/// left out and named in `report`, when given. Power coefficients are the areas that points
/// stand for, square metres.
StralFile stral_from_heliostat(const Heliostat& heliostat,
                               int64_t points,
                               std::vector<std::string>* report = nullptr);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Converts heliostats of a scenario to STRAL files.
#pragma once

#include "scenario/import/stral/stral_file.h"
#include "scenario/types/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Samples every facet at the centres of points x points equal cells of its parameters. Data that
/// the format cannot hold (drives; offsets and tilts of the kinematics other than the mirror's own)
/// is omitted and listed in `report`, if given. Power coefficients are the surface areas of the
/// cells, m2.
StralFile stral_from_heliostat(const Heliostat& heliostat,
                               int64_t points,
                               std::vector<std::string>* report = nullptr);

}  // namespace helioray

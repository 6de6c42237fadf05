// SPDX-License-Identifier: MIT
// Measured mirror surfaces: points and normals per facet, as measured by deflectometry.
#pragma once

#include "scenario/reader/read_log.h"
#include "scenario/types/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Samples of one facet in the mirror frame of its heliostat, including canting and the facet's
/// translation.
struct MeasuredFacet {
    std::string where;          ///< file and group, for messages
    std::vector<Vec3> points;   ///< metres
    std::vector<Vec3> normals;  ///< unit vectors with a positive up component, one per point
};

/// All facets of a heliostat, in the order of its facets.
struct MeasuredSurface {
    std::vector<MeasuredFacet> facets;  ///< one entry per facet of the heliostat
};

/// Checks one facet's samples and normalises its normals: all numbers are finite, there are as many
/// normals as points, normals have about unit length and point up. Problems go to the log, each
/// once per facet with the first affected sample and their number. Returns true if there are none.
bool check_samples(MeasuredFacet& facet, ReadLog& log);

}  // namespace helioray

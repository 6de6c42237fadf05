// SPDX-License-Identifier: MIT
// Measured mirror surfaces: points and normals per facet, as deflectometry gives them.
#pragma once

#include "scenario/reader/read_log.h"
#include "scenario/types.h"

#include <string>
#include <vector>

namespace helioray {

/// Samples of one facet in the mirror frame of its heliostat; canting and the facet's place are
/// contained.
struct MeasuredFacet {
    std::string where;          ///< file and group, for messages
    std::vector<Vec3> points;   ///< metres
    std::vector<Vec3> normals;  ///< unit vectors with a positive up component, one per point
};

/// All facets of a heliostat, in the order of its facets.
struct MeasuredSurface {
    std::vector<MeasuredFacet> facets;  ///< as many as the heliostat has
};

/// Checks one facet's samples and normalises its normals: every number finite, as many normals as
/// points, normals of about unit length that point up. Problems go to the log, each once per
/// facet with the first sample concerned and how many there are. True when there is none.
bool check_samples(MeasuredFacet& facet, ReadLog& log);

}  // namespace helioray

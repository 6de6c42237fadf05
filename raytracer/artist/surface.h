// SPDX-License-Identifier: MIT
// Sampled mirror surfaces in the mirror frame, as ARTIST's loader makes them.
#pragma once

#include "raytracer/artist/bspline.h"
#include "scenario/types.h"

#include <array>
#include <map>

namespace helioray::artist {

/// Rotation [3, 3] of a facet from its canting vectors: columns e, n, u axis.
at::Tensor canting_rotation(const Vec3& canting_e, const Vec3& canting_n);

/// n equidistant parameters from 1e-7 to 1 - 1e-7.
std::vector<float> evaluation_grid(int64_t n);

/// Points and normals of all facets [facets * along_e * along_n, 4], ordered facet, east, north;
/// equidistant parameters, so that points crowd in the facets' middle (P5). Ideal surfaces (all
/// control point heights 0) are canted and translated, fitted ones contain both already.
SurfacePoints sample_surface(const Surface& surface,
                             const std::array<int64_t, 2>& points_per_facet);

/// Samples surfaces on demand and keeps those that several heliostats share.
class SurfaceStore {
  public:
    SurfaceStore(const Scenario& scenario, const std::array<int64_t, 2>& points_per_facet);

    SurfacePoints sample(size_t heliostat);

  private:
    const Scenario& scenario_;
    std::array<int64_t, 2> points_per_facet_;
    std::map<const Surface*, int64_t> num_users_;
    std::map<const Surface*, SurfacePoints> kept_;
};

}  // namespace helioray::artist

// SPDX-License-Identifier: MIT
// Areas, peak and centroid of the light on a mesh.
#pragma once

#include "raytracer/tracing/job/result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace helioray {

/// Returns the area of each pixel of the map of a mesh, m2: that of its triangle, 0 after the last
/// one. Empty for other targets, whose pixels have one area, and for a mesh without triangles.
std::vector<double> mesh_pixel_areas(const Target& target, int64_t num_pixels);

/// Sets the values of a mesh's map: what `density` returns for the sum of each pixel and for its
/// area in m2, zero for pixels without a triangle. areas: of mesh_pixel_areas(); the values of
/// other targets, which have none, stay.
template <typename Value, typename Density>
void set_mesh_values(const std::vector<double>& areas,
                     const int64_t* sums,
                     const Density& density,
                     std::vector<Value>& values) {
    for (std::size_t p = 0; p < areas.size(); ++p)
        values[p] = areas[p] > 0.0 ? static_cast<Value>(density(sums[p], areas[p])) : Value(0);
}

/// Returns the centre of each triangle in ENU, metres.
std::vector<Vec3> triangle_centres(const MeshTarget& mesh);

/// Sets peak, error, area, pixel and centroid_m like add_map_statistics() if the target is a mesh
/// with triangles. Returns false for others.
///
/// The peak is measured on patches of neighbouring triangles: the smallest ones whose mean flux at
/// the peak is known to a tenth. One half of the rays chooses the patch and the other half gives
/// its flux, and the other way round, so that noise does not raise the peak.
bool add_mesh_statistics(TargetResult& result);

}  // namespace helioray

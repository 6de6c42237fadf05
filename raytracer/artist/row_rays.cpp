// SPDX-License-Identifier: MIT
// The rays of one active heliostat: surface points, reflected directions, chunks of scattered rays.
#include "raytracer/artist/row_rays.h"

#include "raytracer/artist/transforms.h"

#include <algorithm>

namespace helioray::artist {
namespace {

// Rays per chunk: cache-sized on the CPU, enough work per launch on a GPU.
int64_t chunk_size(const at::Device& device) {
    return device.is_cpu() ? 1 << 17 : 1 << 22;
}

Components as_rows(const at::Tensor& vectors, at::Device device) {
    return split(vectors.to(device).unsqueeze(0));
}

}  // namespace

at::Tensor reflect(const at::Tensor& incident, const at::Tensor& normals) {
    return incident - 2 * (incident * normals).sum(1, true) * normals;
}

RowRays make_row_rays(const SurfacePoints& surface,
                      const at::Tensor& orientation,
                      const at::Tensor& incident,
                      at::Device device) {
    const at::Tensor points = surface.points.matmul(orientation.t());
    const at::Tensor normals = surface.normals.matmul(orientation.t());
    RowRays row;
    row.origins = as_rows(points, device);
    row.reflected = as_rows(reflect(incident, normals), device);
    return row;
}

void RowRays::for_each_chunk(DistortionStream& stream,
                             const std::function<void(const RayChunk&)>& body) const {
    const at::Device device = origins[0].device();
    const int64_t points = num_points();
    const int64_t step = std::max<int64_t>(1, chunk_size(device) / points);
    for (int64_t first = 0; first < rays_per_point; first += step) {
        const int64_t rays = std::min(step, rays_per_point - first);
        const at::Tensor angles =
            stream.take(rays * points * 2).reshape({rays, points, 2}).to(device);
        const at::Tensor up = angles.select(2, 0).contiguous();
        const at::Tensor east = angles.select(2, 1).contiguous();
        RayChunk chunk{origins, distort(reflected, east, up), {}};
        chunk.hits = intersect(*target, chunk.origins, chunk.directions, magnitude, width, height);
        body(chunk);
    }
}

}  // namespace helioray::artist

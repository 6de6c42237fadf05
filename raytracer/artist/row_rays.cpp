// SPDX-License-Identifier: MIT
// Rays of one active heliostat: surface points, reflected directions, chunks of scattered rays.
#include "raytracer/artist/row_rays.h"

#include "raytracer/artist/transforms.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace helioray::artist {
namespace {

// Returns the number of rays per chunk: cache-sized on the CPU, enough work per launch on a GPU. It
// affects the rounding of results on the CPU.
int64_t chunk_size(const at::Device& device) {
    return device.is_cpu() ? 1 << 15 : 1 << 22;
}

// Number of rays whose distortions are in memory at a time.
constexpr int64_t kGroupSize = 1 << 22;

/// Calls body(0) ... body(n - 1) in any order, with as many threads as ATen may use
/// (at::get_num_threads). Within a body ATen does not split its operations: vectorised functions
/// round differently at the ends of a piece, so pieces must not depend on the number of threads.
/// Rethrows the first exception of a body.
void for_each_index(int64_t n, const std::function<void(int64_t)>& body) {
    std::atomic<int64_t> next{0};
    std::exception_ptr error;
    std::mutex mutex;
    const auto work = [&] {
        const c10::ParallelGuard single_threaded(true);
        try {
            for (int64_t k = next++; k < n; k = next++) body(k);
        } catch (...) {
            next = n;
            const std::lock_guard lock(mutex);
            if (!error) error = std::current_exception();
        }
    };
    const int64_t num_helpers = std::min<int64_t>(at::get_num_threads(), n) - 1;
    {
        std::vector<std::jthread> helpers;
        for (int64_t k = 0; k < num_helpers; ++k) helpers.emplace_back(work);
        work();
    }
    if (error) std::rethrow_exception(error);
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
    const at::Tensor points = transformed(surface.points, orientation);
    const at::Tensor normals = transformed(surface.normals, orientation);
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
    const int64_t group = step * std::max<int64_t>(1, kGroupSize / (step * points));

    const auto trace = [&](const at::Tensor& distortions) {
        const at::Tensor angles = distortions.to(device);
        const at::Tensor up = angles.select(2, 0).contiguous();
        const at::Tensor east = angles.select(2, 1).contiguous();
        RayChunk chunk{origins, distort(reflected, east, up), {}};
        chunk.hits = intersect(*target, chunk.origins, chunk.directions, magnitude, width, height);
        body(chunk);
    };
    for (int64_t first = 0; first < rays_per_point; first += group) {
        const int64_t rays = std::min(group, rays_per_point - first);
        const at::Tensor angles = stream.take(rays * points * 2).reshape({rays, points, 2});
        const int64_t num_chunks = (rays + step - 1) / step;
        const auto trace_chunk = [&](int64_t k) {
            trace(angles.narrow(0, k * step, std::min(step, rays - k * step)));
        };
        if (device.is_cpu()) {
            for_each_index(num_chunks, trace_chunk);
        } else {
            for (int64_t k = 0; k < num_chunks; ++k) trace_chunk(k);
        }
    }
}

}  // namespace helioray::artist

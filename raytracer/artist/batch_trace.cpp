// SPDX-License-Identifier: MIT
// Traces batches of heliostats: selects the mirrors that block, then deposits every row's rays on
// its bitmap.
#include "raytracer/artist/batch_trace.h"

#include "raytracer/artist/blocking.h"
#include "raytracer/artist/targets.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <mutex>

namespace helioray::artist {
namespace {

ArtistRows intersection(ArtistRows a, ArtistRows b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}

int64_t count(const at::Tensor& flags) {
    return flags.sum().item<int64_t>();
}

}  // namespace

BatchTracer::BatchTracer(const Scenario& scenario,
                         const ArtistRun& run,
                         const std::vector<Group>& groups,
                         const std::vector<Alignment>& alignments,
                         SurfaceStore& surfaces,
                         int64_t rays_per_point,
                         at::Device device)
    : scenario_(scenario),
      run_(run),
      groups_(groups),
      alignments_(alignments),
      surfaces_(surfaces),
      rays_per_point_(rays_per_point),
      device_(device),
      rows_(run.rows.value_or(ArtistRows{0, static_cast<int64_t>(run.samples.size())})) {
    if (!scenario.light_sources.empty()) mean_ = scenario.light_sources.front().mean;
    sun_ = run.sun_shape ? *run.sun_shape
                         : std::get<GaussianShape>(scenario.light_sources.front().shape);
    if (!run.blocking || run.samples.empty()) return;
    rectangles_ = field_rectangles(scenario, run, groups, alignments, surfaces);
    tree_ = build_lbvh(rectangles_->corners);
}

RowRays BatchTracer::row_rays(size_t group, int64_t row) {
    const size_t s = groups_[group].samples[static_cast<size_t>(row)];
    const ArtistSample& sample = run_.samples[s];
    const Vec3& d = sample.incident_direction;
    const at::Tensor incident = at::tensor(
        {static_cast<float>(d[0]), static_cast<float>(d[1]), static_cast<float>(d[2]), 0.0F});
    RowRays rays = make_row_rays(surfaces_.sample(sample.heliostat),
                                 alignments_[group].orientation.select(0, row),
                                 incident,
                                 device_);
    rays.target = &scenario_.targets[sample.target];
    rays.rays_per_point = rays_per_point_;
    rays.magnitude = ray_magnitude(scenario_, groups_[group], run_, rays_per_point_);
    rays.width = run_.bitmap_width;
    rays.height = run_.bitmap_height;
    return rays;
}

std::vector<int64_t> BatchTracer::blockers_of_batch(size_t group,
                                                    ArtistRows batch,
                                                    DistortionStream stream) {
    if (!tree_) return {};
    const Group& g = groups_[group];
    std::vector<bool> marked(static_cast<size_t>(rectangles_->corners.size(0)), false);
    std::mutex mutex;
    const auto read_marks = [&] {
        const std::lock_guard lock(mutex);
        return marked;
    };
    const auto add_marks = [&](const std::vector<bool>& more) {
        const std::lock_guard lock(mutex);
        for (size_t k = 0; k < more.size(); ++k) marked[k] = marked[k] || more[k];
    };
    for (int64_t row = batch.begin; row < batch.end; ++row) {
        // A heliostat is exempt by its index within the group, although rectangles are numbered
        // over all groups (P35).
        const size_t heliostat = run_.samples[g.samples[static_cast<size_t>(row)]].heliostat;
        const auto place = std::find(g.heliostats.begin(), g.heliostats.end(), heliostat);
        const int64_t own = place - g.heliostats.begin();
        row_rays(group, row).for_each_chunk(stream, [&](const RayChunk& chunk) {
            // Chunks mark copies; the union of the marks is the result.
            std::vector<bool> mine = read_marks();
            mark_rectangles(
                *tree_, chunk.origins, chunk.directions, chunk.hits.distance, own, mine);
            add_marks(mine);
        });
    }
    std::vector<int64_t> blockers;
    for (size_t k = 0; k < marked.size(); ++k) {
        if (marked[k]) blockers.push_back(static_cast<int64_t>(k));
    }
    return blockers;
}

at::Tensor BatchTracer::trace_row(const RowRays& rays,
                                  const std::vector<int64_t>& blockers,
                                  DistortionStream& stream,
                                  double scale,
                                  ArtistRow& out) {
    at::Tensor bitmap = at::zeros({run_.bitmap_height, run_.bitmap_width},
                                  at::TensorOptions(at::kLong).device(device_));
    std::mutex mutex;
    rays.for_each_chunk(stream, [&](const RayChunk& chunk) {
        const int64_t num_rays = chunk.directions[0].numel();
        at::Tensor intensity = chunk.hits.intensity;
        const int64_t on_target = count(intensity.gt(0));
        int64_t unblocked = num_rays;
        if (!blockers.empty()) {
            const at::Tensor blocked =
                blocked_share(*rectangles_, blockers, chunk.origins, chunk.directions);
            unblocked = count(blocked.lt(1e-3));
            intensity = intensity * (1 - blocked);
        }
        intensity = intensity * (1 - run_.extinction) * run_.reflectivity;
        const int64_t intercepted = count(intensity.gt(0));
        const at::Tensor deposit = splat(
            chunk.hits.e, chunk.hits.u, intensity, run_.bitmap_width, run_.bitmap_height, scale);

        const std::lock_guard lock(mutex);
        out.rays += num_rays;
        out.rays_on_target += on_target;
        out.rays_unblocked += unblocked;
        out.rays_intercepted += intercepted;
        bitmap += deposit;
    });
    out.bitmap_sum = bitmap.sum().item<int64_t>();
    return bitmap;
}

bool BatchTracer::report(int64_t row, const at::Tensor& bitmap, const ArtistResult& result) {
    ++num_done_;
    if (run_.on_row) run_.on_row(row, result.rows[static_cast<size_t>(row)], bitmap.to(at::kCPU));
    return !run_.on_progress || run_.on_progress(num_done_, rows_.end - rows_.begin);
}

void BatchTracer::trace_group(size_t group, ArtistResult& result) {
    const Group& g = groups_[group];
    const auto num_rows = static_cast<int64_t>(g.samples.size());
    const int64_t row_values = rays_per_point_ * num_points(scenario_, g, run_) * 2;
    DistortionStream stream(run_.seed, num_rows * row_values, mean_, sun_.sigma);
    const ArtistRows wanted = {rows_.begin - g.first_row, rows_.end - g.first_row};
    for (int64_t first = 0; first < std::min(num_rows, wanted.end); first += run_.batch_size) {
        const ArtistRows batch = {first, std::min(first + run_.batch_size, num_rows)};
        const ArtistRows part = intersection(batch, wanted);
        if (part.begin >= part.end) {
            stream.skip((batch.end - batch.begin) * row_values);
            continue;
        }
        // The whole batch is filtered, even if only a part of it is traced (P38).
        const std::vector<int64_t> blockers = blockers_of_batch(group, batch, stream.fork());
        stream.skip((part.begin - batch.begin) * row_values);
        for (int64_t row = part.begin; row < part.end; ++row) {
            const int64_t index = g.first_row + row;
            ArtistRow& out = result.rows[static_cast<size_t>(index)];
            const at::Tensor bitmap =
                trace_row(row_rays(group, row), blockers, stream, result.scale, out);
            const size_t target = run_.samples[out.sample].target;
            result.sums.select(0, static_cast<int64_t>(target)).add_(bitmap);
            result.rays += out.rays;
            if (!report(index, bitmap, result)) {
                result.complete = num_done_ == rows_.end - rows_.begin;
                return;
            }
        }
        stream.skip((batch.end - part.end) * row_values);
    }
}

}  // namespace helioray::artist

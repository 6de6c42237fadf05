// SPDX-License-Identifier: MIT
// Traces batches of heliostats: selects the mirrors that block, then deposits every row's rays on
// its bitmap.
#pragma once

#include "raytracer/artist/blocking.h"
#include "raytracer/artist/row_rays.h"

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

namespace helioray::artist {

/// Traces the rows of ArtistRun::rows, group by group. The references must outlive this object.
class BatchTracer {
  public:
    BatchTracer(const Scenario& scenario,
                const ArtistRun& run,
                const std::vector<Group>& groups,
                const std::vector<Alignment>& alignments,
                SurfaceStore& surfaces,
                int64_t rays_per_point,
                at::Device device);

    /// Adds the group's rows to the result's sums and rows. Sets result.complete to false if the
    /// trace was stopped.
    void trace_group(size_t group, ArtistResult& result);

  private:
    RowRays row_rays(size_t group, int64_t row);
    std::vector<int64_t> blockers_of_batch(size_t group, ArtistRows batch, DistortionStream stream);
    at::Tensor trace_row(const RowRays& rays,
                         const std::vector<int64_t>& blockers,
                         DistortionStream& stream,
                         double scale,
                         ArtistRow& out);
    bool report(int64_t row, const at::Tensor& bitmap, const ArtistResult& result);

    const Scenario& scenario_;
    const ArtistRun& run_;
    const std::vector<Group>& groups_;
    const std::vector<Alignment>& alignments_;
    SurfaceStore& surfaces_;
    int64_t rays_per_point_;
    at::Device device_;
    ArtistRows rows_;  // rows to trace, over all groups
    int64_t num_done_ = 0;
    GaussianShape sun_;
    double mean_ = 0.0;
    std::optional<Rectangles> rectangles_;  // only set with blocking
    std::optional<Lbvh> tree_;
};

}  // namespace helioray::artist

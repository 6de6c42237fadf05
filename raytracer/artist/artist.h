// SPDX-License-Identifier: MIT
// Model "artist": ARTIST 2.0.0's ray tracing, including its quirks, in plain ATen (float32).
//
// This is a second, independent implementation beside the product's kernels; nothing of the product
// depends on it. Comments name the quirks of ARTIST that are reproduced on purpose: P1 ... P40.
#pragma once

#include "scenario/types/types.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// One active sample: a heliostat that lights a target under one sun. A heliostat may occur several
/// times (ARTIST's mask entries above 1), but not together with blocking (P31).
struct ArtistSample {
    size_t heliostat = 0;       ///< index into Scenario::heliostats
    size_t target = 0;          ///< index into Scenario::targets
    Vec3 incident_direction{};  ///< propagation direction of sunlight, unit length (tolerance 1e-4)
    /// Aim point, metres, ENU; not set: the target's default aim point.
    std::optional<Vec3> aim_point;
    /// Motor positions that replace aiming, steps (linear) or radians (ideal).
    std::optional<std::array<double, 2>> motor_positions;
};

/// Half-open range of rows.
struct ArtistRows {
    int64_t begin = 0;  ///< index of the first row
    int64_t end = 0;    ///< index past the last row
    bool operator==(const ArtistRows&) const = default;
};

struct ArtistRow;

/// Samples to trace and their settings; the defaults are ARTIST's.
struct ArtistRun {
    std::vector<ArtistSample> samples;  ///< samples in any order, see artist_row_order()
    /// Number of points along e and along n.
    std::array<int64_t, 2> surface_points_per_facet{50, 50};
    /// Rays per surface point; not set: that of the scenario's first light source.
    std::optional<int64_t> rays_per_point;
    std::optional<GaussianShape>
        sun_shape;  ///< sun shape; not set: the scenario's, which must be Gaussian (P18)
    /// Direct normal irradiance, W/m2: rays carry watts (P19-P22); not set: every ray has magnitude
    /// 1.
    std::optional<double> dni;
    double reflectivity = 0.935;  ///< factor of every ray, [0, 1]
    double extinction = 0.0;      ///< fraction of every ray that is lost between mirror and target
    int64_t bitmap_width = 256;   ///< width of the bitmap, pixels
    int64_t bitmap_height = 256;  ///< height of the bitmap, pixels
    int64_t batch_size = 100;     ///< rows per batch; results with blocking depend on it (P38)
    /// Seed of the random numbers of every group (P16); only the low 32 bits are used.
    uint64_t seed = 7;
    bool blocking = true;  ///< use ARTIST's soft blocking

    /// Rows to trace; all if not set. Alignment, random numbers and blocking always use all rows,
    /// so that any split of the rows gives the same contributions. With blocking, ranges that start
    /// and end with batches are cheapest.
    std::optional<ArtistRows> rows;

    /// Called after each traced row with its index and its bitmap: int64 [height, width], fixed
    /// point (ArtistResult::scale).
    std::function<void(int64_t row, const ArtistRow&, const at::Tensor& bitmap)> on_row;
    /// Called with the number of finished rows and of all rows of this call; false stops the trace
    /// after the row.
    std::function<bool(int64_t done, int64_t total)> on_progress;
};

/// Result of one row. Counts and sums are 0 if the row lies outside ArtistRun::rows.
struct ArtistRow {
    size_t sample = 0;                        ///< index into ArtistRun::samples
    std::string group;                        ///< rigid_body_linear or rigid_body_ideal
    std::array<double, 16> orientation{};     ///< 4 x 4 row-major: mirror frame to ENU
    std::array<double, 2> motor_positions{};  ///< motor positions, steps or radians
    /// Aim point, metres, ENU; the target's default if motor positions were given.
    Vec3 aim_point{};

    int64_t rays = 0;  ///< number of traced rays
    /// Rays with intensity > 0 before blocking; divided by `rays`: the on-target factor.
    int64_t rays_on_target = 0;
    /// Rays with blocked fraction < 1e-3; divided by `rays`: ARTIST's "blocking factor".
    int64_t rays_unblocked = 0;
    /// Rays with final intensity > 0; divided by `rays`: the intercept factor.
    int64_t rays_intercepted = 0;
    int64_t bitmap_sum = 0;  ///< sum over the row's bitmap, fixed point (ArtistResult::scale)
};

/// Sums over the traced rows. Everything that depends on rows is an integer, so the sums over ranks
/// of `sums`, the counts and `bitmap_sum` are exact and the same for every split of the rows.
struct ArtistResult {
    /// int64 [targets, height, width], CPU, fixed point: value = sum / scale, in ray magnitudes per
    /// pixel (unit "1") or, with dni, W per pixel. Targets in the scenario's order: planar ones
    /// first. Row 0 = top, column 0 = east edge.
    at::Tensor sums;
    double scale =
        1.0;  ///< power of two that depends only on scenario and run, not on ArtistRun::rows
    std::vector<ArtistRow> rows;        ///< all rows, in the order of artist_row_order
    int64_t rays = 0;                   ///< rays traced by this call
    bool complete = true;               ///< false if on_progress stopped the trace
    std::vector<std::string> warnings;  ///< warnings that ARTIST would print, naming heliostats
};

/// Returns the samples, as indices into ArtistRun::samples, in ARTIST's order of rows: groups in
/// the order in which their first heliostats appear in the scenario; within a group, heliostats by
/// name; several samples of one heliostat in the given order.
std::vector<size_t> artist_row_order(const Scenario& scenario, const ArtistRun& run);

/// Returns the batches of the whole run as row ranges. They are natural work units, since blocking
/// is computed for a batch as a whole (P38). A batch never contains rows of two groups.
std::vector<ArtistRows> artist_batches(const Scenario& scenario, const ArtistRun& run);

/// Traces `run.rows` of `run`. Computes in float32 on `device`; on the CPU with at::get_num_threads
/// threads, whose number does not affect the results. Random numbers always come from Torch's CPU
/// generator, so that all devices trace the same rays. Throws InputError (with every problem found)
/// for a scenario or samples that ARTIST could not trace: azimuth_elevation kinematics, facets
/// without control points, unequal facets within a group, inner cylinders, sun shapes other than
/// Gaussian; with blocking also repeated heliostats (P31), facet layouts other than 2 x 2 with
/// square grids (P33) and three or more mirrors in one cell of the blocking tree (P36). Throws
/// std::invalid_argument for indices or sizes out of range.
ArtistResult trace_artist(const Scenario& scenario,
                          const ArtistRun& run,
                          at::Device device = at::kCPU);

/// Returns float64 [targets, height, width] = sums / scale.
at::Tensor artist_bitmaps(const ArtistResult& result);

}  // namespace helioray

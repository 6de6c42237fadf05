// SPDX-License-Identifier: MIT
// Entry of model "artist": ARTIST 2.0.0's ray tracing, quirks included, in plain ATen (float32).
//
// An independent second implementation beside the product's kernels; nothing of the product depends
// on it. Where a quirk of ARTIST is reproduced on purpose, comments name it: P1 ... P40.
#pragma once

#include "scenario/types.h"

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace helioray {

/// One active sample: a heliostat that is to light a target under one sun. A heliostat may occur
/// several times (ARTIST's mask entries above 1), but not together with blocking (P31).
struct ArtistSample {
    size_t heliostat = 0;       ///< index into Scenario::heliostats
    size_t target = 0;          ///< index into Scenario::targets
    Vec3 incident_direction{};  ///< propagation direction of sunlight, unit length (tolerance 1e-4)
    std::optional<Vec3> aim_point;  ///< metres, ENU; nothing: the target's default aim point
    std::optional<std::array<double, 2>>
        motor_positions;  ///< instead of aiming; steps (linear) or radians (ideal)
};

/// Half-open range of rows.
struct ArtistRows {
    int64_t begin = 0;  ///< first row
    int64_t end = 0;    ///< past the last row
    bool operator==(const ArtistRows&) const = default;
};

struct ArtistRow;

/// Samples to trace and their settings; the defaults are ARTIST's.
struct ArtistRun {
    std::vector<ArtistSample> samples;  ///< in any order; see artist_row_order
    std::array<int64_t, 2> surface_points_per_facet{50, 50};  ///< along e, along n
    std::optional<int64_t> rays_per_point;  ///< nothing: the scenario's first light source
    std::optional<GaussianShape>
        sun_shape;  ///< nothing: the scenario's, which must be Gaussian (P18)
    std::optional<double>
        dni;  ///< W/m2: rays carry watts (P19-P22); nothing: every ray has magnitude 1
    double reflectivity = 0.935;  ///< factor of every ray, [0, 1]
    double extinction = 0.0;      ///< share of every ray that is lost on the way
    int64_t bitmap_width = 256;   ///< pixels
    int64_t bitmap_height = 256;  ///< pixels
    int64_t batch_size = 100;     ///< rows per batch; with blocking, results depend on it (P38)
    uint64_t seed = 7;            ///< of every group's random numbers (P16); the low 32 bits count
    bool blocking = true;         ///< ARTIST's soft blocking

    /// Rows to trace; nothing: all. Alignment, random numbers and blocking always see all rows, so
    /// that any split of the rows gives the same contributions. Cheapest with blocking: ranges that
    /// start and end with batches.
    std::optional<ArtistRows> rows;

    /// Called after each traced row with its index and its bitmap: int64 [height, width], fixed
    /// point (ArtistResult::scale).
    std::function<void(int64_t row, const ArtistRow&, const at::Tensor& bitmap)> on_row;
    /// Called with rows done and rows to do of this call; false stops the trace after the row.
    std::function<bool(int64_t done, int64_t total)> on_progress;
};

/// Outcome for one row. Counts and sums are 0 where the row lies outside ArtistRun::rows.
struct ArtistRow {
    size_t sample = 0;                        ///< index into ArtistRun::samples
    std::string group;                        ///< rigid_body_linear or rigid_body_ideal
    std::array<double, 16> orientation{};     ///< 4 x 4 row-major: mirror frame to ENU
    std::array<double, 2> motor_positions{};  ///< steps or radians
    Vec3 aim_point{};  ///< metres, ENU; the target's default where motor positions were given

    int64_t rays = 0;            ///< traced
    int64_t rays_on_target = 0;  ///< with intensity > 0 before blocking; / rays = on-target factor
    int64_t rays_unblocked = 0;  ///< with blocked share < 1e-3; / rays = ARTIST's "blocking factor"
    int64_t rays_intercepted = 0;  ///< with final intensity > 0; / rays = intercept factor
    int64_t bitmap_sum = 0;        ///< sum over the row's bitmap, fixed point (ArtistResult::scale)
};

/// Sums over the traced rows. Everything that depends on rows is an integer, so the sums over ranks
/// of `sums`, the counts and `bitmap_sum` are exact and the same for every split of the rows.
struct ArtistResult {
    /// int64 [targets, height, width], CPU, fixed point: value = sum / scale, in ray magnitudes per
    /// pixel (unit "1") or, with dni, W per pixel. Targets in the scenario's order: planar ones
    /// first. Row 0 = top, column 0 = east edge.
    at::Tensor sums;
    double scale =
        1.0;  ///< a power of two fixed by scenario and run alone, never by ArtistRun::rows
    std::vector<ArtistRow> rows;        ///< all rows, in the order of artist_row_order
    int64_t rays = 0;                   ///< traced by this call
    bool complete = true;               ///< false when on_progress stopped the trace
    std::vector<std::string> warnings;  ///< those that ARTIST would print, naming heliostats
};

/// Samples in ARTIST's order of rows: groups in the order in which their first heliostats appear in
/// the scenario, within a group heliostats by name, several samples of one heliostat in the given
/// order. Indices into ArtistRun::samples.
std::vector<size_t> artist_row_order(const Scenario& scenario, const ArtistRun& run);

/// The batches of the whole run as row ranges: natural work units, since a batch is filtered for
/// blocking as one (P38). A batch never crosses the border of two groups.
std::vector<ArtistRows> artist_batches(const Scenario& scenario, const ArtistRun& run);

/// Traces `run.rows` of `run`. Computes in float32 on `device`, on the CPU with at::get_num_threads
/// threads and results that do not depend on their number; random numbers always come from Torch's
/// CPU generator, so that devices trace the same rays. Throws InputError (every problem
/// found) for a scenario or samples that ARTIST could not trace: azimuth_elevation kinematics,
/// facets without control points, unequal facets within a group, inner cylinders, sun shapes other
/// than Gaussian; with blocking also repeated heliostats (P31), facet layouts other than 2 x 2 with
/// square grids (P33) and three or more mirrors in one cell of the blocking tree (P36). Throws
/// std::invalid_argument for indices or sizes out of range.
ArtistResult trace_artist(const Scenario& scenario,
                          const ArtistRun& run,
                          at::Device device = at::kCPU);

/// float64 [targets, height, width] = sums / scale.
at::Tensor artist_bitmaps(const ArtistResult& result);

}  // namespace helioray

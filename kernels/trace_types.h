// SPDX-License-Identifier: MIT
// Plain structs that describe a field to the ray-casting kernels, and what the kernels add up. No
// ownership, no Torch.
//
// Frames: each heliostat is traced in the frame of its target (origin at the target's centre;
// plane: x = right as seen by an observer facing the target's front, y = up in the plane, z =
// outward normal; cylinder: z = axis, y = sector normal, x = y cross z, hence to the observer's
// left). Frame changes are made in double before a trace, so that float32 rays carry distances to
// the target and not to the plant's origin.
#pragma once

#include <cstdint>

namespace helioray::kernels {

/// Rays that share one surface point (one warp; two AVX-512 vectors).
inline constexpr int kRaysPerPoint = 32;

enum class FacetKind : int32_t { bspline, flat, paraboloid, sphere };

/// One facet. Offsets index FieldView's float arrays.
struct FacetRecord {
    FacetKind kind;
    int32_t num_control_points[2];  ///< nu, nv (bspline)
    int32_t degrees[2];             ///< bspline
    int64_t control_points;         ///< offset of [nu, nv, 3] floats (bspline)
    int64_t sampling_tables;  ///< offset of the u table, then the v table: kSamplingTableSize + 1
                              ///< floats each
    float half_extent[2];     ///< metres, along the facet's own axes (analytic kinds)
    float focal_length;       ///< metres (paraboloid, sphere)
    float rotation[9];        ///< facet frame -> mirror frame, row-major
    float translation[3];     ///< metres
    float cumulative_area;    ///< end of this facet's share of the heliostat's area, (0, 1]; last
                              ///< facet exactly 1
    float area_fraction;      ///< this facet's share of the heliostat's area
    float area;               ///< square metres, true mirror area
};

/// Entries of a marginal inverse-area table: parameter as a piecewise linear function of a uniform
/// number.
inline constexpr int kSamplingTableSize = 64;

enum class TargetKind : int32_t { plane, cylinder };

/// One target in its own frame.
struct TargetRecord {
    TargetKind kind;
    float width;          ///< metres; cylinder: radius * opening_angle
    float height;         ///< metres
    float radius;         ///< metres (cylinder)
    float opening_angle;  ///< radians (cylinder), (0, 2 pi]
    int32_t inner_side;   ///< 1: the concave side of a cylinder is lit
};

/// One heliostat as seen from its target's frame.
struct HeliostatRecord {
    int32_t first_facet;
    int32_t num_facets;
    int32_t target;          ///< index of its TargetRecord
    uint32_t random_id;      ///< identifies its random stream: its index in the scenario
    float rotation[9];       ///< mirror frame -> target frame, row-major
    float translation[3];    ///< mirror origin in the target frame, metres
    float sun_direction[3];  ///< unit vector to the sun's centre, target frame
    float ray_power;         ///< quanta carried by one ray before the cosine (DNI * area / rays *
                             ///< quanta_per_watt)
};

/// Angular distribution about an axis, radians.
struct AngularShape {
    enum class Kind : int32_t { none, gaussian, pillbox };
    Kind kind;
    float width;  ///< gaussian: sigma per axis; pillbox: half angle
};

enum class SamplingKind : int32_t { random, sobol };
enum class FilterKind : int32_t { box, bilinear };

/// Everything a trace reads; pointers are host or device pointers of the backend that runs it.
struct FieldView {
    const HeliostatRecord* heliostats;  ///< [num_heliostats]
    const FacetRecord* facets;
    const TargetRecord* targets;  ///< [num_targets]
    const float* floats;          ///< control points and sampling tables
    int32_t num_heliostats;
    int32_t num_targets;
    AngularShape sun;
    AngularShape slope_error;  ///< of the surface normal
    float reflectivity;
    int32_t bitmap_width;   ///< pixels
    int32_t bitmap_height;  ///< pixels
    FilterKind filter;
    SamplingKind sampling;
    uint64_t seed;
    double square_scale;  ///< factor on squared differences (quanta^2) before they are rounded to
                          ///< int64
};

/// Rays [first_ray, first_ray + num_rays) of one heliostat in one half of a work unit.
///
/// The rays of a heliostat are divided into blocks of equal size; blocks 2k and 2k+1 form pair k.
/// Each block is an independent randomisation, so that the difference of the two halves of a pair
/// estimates the variance of their sum.
struct WorkUnit {
    int32_t first_heliostat;  ///< heliostats [first, first + num), all with the same target
    int32_t num_heliostats;
    int32_t target;
    int32_t pair;            ///< which pair of blocks of each of these heliostats
    int64_t rays_per_block;  ///< rays of each block; blocks start at ray block * rays_per_block
};

/// Sums per heliostat, in quanta. What is not listed follows by subtraction from the solar power.
enum EnergySum : int32_t {
    kIncidentSum,    ///< after the cosine at the mirror
    kUnshadedSum,    ///< that reach the mirror
    kReflectedSum,   ///< after the reflectivity
    kUnblockedSum,   ///< that leave the field
    kDeliveredSum,   ///< deposited on the target
    kAttenuatedSum,  ///< lost to the air on the way to the target
    kNumEnergySums
};

/// Where a trace adds up; int64, zeroed by the caller.
struct SumsView {
    int64_t* flux;            ///< [num_targets, bitmap_height, bitmap_width] quanta
    int64_t* flux_square;     ///< same shape, square_scale * quanta^2
    int64_t* energy;          ///< [num_heliostats, kNumEnergySums] quanta
    int64_t* power_square;    ///< [num_heliostats] square_scale * quanta^2 of kDeliveredSum
    int64_t* heliostat_flux;  ///< [num_heliostats, bitmap_height, bitmap_width] quanta, or null
};

}  // namespace helioray::kernels

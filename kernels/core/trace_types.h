// SPDX-License-Identifier: MIT
// Plain structs that describe a field to the ray-casting kernels, and what the kernels and their
// backward pass add up. No ownership, no Torch.
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

/// Shape of a facet: a B-spline, or one of the analytic kinds, which need no control points.
enum class FacetKind : int32_t { bspline, flat, paraboloid, sphere };

/// One facet. Offsets index FieldView's float arrays.
struct FacetRecord {
    FacetKind kind;                 ///< which of the members below count
    int32_t num_control_points[2];  ///< nu, nv (bspline)
    int32_t degrees[2];             ///< along u, along v, 1 to 7 (bspline)
    int64_t control_points;         ///< offset of [nu, nv, 3] floats (bspline)
    int64_t sampling_tables;  ///< offset of the u table, then the v table: kSamplingTableSize + 1
                              ///< floats each (bspline)
    float half_extent[2];     ///< metres, half extents along the facet's own axes (analytic kinds)
    float focal_length;       ///< metres (paraboloid, sphere)
    float rotation[9];        ///< facet frame -> mirror frame, row-major
    float translation[3];     ///< metres, facet's origin in the mirror frame
    float cumulative_area;    ///< end of this facet's share of the heliostat's area, (0, 1]; last
                              ///< facet exactly 1
    float area;               ///< square metres, true mirror area
};

/// Entries of a marginal inverse-area table: parameter as a piecewise linear function of a uniform
/// number.
inline constexpr int kSamplingTableSize = 64;

/// A window that reflected rays must pass through; target frame.
struct ApertureRecord {
    /// none: all light may pass.
    enum class Kind : int32_t { none, disc, rectangle };
    Kind kind;        ///< shape of the window
    float center[3];  ///< metres
    float normal[3];  ///< unit, towards the heliostats
    /// In-plane unit vectors divided by radius or half extents. With x and y the products of p -
    /// center with them, p is inside where |x| and |y| <= 1, for a disc where x^2 + y^2 <= 1.
    float axis_x[3];
    float axis_y[3];
};

/// Shape of a target's surface, and the side of it that is lit.
enum class TargetKind : int32_t { plane = 0, cylinder_outside = 1, cylinder_inside = 2, disc = 3 };

/// One target in its own frame.
struct TargetRecord {
    TargetKind kind;      ///< which of the members below count
    float width;          ///< metres; cylinder: radius * opening_angle
    float height;         ///< metres; cylinder: along the axis
    float radius;         ///< metres (cylinder, disc)
    float opening_angle;  ///< radians (cylinder), (0, 2 pi]
    int32_t num_edges;    ///< of a convex outline (plane), 0: the whole rectangle
    int64_t edges;  ///< offset of [num_edges, 3] floats a, b, c: inside is a across + b up <= c
    ApertureRecord aperture;  ///< in front of it
};

/// One heliostat as seen from its target's frame.
struct HeliostatRecord {
    int32_t first_facet;     ///< index into FieldView::facets
    int32_t num_facets;      ///< at least 1
    int32_t target;          ///< index of its TargetRecord
    uint32_t random_id;      ///< identifies its random stream: its index in the scenario
    float rotation[9];       ///< mirror frame -> target frame, row-major
    float translation[3];    ///< mirror origin in the target frame, metres
    float sun_direction[3];  ///< unit vector to the sun's centre, target frame
    float ray_power;         ///< quanta carried by one ray before the cosine (DNI * area / rays *
                             ///< quanta_per_watt)
    int32_t num_shaders;     ///< occluders that may be between it and the sun
    int32_t num_blockers;    ///< occluders that may be between it and its target
    int64_t first_shader;    ///< offset into FieldView::candidates
    int64_t first_blocker;   ///< offset into FieldView::candidates
};

/// A mirror facet as others' light meets it, from either side; target frame. A point of it is
/// center + x X + y Y + (b0 x^2 + b1 x y + b2 y^2) normal with |x|, |y| <= 1 and X, Y the half
/// extents as vectors.
struct OccluderFacet {
    float center[3];   ///< metres
    float normal[3];   ///< unit
    float axis_x[3];   ///< X / |X|^2
    float axis_y[3];   ///< Y / |Y|^2
    float bending[3];  ///< metres
    float radius;      ///< metres, of a sphere about the centre that holds it
};

/// All facets of one heliostat with a sphere around them; target frame.
struct Occluder {
    float center[3];      ///< metres
    float radius;         ///< metres
    int32_t first_facet;  ///< index into FieldView::occluder_facets
    int32_t num_facets;   ///< from there on
};

/// A body that shades and blocks: box, or cylinder about its z axis; target frame.
struct ObstacleRecord {
    /// A cylinder is closed at both ends.
    enum class Kind : int32_t { box, cylinder };
    Kind kind;        ///< shape of the body
    float center[3];  ///< metres
    float axes[9];    ///< rows: unit vectors x, y, z divided by half extents (cylinder: by radius,
                      ///< radius, half height)
};

/// Knots of either part of a tabulated distribution, less 1.
inline constexpr int kRadialTableSize = 512;

/// Angular distribution about an axis, radians.
struct AngularShape {
    /// none: no angle at all. Sun shapes without a formula here come as tables.
    enum class Kind : int32_t { none, gaussian, pillbox, table };
    Kind kind;           ///< which of the members below count
    float width;         ///< gaussian: sigma per axis; pillbox: half angle
    float split = 0.0f;  ///< table: share of the power in its first part, (0, 1)
    /// table: offset of the knots of theta^2 (rad^2) in FieldView::floats: kRadialTableSize + 1
    /// over [0, split], then as many over [split, 1]; piecewise linear
    int64_t table = 0;
};

/// Transmittance over the slant range d in kilometres: c[0] + c[1] d + ... + c[4] d^4 up to
/// limit_km, far_scale * exp(-far_rate d) beyond.
struct AirRecord {
    int32_t is_clear;       ///< 1: transmittance 1 everywhere
    float coefficients[5];  ///< c[0] to c[4], per km^i
    float limit_km;         ///< where the polynomial ends
    float far_scale;        ///< of the exponential, which holds only beyond the limit
    float far_rate;         ///< per km
};

/// Where rays get their random numbers: independent ones, or a Sobol sequence per block, shifted at
/// random.
enum class SamplingKind : int32_t { random, sobol };
/// How a ray's power falls on the bitmap: into one pixel, or over four by its distance from their
/// centres.
enum class FilterKind : int32_t { box, bilinear };

/// How many elements the arrays of a FieldView have that no other count of it gives; debug builds
/// compare indices with them.
struct FieldSizes {
    int64_t facets;           ///< of FieldView::facets
    int64_t floats;           ///< of FieldView::floats
    int64_t occluders;        ///< of FieldView::occluders
    int64_t occluder_facets;  ///< of FieldView::occluder_facets
    int64_t candidates;       ///< of FieldView::candidates
};

/// Everything a trace reads; pointers are host or device pointers of the backend that runs it.
struct FieldView {
    const HeliostatRecord* heliostats;     ///< [num_heliostats]
    const FacetRecord* facets;             ///< heliostat by heliostat; shared mirrors once
    const TargetRecord* targets;           ///< [num_targets]
    const float* floats;                   ///< control points, sampling tables, outlines
    const Occluder* occluders;             ///< see Occluder; `candidates` lead here
    const OccluderFacet* occluder_facets;  ///< `occluders` lead here
    const int32_t* candidates;             ///< occluders of heliostats, see HeliostatRecord
    const ObstacleRecord* obstacles;       ///< [num_targets, num_obstacles]
    int32_t num_heliostats;                ///< active ones
    int32_t num_targets;                   ///< records, bitmaps and frames
    int32_t num_obstacles;                 ///< in each target's frame
    AngularShape sun;                      ///< about the direction to its centre
    AngularShape slope_error;              ///< of the surface normal
    AngularShape specularity_error;        ///< of the reflected ray
    float reflectivity;                    ///< share of the power, [0, 1]
    AirRecord air;                         ///< between mirror and target
    int32_t shading;                       ///< 1: light may be lost on its way to the mirror
    int32_t blocking;                      ///< 1: light may be lost on its way to the target
    float shading_tangent;   ///< of the largest angle between a ray from the sun and its centre
    float blocking_tangent;  ///< of the largest angle between a reflected ray and that of the sun's
                             ///< centre at the true normal; infinite: no limit
    int32_t bitmap_width;    ///< pixels
    int32_t bitmap_height;   ///< pixels
    FilterKind filter;       ///< of the flux bitmaps
    SamplingKind sampling;   ///< of mirror points, sun and errors
    uint64_t seed;           ///< all random numbers are a function of it
    double square_scale;  ///< factor on squared differences (quanta^2) before they are rounded to
                          ///< int64
    FieldSizes sizes;     ///< of its arrays
};

/// Rays [first_ray, first_ray + num_rays) of one heliostat in one half of a work unit.
///
/// The rays of a heliostat are divided into blocks of equal size; blocks 2k and 2k+1 form pair k.
/// Each block is an independent randomisation, so that the difference of the two halves of a pair
/// estimates the variance of their sum.
struct WorkUnit {
    int32_t first_heliostat;  ///< heliostats [first, first + num), all with the same target
    int32_t num_heliostats;   ///< at least 1
    int32_t target;           ///< index into FieldView::targets
    int32_t pair;             ///< which pair of blocks of each of these heliostats
    int64_t rays_per_block;   ///< rays of each block; blocks start at ray block * rays_per_block
};

/// Sums per heliostat, in quanta. The other terms follow by subtraction from the solar power.
enum EnergySum : int32_t {
    kIncidentSum,    ///< after the cosine at the mirror
    kUnshadedSum,    ///< that reach the mirror
    kReflectedSum,   ///< after the reflectivity
    kUnblockedSum,   ///< that leave the field
    kDeliveredSum,   ///< deposited on the target
    kAttenuatedSum,  ///< lost to the air on the way to the target
    kNumEnergySums   ///< how many numbers a heliostat has
};

/// Where a trace adds up; int64, zeroed by the caller.
struct SumsView {
    int64_t* flux;            ///< [num_targets, bitmap_height, bitmap_width] quanta
    int64_t* flux_square;     ///< same shape, square_scale * quanta^2, or null (CPU only)
    int64_t* energy;          ///< [num_heliostats, kNumEnergySums] quanta
    int64_t* power_square;    ///< [num_heliostats] square_scale * quanta^2 of kDeliveredSum
    int64_t* heliostat_flux;  ///< [num_heliostats, bitmap_height, bitmap_width] quanta, or null
};

/// Where the sums of a field stand in one vector of int64, so that it can lie anywhere: on the
/// host, or in the memory of a device.
struct SumsPlaces {
    int64_t flux;            ///< offsets of what SumsView points to
    int64_t flux_square;     ///< "; -1: no squares (CPU only)
    int64_t energy;          ///< "
    int64_t power_square;    ///< "
    int64_t heliostat_flux;  ///< -1: no maps of single heliostats
    int64_t size;            ///< of the whole vector

    bool operator==(const SumsPlaces&) const = default;
    /// Pointers into such a vector.
    SumsView view(int64_t* sums) const {
        return {sums + flux,
                flux_square < 0 ? nullptr : sums + flux_square,
                sums + energy,
                sums + power_square,
                heliostat_flux < 0 ? nullptr : sums + heliostat_flux};
    }
};

/// Derivatives per heliostat, in the frame of its target and the units of HeliostatRecord.
enum HeliostatGradient : int32_t {
    kRotationGradient = 0,       ///< 9, row-major
    kTranslationGradient = 9,    ///< 3, per metre
    kSunDirectionGradient = 12,  ///< 3; for changes across the direction, which stays a unit vector
    kSunWidthGradient = 15,      ///< per radian of FieldView::sun.width; 0 for tables
    kSlopeWidthGradient = 16,    ///< per radian of FieldView::slope_error.width
    kSpecularityWidthGradient = 17,  ///< per radian of FieldView::specularity_error.width
    kValueGradient = 18,  ///< sum of quanta * gradient: times 1/x the derivative with respect to
                          ///< anything that all power is proportional to (DNI, reflectivity)
    kNumHeliostatGradients = 19  ///< how many numbers a heliostat has
};

/// Factors that make derivatives integers, so that sums are exact and the same for every number of
/// threads and ranks.
struct GradientScale {
    double heliostat[kNumHeliostatGradients];  ///< of each HeliostatGradient, a power of two
    double floats;                             ///< of every control point's coordinates, likewise
};

/// Where a backward pass adds up; int64, zeroed by the caller, in units of 1 / scale.
struct GradientSums {
    int64_t* heliostats;  ///< [num_heliostats, kNumHeliostatGradients]
    int64_t* floats;      ///< as FieldView::floats; written where control points are
};

}  // namespace helioray::kernels

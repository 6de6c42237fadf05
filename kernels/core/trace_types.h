// SPDX-License-Identifier: MIT
// Plain structs that describe a field to the ray-casting kernels, and the sums of the kernels and
// their backward pass. No ownership, no Torch.
//
// Frames: each heliostat is traced in the frame of its target (origin at the target's centre;
// plane: x = right as seen by an observer facing the target's front, y = up in the plane, z =
// outward normal; cylinder: z = axis, y = sector normal, x = y cross z, hence to the observer's
// left; surfaces of receivers: all in one frame along east, north and up). Frames are changed in
// double precision before a trace, so that the float32 numbers of rays are distances to the target
// and not to the plant's origin.
#pragma once

#include <cstdint>

namespace helioray::kernels {

/// Number of rays that share one surface point (one warp; two AVX-512 vectors).
inline constexpr int kRaysPerPoint = 32;

/// Shape of a facet: a B-spline, or an analytic kind without control points.
enum class FacetKind : int32_t { bspline, flat, paraboloid, sphere };

/// Outline of a facet within the rectangle of its half extents: the whole rectangle, the ellipse
/// that fills it (with an elliptic hole or without), or a convex polygon.
enum class FacetOutline : int32_t { rectangle, ellipse, polygon };

/// One facet. Offsets are indices of FieldView::floats.
struct FacetRecord {
    FacetKind kind;                 ///< kind, which determines the valid members
    int32_t num_control_points[2];  ///< nu, nv (bspline)
    int32_t degrees[2];             ///< along u, along v, 1 to 7 (bspline)
    int64_t control_points;         ///< offset of [nu, nv, 3] floats (bspline)
    int64_t sampling_tables;  ///< offset of the u table, then the v table: kSamplingTableSize + 1
                              ///< floats each (bspline)
    float half_extent[2];     ///< metres, half extents along the facet's own axes (analytic kinds)
    float focal_length;       ///< metres (paraboloid, sphere)
    float rotation[9];        ///< facet frame -> mirror frame, row-major
    float translation[3];     ///< metres, facet's origin in the mirror frame
    /// End of this facet's part of the cumulative fraction of area, (0, 1]; exactly 1 for the last
    /// facet.
    float cumulative_area;
    float area;              ///< true mirror area, m2
    FacetOutline outline;    ///< outline, which determines the validity of the following members
    float outline_fraction;  ///< area of the outline divided by that of the rectangle, in the plane
    float hole;              ///< semi-axes of the hole in those of the ellipse, [0, 1)
    int32_t num_triangles;   ///< triangles from one point of the polygon to each of its sides
    /// Offset of the point, 2 floats, and 5 floats for each triangle: end of its part of the
    /// cumulative fraction of the polygon's area, and the corners of the side. In half extents.
    int64_t triangles;
};

/// Number of intervals of a marginal inverse-area table, which gives a parameter as a piecewise
/// linear function of a uniform number.
inline constexpr int kSamplingTableSize = 64;

/// A window that reflected rays must pass through; target frame.
struct ApertureRecord {
    /// Shape of the window; none: all light passes.
    enum class Kind : int32_t { none, disc, rectangle };
    Kind kind;        ///< shape of the window
    float center[3];  ///< metres
    float normal[3];  ///< unit, towards the heliostats
    /// @{
    /// In-plane unit vectors divided by radius or half extents. With x and y the products of p -
    /// center with them, p is inside if |x| and |y| <= 1, for a disc if x^2 + y^2 <= 1.
    float axis_x[3];
    float axis_y[3];
    /// @}
};

/// Shape of a target's surface, and the lit side of cylinders. Kinds from `annulus` on occur only
/// as surfaces of receivers.
enum class TargetKind : int32_t {
    plane = 0,             ///< rectangle
    cylinder_outside = 1,  ///< sector of a cylinder, lit from outside
    cylinder_inside = 2,   ///< sector of a cylinder, lit from inside
    disc = 3,              ///< whole disc
    annulus = 4,           ///< sector of a ring or disc
    cone = 5,              ///< sector of a frustum, see TargetRecord::lit_inside
    sphere = 6,            ///< part of a sphere between two latitudes, see TargetRecord::lit_inside
    mesh = 7,              ///< triangles, see MeshRecord
    quadric = 8,           ///< paraboloid, hyperboloid or ellipsoid, see TargetRecord::lit_inside
    concentrator = 9       ///< compound parabolic concentrator: round, or one of its flat sides
};

/// Number of coefficients of the polynomial of a map, see TargetRecord::map.
inline constexpr int kMapTerms = 8;

/// One target in its own frame.
struct TargetRecord {
    TargetKind kind;      ///< kind, which determines the valid members
    float width;          ///< metres, of the map; cylinder: radius * opening_angle
    float height;         ///< metres, of the map; cylinder: along the axis
    float radius;         ///< metres (not plane); the larger one of two
    float opening_angle;  ///< radians (not plane, disc), (0, 2 pi]
    int32_t num_edges;    ///< edges of a convex outline (plane, quadric); 0: the whole surface
    /// Offset of [num_edges, 3] floats a, b, c: inside is a across + b up <= c, with coordinates to
    /// the right and up divided by width and height; those of a quadric are across its axis.
    int64_t edges;
    ApertureRecord aperture;  ///< window in front of the target
    /// 1: a surface of a receiver. Its heliostats' rays meet the nearest of FieldView::surfaces,
    /// and its frame is the one that all surfaces share.
    int32_t in_receiver;
    float inner_radius;      ///< metres (annulus), 0: no hole
    float bottom_radius;     ///< metres (cone)
    float top_radius;        ///< metres (cone)
    float bottom;            ///< height of the lower rim along the axis, metres (cone, sphere)
    float top;               ///< height of the upper rim along the axis, metres (cone, sphere)
    int32_t lit_inside;      ///< 1: the concave side is lit, 0: the convex one (cone, sphere)
    int32_t mesh;            ///< index into FieldView::meshes (mesh)
    float curvature_radius;  ///< radius of curvature at the vertex, metres (quadric)
    float conic_constant;    ///< -1: paraboloid (quadric)
    float exit_radius;       ///< radius of the exit, metres (concentrator)
    float sine;              ///< sine of the half angle of acceptance (concentrator)
    float cosine;            ///< cosine of this angle (concentrator)
    float side_tangent;      ///< tangent of half the angle of a flat side (concentrator), 0: round
    float map[kMapTerms];    ///< coefficients of a polynomial for the map (quadric, concentrator)
};

/// Number of intervals of a table of absorptance by angle of incidence: piecewise linear in
/// tan(angle / 2), from 0 to 1.
inline constexpr int kAbsorptanceTableSize = 1024;

/// Absorption and reflection at the front of a surface. All members are floats, so that lanes with
/// different surfaces can gather them.
struct SurfaceOptics {
    float absorptance;  ///< absorbed fraction at every angle if there is no table, [0, 1]
    float table;        ///< number of its table, see FieldView::absorptance_tables; -1: no table
    float specular_fraction;  ///< part of the reflected light that is specular; the rest is diffuse
    float bounces;  ///< light is reflected here if it was reflected fewer times before; a count
    float is_mirror = 0.0f;    ///< 1: absorbed light is a loss (kMirrorLossSum), 0: it counts
    float slope_width = 0.0f;  ///< standard deviation of the normal about each tangent, radians
};

/// A surface of a receiver in the frame that all surfaces share. Both sides are opaque.
struct SurfaceRecord {
    TargetRecord shape;    ///< kind, sizes and outline; no aperture
    float rotation[9];     ///< shared frame -> the surface's own frame, row-major
    float origin[3];       ///< origin of its own frame in the shared frame, metres
    float radius;          ///< radius of a sphere about the origin that contains it, metres
    int32_t target;        ///< index of its map
    int32_t is_absorber;   ///< 1: light on its front counts as power on the target; 0: a shield
    SurfaceOptics optics;  ///< optics of an absorber's front
    int32_t shades;        ///< 1: the surface keeps sunlight from mirrors that aim at receivers
};

/// Number of intervals of the table of reflectivity by incidence angle.
inline constexpr int kIncidenceTableSize = 512;

/// Optical properties of the mirror of one heliostat.
struct MirrorOptics {
    float reflectivity;       ///< reflected fraction of the power, [0, 1]
    float slope_width;        ///< AngularShape::width of its slope error, radians
    float specularity_width;  ///< AngularShape::width of its specularity error, radians
};

/// One heliostat in the frame of its target.
struct HeliostatRecord {
    int32_t first_facet;  ///< index into FieldView::facets
    int32_t num_facets;   ///< at least 1
    int32_t target;       ///< index of its TargetRecord
    /// Identifier of the random stream: index of the heliostat in the scenario.
    uint32_t random_id;
    float rotation[9];       ///< mirror frame -> target frame, row-major
    float translation[3];    ///< mirror origin in the target frame, metres
    float sun_direction[3];  ///< unit vector to the sun's centre, target frame
    float ray_power;         ///< quanta carried by one ray before the cosine (DNI * area / rays *
                             ///< quanta_per_watt)
    MirrorOptics optics;     ///< reflectivity and widths of the errors
    int32_t num_shaders;     ///< number of occluders that may be between heliostat and sun
    int32_t num_blockers;    ///< number of occluders that may be between heliostat and target
    int64_t first_shader;    ///< offset into FieldView::candidates
    int64_t first_blocker;   ///< offset into FieldView::candidates
};

/// A mirror facet that light of other mirrors may hit, from either side; target frame. Its points
/// are center + x X + y Y + (b0 x^2 + b1 x y + b2 y^2) normal with |x|, |y| <= 1, where X and Y are
/// the half extents as vectors.
struct OccluderFacet {
    float center[3];   ///< metres
    float normal[3];   ///< unit
    float axis_x[3];   ///< X / |X|^2
    float axis_y[3];   ///< Y / |Y|^2
    float bending[3];  ///< coefficients b0, b1, b2, metres
    float radius;      ///< radius of a sphere about the centre that contains the facet, metres
    /// Offset into FieldView::occluder_outlines of the part of the parallelogram that obstructs
    /// light; 0: all of it.
    int32_t outline;
};

/// All facets of one heliostat with a sphere around them; target frame.
struct Occluder {
    float center[3];      ///< metres
    float radius;         ///< metres
    int32_t first_facet;  ///< index into FieldView::occluder_facets
    int32_t num_facets;   ///< number of consecutive facets
};

/// A body that shades and blocks: box, or cylinder or truncated cone about its z axis; target
/// frame.
struct ObstacleRecord {
    /// Cylinders and cones are closed at both ends.
    enum class Kind : int32_t { box, cylinder, cone };
    Kind kind;        ///< shape of the body
    float center[3];  ///< metres
    float axes[9];    ///< rows: unit vectors x, y, z divided by half extents (cylinder: by radius,
                      ///< radius, half height; cone: by the radius at half its height instead)
    /// Cone: change of the radius from the middle to the upper end, divided by the radius in the
    /// middle, [-1, 1]; 0 for other bodies.
    float taper;
};

/// Number of intervals in either part of a tabulated distribution.
inline constexpr int kRadialTableSize = 512;

/// Angular distribution about an axis, radians.
struct AngularShape {
    /// Kind of the distribution; none: no deviation. Sun shapes without a closed form are given as
    /// tables.
    enum class Kind : int32_t { none, gaussian, pillbox, table };
    Kind kind;           ///< kind, which determines the valid members
    float width;         ///< gaussian: sigma per axis; pillbox: half angle
    float split = 0.0f;  ///< table: fraction of the power in its first part, (0, 1)
    /// For `table`, offset of the knots of theta^2 (rad^2) in FieldView::floats: kRadialTableSize +
    /// 1 over [0, split], then as many over [split, 1]; piecewise linear.
    int64_t table = 0;
};

/// Transmittance over the slant range d in kilometres: c[0] + c[1] d + ... + c[4] d^4 up to
/// limit_km, far_scale * exp(-far_rate d) beyond.
struct AirRecord {
    int32_t is_clear;       ///< 1: transmittance 1 everywhere
    float coefficients[5];  ///< c[0] to c[4], per km^i
    float limit_km;         ///< end of the polynomial's range
    float far_scale;        ///< factor of the exponential, which is valid only beyond the limit
    float far_rate;         ///< per km
};

/// Source of random numbers: independent numbers, or a randomly shifted Sobol sequence per block.
enum class SamplingKind : int32_t { random, sobol };
/// Deposition of a ray's power on the bitmap: into one pixel, or over four by distance from their
/// centres.
enum class FilterKind : int32_t { box, bilinear };

/// Number of elements of the arrays of a FieldView that is not given by its other members; debug
/// builds check indices against them.
struct FieldSizes {
    int64_t facets;                 ///< number of elements of FieldView::facets
    int64_t floats;                 ///< number of elements of FieldView::floats
    int64_t occluders;              ///< number of elements of FieldView::occluders
    int64_t occluder_facets;        ///< number of elements of FieldView::occluder_facets
    int64_t candidates;             ///< number of elements of FieldView::candidates
    int64_t occluder_outlines = 0;  ///< number of elements of FieldView::occluder_outlines
    int64_t meshes = 0;             ///< number of elements of FieldView::meshes
};

struct MeshRecord;
class SurfaceTables;
class ReflectingTables;

/// All input of a trace; pointers are host or device pointers of the backend that runs it.
struct FieldView {
    const HeliostatRecord* heliostats;     ///< [num_heliostats]
    const FacetRecord* facets;             ///< facets, heliostat by heliostat; shared mirrors once
    const TargetRecord* targets;           ///< [num_targets]
    const float* floats;                   ///< control points, sampling tables, outlines
    const Occluder* occluders;             ///< occluders, to which `candidates` refer
    const OccluderFacet* occluder_facets;  ///< facets, to which `occluders` refer
    const int32_t* candidates;        ///< indices of occluders of heliostats, see HeliostatRecord
    const ObstacleRecord* obstacles;  ///< [num_targets, num_obstacles]
    const SurfaceRecord* surfaces;    ///< surfaces of all receivers, [num_surfaces]
    int32_t num_heliostats;           ///< number of active heliostats
    int32_t num_targets;              ///< number of targets, bitmaps and frames
    int32_t num_obstacles;            ///< number of obstacles in each target's frame
    int32_t num_surfaces;             ///< number of surfaces of receivers
    AngularShape sun;                 ///< distribution about the direction to the sun's centre
    /// @{
    /// Distributions of the surface normal and of the reflected ray. Their widths are the largest
    /// ones of the field; rays use those of their heliostat.
    AngularShape slope_error;
    AngularShape specularity_error;
    /// @}
    AirRecord air;     ///< air between mirror and target
    int32_t shading;   ///< 1: light may be obstructed on its way to the mirror
    int32_t blocking;  ///< 1: light may be obstructed on its way to the target
    /// Tangent of the largest angle between a ray from the sun and the sun's centre.
    float shading_tangent;
    /// Tangent of the largest angle between a reflected ray and the reflection of the sun's centre
    /// at the true normal; infinite: no limit.
    float blocking_tangent;
    int32_t bitmap_width;   ///< pixels
    int32_t bitmap_height;  ///< pixels
    FilterKind filter;      ///< filter of the flux bitmaps
    SamplingKind sampling;  ///< sampling of mirror points, sun and errors
    uint64_t seed;          ///< seed that determines all random numbers
    /// Factor of squared differences (quanta^2) before they are rounded to int64.
    double square_scale;
    FieldSizes sizes;  ///< sizes of the arrays
    /// Outlines of occluders: number of sides, 0 for an ellipse; square of OccluderFacet's x and y
    /// on the rim of an ellipse's hole; a, b, c of each side, inside is a x + b y <= c. The first
    /// element is not used.
    const float* occluder_outlines;
    int32_t has_incidence_table;  ///< 1: the reflectivity depends on the angle of incidence
    /// Offset of the factor of the reflectivity in `floats`: kIncidenceTableSize + 1 values at
    /// equal steps of sqrt(1 - c) with the cosine of incidence c, piecewise linear.
    int64_t incidence_table;
    /// 1: the fronts of surfaces absorb as their optics say, and each surface has a second map, of
    /// the incident light; 0: they absorb everything.
    int32_t reflects;
    /// Number of rays, at most 32, whose reflected light one of them carries on.
    int32_t rays_per_carrier;
    /// Offset in FieldView::floats of the tables of absorptance, kAbsorptanceTableSize + 1 floats
    /// each.
    int64_t absorptance_tables;
    /// 1: candidates may contain the facets of the light's own mirror, of which the one where the
    /// light leaves does not count; 0: they contain those of other mirrors only.
    int32_t own_facets;
    const MeshRecord* meshes;      ///< triangles of the surfaces that are meshes; null: none is one
    int32_t has_shading_surfaces;  ///< 1: a surface of a receiver has SurfaceRecord::shades
    const SurfaceTables* surface_tables;        ///< tables of the surfaces; only on CUDA devices
    const ReflectingTables* reflecting_tables;  ///< more of them, if these reflect
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
    int32_t pair;             ///< index of the pair of blocks of each of these heliostats
    int64_t rays_per_block;   ///< rays of each block; blocks start at ray block * rays_per_block
};

/// Sums per heliostat, in quanta. The other energy terms are computed by subtraction from the solar
/// power.
enum EnergySum : int32_t {
    kIncidentSum,    ///< after the cosine at the mirror
    kUnshadedSum,    ///< not shaded, at the mirror
    kReflectedSum,   ///< after the reflectivity
    kUnblockedSum,   ///< not blocked
    kDeliveredSum,   ///< deposited on the target
    kAttenuatedSum,  ///< lost to the air on the way to the target
    kNumEnergySums   ///< number of sums per heliostat
};

/// Sums per heliostat of light that surfaces of receivers have reflected, in quanta. They are
/// losses; light that is absorbed after reflections is part of kDeliveredSum.
enum ReflectedSum : int32_t {
    kEscapedSum,          ///< meets no other surface
    kReflectedShieldSum,  ///< meets a shield or the back of a surface
    kBounceLimitSum,      ///< was not followed, because of the limit of reflections
    kMirrorLossSum,       ///< was absorbed by mirrors among the surfaces
    kNumReflectedSums     ///< number of sums per heliostat
};

/// Destination of the sums of a trace; int64, zeroed by the caller.
struct SumsView {
    /// [num_targets, bitmap_height, bitmap_width] quanta: absorbed light, or all light on targets
    /// without SurfaceOptics. If FieldView::reflects is 1, the maps of incident light on all
    /// surfaces follow, [num_surfaces, bitmap_height, bitmap_width].
    int64_t* flux;
    int64_t* flux_square;     ///< same shape, square_scale * quanta^2, or null (CPU only)
    int64_t* energy;          ///< [num_heliostats, kNumEnergySums] quanta
    int64_t* power_square;    ///< [num_heliostats] square_scale * quanta^2 of kDeliveredSum
    int64_t* heliostat_flux;  ///< [num_heliostats, bitmap_height, bitmap_width] quanta, or null
    /// Shape of flux: quanta of the first halves of all units minus those of their second halves,
    /// or null. Its noise has the covariance of that of the flux. Requires flux_square.
    int64_t* flux_difference = nullptr;
    /// [number of maps] square_scale * quanta^2 of the power on each surface of a receiver, or
    /// null.
    int64_t* surface_square = nullptr;
    /// [num_heliostats] quanta that first meet a shield or the back of a surface, or null.
    int64_t* shielded = nullptr;
    int64_t* reflected = nullptr;  ///< [num_heliostats, kNumReflectedSums] quanta, or null
};

/// Derivatives per heliostat, in the frame of its target and the units of HeliostatRecord.
enum HeliostatGradient : int32_t {
    kRotationGradient = 0,     ///< 9, row-major
    kTranslationGradient = 9,  ///< 3, per metre
    /// 3, for changes perpendicular to the direction, which remains a unit vector
    kSunDirectionGradient = 12,
    kSunWidthGradient = 15,          ///< per radian of FieldView::sun.width; 0 for tables
    kSlopeWidthGradient = 16,        ///< per radian of MirrorOptics::slope_width
    kSpecularityWidthGradient = 17,  ///< per radian of MirrorOptics::specularity_width
    /// Sum of quanta * gradient: divided by x, this is the derivative with respect to any x to
    /// which all power is proportional (DNI, reflectivity).
    kValueGradient = 18,
    kNumHeliostatGradients = 19  ///< number of derivatives per heliostat
};

/// Factors that convert derivatives to integers, so that sums are exact and equal for every number
/// of threads and ranks.
struct GradientScale {
    double heliostat[kNumHeliostatGradients];  ///< factor of each HeliostatGradient, a power of two
    double floats;  ///< factor of every coordinate of control points, a power of two
};

/// Destination of the sums of a backward pass; int64, zeroed by the caller, in units of 1 / scale.
struct GradientSums {
    int64_t* heliostats;  ///< [num_heliostats, kNumHeliostatGradients]
    int64_t* floats;      ///< in the order of FieldView::floats; written at control points only
};

}  // namespace helioray::kernels

// SPDX-License-Identifier: MIT
// The parts of a scenario: plant, targets, light sources, heliostats. Plain data, which is checked
// when it is read.
//
// Conventions in the whole library: SI units and radians; the world frame is local east, north, up
// (right handed, origin at the plant position). The mirror frame of a heliostat has its facets in
// the east-north plane and the mirror normal up. A bitmap is [height, width]: row 0 is the top
// edge, column 0 the left edge as seen by an observer in front of the target and facing it.
#pragma once

#include "scenario/types/facet_outline.h"
#include "scenario/types/gauss_sum_shape.h"
#include "scenario/types/range.h"
#include "scenario/types/surface_absorption.h"
#include "scenario/types/targets/annular_target.h"
#include "scenario/types/targets/concentrator_target.h"
#include "scenario/types/targets/conical_target.h"
#include "scenario/types/targets/cylinder_target.h"
#include "scenario/types/targets/disc_target.h"
#include "scenario/types/targets/mesh_target.h"
#include "scenario/types/targets/outline.h"
#include "scenario/types/targets/plane_target.h"
#include "scenario/types/targets/quadric_target.h"
#include "scenario/types/targets/spherical_target.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helioray {

/// WGS84 position, usually of the plant: the origin of the east-north-up frame.
struct GeodeticPosition {
    double latitude_deg = 0.0;   ///< geodetic, north positive
    double longitude_deg = 0.0;  ///< east positive
    double altitude_m = 0.0;     ///< height above the ellipsoid, as in the data
    bool operator==(const GeodeticPosition&) const = default;
};

/// Shapes of targets. Each is defined in a separate header with all its properties; other code uses
/// visitors.
using TargetShape = std::variant<PlanarTarget,
                                 CylindricalTarget,
                                 DiscTarget,
                                 AnnularTarget,
                                 ConicalTarget,
                                 SphericalTarget,
                                 MeshTarget,
                                 QuadricTarget,
                                 ConcentratorTarget>;

/// Calls function(shape) with a shape of default size for every alternative of TargetShape, in
/// their order.
template <typename Function, size_t kIndex = 0>
void for_each_target_shape(const Function& function) {
    if constexpr (kIndex < std::variant_size_v<TargetShape>) {
        function(std::variant_alternative_t<kIndex, TargetShape>{});
        for_each_target_shape<Function, kIndex + 1>(function);
    }
}

/// Use of the light that meets the front of a receiver's surface.
enum class SurfaceUse {
    absorber,  ///< counts as power on the target
    shield,    ///< is lost, as it heats a part that is not meant to absorb it
    mirror     ///< is reflected to other surfaces; what the mirror absorbs is lost
};

/// A named surface that receives light: alone, as if no other target existed, or as a surface of a
/// receiver, whose light it shares with the surfaces of all receivers.
struct Target {
    std::string name;      ///< unique name in the scenario
    TargetShape geometry;  ///< shape and position
    /// Name of the receiver that this is a surface of; empty: the target stands alone.
    std::string receiver = {};
    SurfaceUse use = SurfaceUse::absorber;  ///< always absorber if the target stands alone
    /// Convex outline that restricts a plane or a mirror that is a quadric, metres [right, up] from
    /// its centre for an observer who faces its front, counter-clockwise; across the axis of a
    /// quadric. Empty: the whole surface.
    Outline outline = {};
    /// Absorption at the front of an absorbing surface of a receiver, or of a mirror. Not set: all
    /// light on it counts, and nothing is reflected.
    std::optional<SurfaceAbsorption> absorption = {};
    bool operator==(const Target&) const = default;
};

/// A group of surfaces of which every ray meets the nearest one: a polygon of panels, a cavity, a
/// billboard with heat shields. Its surfaces are the targets with its name in Target::receiver.
/// Their backs are opaque.
struct Receiver {
    std::string name;  ///< unique among receivers and targets
    /// Aim point of heliostats that aim at the receiver, metres, ENU: for example the centre of a
    /// cavity's aperture. Not set: that of the absorbing surface that faces the heliostat.
    std::optional<Vec3> aim_point = {};
    bool operator==(const Receiver&) const = default;
};
/// Name of the group of receivers in scenario and result files.
inline constexpr const char* kReceiverGroup = "receivers";

/// Returns true if the target lies in a plane.
bool is_flat(const Target& target);

/// Returns the extent of a target's (unrolled) surface, metres: width, height. The width of a
/// cylinder is radius * opening angle.
std::array<double, 2> surface_extent(const Target& target);

/// Returns the default aim point of a target: the centre of a flat one; for a cylinder, centre +
/// radius * normal; for other shapes the middle of the unrolled surface.
Vec3 default_aim_point(const Target& target);

/// Returns the default aim point for a heliostat at `from` (metres, ENU).
Vec3 default_aim_point(const Target& target, const Vec3& from);

/// A normal distribution about each axis.
struct GaussianShape {
    double sigma = 0.0;  ///< standard deviation per axis, radians
    bool operator==(const GaussianShape&) const = default;
    static constexpr const char* kName = "normal";  ///< name in scenario files
};
/// Constant radiance up to an angle.
struct PillboxShape {
    double half_angle = 0.0;  ///< half angle of the cone, radians: the disc's angular radius
    bool operator==(const PillboxShape&) const = default;
    static constexpr const char* kName = "pillbox";  ///< name in scenario files
};
/// Computation of the parameter of Buie's radiance formula from the circumsolar ratio: exact, or
/// with the polynomials of two other programs for comparisons.
enum class BuieCalibration { exact, tonatiuh, tracer };
/// Range of circumsolar ratios for which Buie, Monger and Dey (2003) fitted their sun; 0 is a disc
/// without aureole.
inline constexpr Range kCircumsolarRatios{
    0.0, 0.8, false, false, "Buie's formulas hold only for these circumsolar ratios"};
/// Buie's sun: disc and circumsolar region.
struct BuieShape {
    double csr = 0.0;  ///< circumsolar ratio, kCircumsolarRatios
    BuieCalibration calibration = BuieCalibration::exact;  ///< computation of the parameter
    bool operator==(const BuieShape&) const = default;
    static constexpr const char* kName = "buie";  ///< name in scenario files
};
/// The solar disc, darker towards its rim.
struct LimbDarkenedShape {
    bool operator==(const LimbDarkenedShape&) const = default;
    static constexpr const char* kName = "limb_darkened";  ///< name in scenario files
};
/// All light from one direction.
struct CollimatedShape {
    bool operator==(const CollimatedShape&) const = default;
    static constexpr const char* kName = "collimated";  ///< name in scenario files
};
/// Range of widths and edges of suns, radians: small-angle approximations are not valid beyond a
/// tenth.
inline constexpr Range kSunWidths{
    0.0, 0.1, true, false, "a sun has a small positive width, 0.1 rad at most"};
/// Radiance from a table of angles.
struct TableShape {
    std::vector<double> angle;     ///< radians, ascending from 0, the last in kSunWidths
    std::vector<double> radiance;  ///< relative radiance, one per angle
    bool operator==(const TableShape&) const = default;
    static constexpr const char* kName = "table";  ///< name in scenario files
};
/// Angular distribution of the sun's radiance about the direction to its centre.
using SunShape = std::variant<GaussianShape,
                              PillboxShape,
                              BuieShape,
                              LimbDarkenedShape,
                              CollimatedShape,
                              TableShape,
                              GaussSumShape>;

/// The sun of a scenario.
struct LightSource {
    std::string name;             ///< unique name in the scenario
    int64_t number_of_rays = 10;  ///< rays per surface point; used by model "artist" only
    double mean = 0.0;            ///< mean of both angles, radians; used by model "artist" only
    SunShape shape;  ///< ARTIST's "normal" with covariance c is a GaussianShape with sigma sqrt(c)
    bool operator==(const LightSource&) const = default;
};

/// Formula of a facet's height above its rectangle: a B-spline (ARTIST's NURBS with weights 1), 0,
/// or that of a paraboloid of revolution or a sphere with the facet's focal length.
enum class FacetShape { bspline, flat, paraboloid, sphere };

/// One mirror facet. Its frame: e along canting_e, centre at the translation.
struct Facet {
    std::string name;                        ///< unique name on the mirror
    FacetShape shape = FacetShape::bspline;  ///< shape, which determines the valid members
    /// B-spline control points [nu, nv, 3] in row-major order, metres; first index along east; in
    /// the mirror frame if the surface is_fitted(), otherwise in the facet's own frame. Empty for
    /// other shapes.
    std::vector<double> control_points;
    std::array<int64_t, 2> num_control_points{0, 0};  ///< nu, nv (bspline)
    std::array<int64_t, 2> degrees{3, 3};             ///< along u (east), v (north) (bspline)
    double focal_length =
        0.0;  ///< focal length of paraboloid and sphere, metres (sphere radius = 2 focal_length)
    Vec3 translation{};  ///< facet centre in the mirror frame, metres
    /// Half-extent vector along the facet's e edge, tilted by the canting, metres.
    Vec3 canting_e{};
    /// Half-extent vector along the facet's n edge, tilted by the canting, metres.
    Vec3 canting_n{};
    /// Standard deviations of the slopes along e and n of a reconstructed surface, radians:
    /// [kDeviationsAlongEdge, kDeviationsAlongEdge, 2] at the centres of equal cells of the facet,
    /// first index along east. Empty if they are unknown; they do not affect any light.
    std::vector<double> slope_deviation;
    /// Number of cells of slope_deviation per edge.
    static constexpr int64_t kDeviationsAlongEdge = 8;
    FacetOutline outline = {};  ///< part of the rectangle of the half extents that is a mirror
    bool operator==(const Facet&) const = default;
};

/// Range of the temperature of the air, degrees Celsius.
inline constexpr Range kTemperatures{
    -100.0, 100.0, false, false, "it is a temperature of the air in degrees Celsius"};

/// The quantity with which the shape of a mirror changes.
enum class BendingAxis {
    elevation,    ///< elevation of the mirror's normal above the horizon, radians
    temperature,  ///< temperature of the air, degrees Celsius
};

/// The facets of a mirror at one value of its bending axis.
struct BentFacets {
    double at = 0.0;            ///< value on the axis Surface::bending_axis, in its unit
    std::vector<Facet> facets;  ///< facets with the names, shapes and sizes of Surface::facets
    bool operator==(const BentFacets&) const = default;
};

/// The mirror of a heliostat with its facets.
struct Surface {
    std::vector<Facet> facets;  ///< facets ordered by name like HDF5 links
    /// Facets by elevation or temperature, ascending, of a mirror whose shape changes with it; see
    /// surface_at(). Empty for a rigid mirror. Otherwise only descriptions use `facets`.
    std::vector<BentFacets> bent = {};
    BendingAxis bending_axis = BendingAxis::elevation;  ///< axis of `bent`
    bool operator==(const Surface&) const = default;

    /// Returns true if the shape of the mirror changes.
    bool is_bent() const { return !bent.empty(); }
    /// Returns true if the shape of the mirror changes with this quantity.
    bool is_bent_by(BendingAxis axis) const { return is_bent() && bending_axis == axis; }
    /// Returns true if any B-spline control point has a height other than 0. Then (ARTIST's
    /// convention) the control points of all facets already contain canting and translation;
    /// otherwise both are applied when the surface is evaluated.
    bool is_fitted() const;
};

/// Two tilted, displaced joints, axis 1 about east and axis 2 about up (ARTIST's), or azimuth and
/// elevation of the normal about a pivot at the heliostat's position.
enum class KinematicsType { rigid_body, azimuth_elevation };

/// Offsets and tilts of the two-joint kinematics from its ideal geometry; see RigidBody for the
/// formula. Azimuth-elevation kinematics only have the concentrator's translation.
struct KinematicsDeviations {
    /// @{
    /// Translations, metres: from the heliostat's position to the first joint, from there to the
    /// second, and from there to the mirror's origin. Each turns with the preceding joints. They
    /// are given along east, north and up for angles of 0 and a mirror that faces south. For
    /// azimuth-elevation kinematics the last one is along the mirror's own axes.
    Vec3 first_joint_translation{};
    Vec3 second_joint_translation{};
    Vec3 concentrator_translation{};
    /// @}

    /// @{
    /// Tilts, radians: turns of the first joint's axis about north and up, and of the second's
    /// about east and north.
    double first_joint_tilt_n = 0.0;
    double first_joint_tilt_u = 0.0;
    double second_joint_tilt_e = 0.0;
    double second_joint_tilt_n = 0.0;
    /// @}

    bool operator==(const KinematicsDeviations&) const = default;
};

/// Kinematics of a heliostat: type and deviations.
struct Kinematics {
    KinematicsType type = KinematicsType::rigid_body;  ///< meaning of the two axes
    Vec3 initial_orientation{0, -1, 0};  ///< stored, but not used by any computation (as in ARTIST)
    KinematicsDeviations deviations;     ///< deviations from the ideal geometry
    bool operator==(const Kinematics&) const = default;
};

/// Type of a drive: a spindle that closes a triangle with its lever (motor positions are steps), or
/// a drive whose motor position is the joint's angle in radians.
enum class ActuatorType { linear, ideal };

/// Drive of one axis; see joint_angle_from_motor_position() for the formula. The numbers are those
/// of the file (pi/2 is not yet subtracted for axis 1).
struct Actuator {
    std::string name;                         ///< name of the group in the file
    ActuatorType type = ActuatorType::ideal;  ///< unit of the motor positions
    bool clockwise = false;  ///< the joint's angle decreases as the stroke grows; linear only
    double min_motor_position = 0.0;  ///< steps (linear) or radians (ideal)
    double max_motor_position = 0.0;  ///< steps (linear) or radians (ideal)
    double increment = 0.0;  ///< steps per metre of stroke; linear only, like all following members
    double initial_stroke_length = 0.0;  ///< stroke at motor position 0, metres
    double offset = 0.0;         ///< distance from the joint to the pivot of the drive, metres
    double pivot_radius = 0.0;   ///< distance from the joint to the end of its lever, metres
    double initial_angle = 0.0;  ///< angle of the joint at motor position 0, radians
    bool operator==(const Actuator&) const = default;
};

/// Drives of axis 1 and axis 2.
using ActuatorPair = std::array<Actuator, 2>;

/// Components shared by heliostats without separate ones.
struct Prototypes {
    /// @{
    /// Component; null only in scenarios that were not read from a file, for which
    /// write_scenario() uses that of the first heliostat.
    std::shared_ptr<const Surface> surface;
    std::shared_ptr<const Kinematics> kinematics;
    std::shared_ptr<const ActuatorPair> actuators;
    /// @}
};

/// One heliostat. Components are never null; if a pointer equals the prototype's, the heliostat
/// uses the prototype.
struct Heliostat {
    std::string name;  ///< unique name in the scenario
    int64_t id = 0;    ///< id in the file, not used by any computation
    Vec3 position{};   ///< position of the pivot, before the kinematics' translations, metres, ENU
    std::shared_ptr<const Surface> surface;         ///< mirror
    std::shared_ptr<const Kinematics> kinematics;   ///< kinematics of the mirror
    std::shared_ptr<const ActuatorPair> actuators;  ///< drives of both axes
};

/// A complete plant: the content of a scenario file. Not modified after loading.
struct Scenario {
    double version = 1.0;                    ///< version of ARTIST's file format
    GeodeticPosition position;               ///< position of the plant
    std::vector<Target> targets;             ///< targets by shape as in TargetShape, then by name
    std::vector<Receiver> receivers;         ///< receivers of several surfaces, by name
    std::vector<LightSource> light_sources;  ///< light sources by name; the first one is used
    Prototypes prototypes;                   ///< components for heliostats without separate ones
    std::vector<Heliostat> heliostats;       ///< heliostats by name (byte-wise)
    std::vector<std::string> warnings;       ///< remarks of the reader for users

    /// @{
    /// Returns the index of a target, receiver or heliostat by name; no value if there is none.
    std::optional<size_t> find_target(const std::string& name) const;
    std::optional<size_t> find_receiver(const std::string& name) const;
    std::optional<size_t> find_heliostat(const std::string& name) const;
    /// @}
};

/// Compares scenarios deeply, through the component pointers.
bool equal(const Scenario& a, const Scenario& b);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// The parts of a scenario: plant, targets, light sources, heliostats. Plain data, checked where
// it is read.
//
// Conventions, valid in the whole library: SI units and radians; the world frame is local east,
// north, up (right handed, origin at the plant position). The mirror frame of a heliostat has its
// facets in the east-north plane and the mirror normal up. A bitmap is [height, width]: row 0 is
// the top edge, column 0 the left edge as seen by an observer in front of the target and facing it.
#pragma once

#include "scenario/cylinder_target.h"
#include "scenario/disc_target.h"
#include "scenario/gauss_sum_shape.h"
#include "scenario/plane_target.h"
#include "scenario/range.h"
#include "scenario/vector_math.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace helioray {

/// WGS84 position, mostly of the plant: the origin of the east-north-up frame.
struct GeodeticPosition {
    double latitude_deg = 0.0;   ///< geodetic, north positive
    double longitude_deg = 0.0;  ///< east positive
    double altitude_m = 0.0;     ///< above the ellipsoid, as the data has it
    bool operator==(const GeodeticPosition&) const = default;
};

/// The shapes of targets. Each has a header of its own with all that is particular to it; the rest
/// of the program visits.
using TargetShape = std::variant<PlanarTarget, CylindricalTarget, DiscTarget>;

/// Calls function(shape) with a shape of default size for every alternative of TargetShape, in
/// their order.
template <typename Function, size_t kIndex = 0>
void for_each_target_shape(const Function& function) {
    if constexpr (kIndex < std::variant_size_v<TargetShape>) {
        function(std::variant_alternative_t<kIndex, TargetShape>{});
        for_each_target_shape<Function, kIndex + 1>(function);
    }
}

/// A surface that receives light, by its name.
struct Target {
    std::string name;      ///< unique in its scenario
    TargetShape geometry;  ///< with its place
    bool operator==(const Target&) const = default;
};

/// Whether the target lies in a plane.
bool is_flat(const Target& target);

/// Extent of a target's (unrolled) surface in metres: width, height. Cylinder width = radius *
/// opening angle.
std::array<double, 2> surface_extent(const Target& target);

/// Default aim point of a target: centre of a flat one; for a cylinder centre + radius * normal.
Vec3 default_aim_point(const Target& target);

/// The same for a heliostat that stands at `from` (metres, ENU): see aim_point_of().
Vec3 default_aim_point(const Target& target, const Vec3& from);

/// A normal distribution about each axis.
struct GaussianShape {
    double sigma = 0.0;  ///< standard deviation per axis, radians
    bool operator==(const GaussianShape&) const = default;
    static constexpr const char* kName = "normal";  ///< in scenario files
};
/// Constant radiance up to an angle.
struct PillboxShape {
    double half_angle = 0.0;  ///< radians, of the cone: the disc's angular radius
    bool operator==(const PillboxShape&) const = default;
    static constexpr const char* kName = "pillbox";  ///< in scenario files
};
/// How the parameter of Buie's radiance formula follows from the circumsolar ratio: so that the
/// ratio is met exactly, or by the polynomials of two other programs, for comparison with them.
enum class BuieCalibration { exact, tonatiuh, tracer };
/// Circumsolar ratios for which Buie, Monger and Dey (2003) fitted their sun; 0 is a disc alone.
inline constexpr Range kCircumsolarRatios{
    0.0, 0.8, false, false, "Buie's formulas hold only for these circumsolar ratios"};
/// Buie's sun: disc and circumsolar region.
struct BuieShape {
    double csr = 0.0;  ///< circumsolar ratio, kCircumsolarRatios
    BuieCalibration calibration = BuieCalibration::exact;  ///< see BuieCalibration
    bool operator==(const BuieShape&) const = default;
    static constexpr const char* kName = "buie";  ///< in scenario files
};
/// The solar disc, darker towards its rim.
struct LimbDarkenedShape {
    bool operator==(const LimbDarkenedShape&) const = default;
    static constexpr const char* kName = "limb_darkened";  ///< in scenario files
};
/// All light from one direction.
struct CollimatedShape {
    bool operator==(const CollimatedShape&) const = default;
    static constexpr const char* kName = "collimated";  ///< in scenario files
};
/// Widths and edges of suns in radians: beyond a tenth small angles are no longer small.
inline constexpr Range kSunWidths{
    0.0, 0.1, true, false, "a sun has a small positive width, 0.1 rad at most"};
/// Radiance from a table of angles.
struct TableShape {
    std::vector<double> angle;     ///< radians, ascending from 0, the last in kSunWidths
    std::vector<double> radiance;  ///< relative, same length
    bool operator==(const TableShape&) const = default;
    static constexpr const char* kName = "table";  ///< in scenario files
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
    std::string name;             ///< unique in its scenario
    int64_t number_of_rays = 10;  ///< rays per surface point; used by model "artist" only
    double mean = 0.0;            ///< radians; mean of both angles; used by model "artist" only
    SunShape shape;  ///< ARTIST's "normal" with covariance c is a GaussianShape with sigma sqrt(c)
    bool operator==(const LightSource&) const = default;
};

/// The formula for a facet's height above its rectangle: a B-spline (ARTIST's NURBS with weights
/// 1), 0, or that of a paraboloid of revolution or a sphere with the facet's focal length.
enum class FacetShape { bspline, flat, paraboloid, sphere };

/// One mirror facet. Its frame: e along canting_e, centre at the translation.
struct Facet {
    std::string name;                        ///< unique on its mirror
    FacetShape shape = FacetShape::bspline;  ///< which of the members below count
    /// B-spline control points [nu, nv, 3] in row-major order, metres; first index along east; in
    /// the mirror frame where the surface is_fitted(), else in the facet's own. Empty for other
    /// shapes.
    std::vector<double> control_points;
    std::array<int64_t, 2> num_control_points{0, 0};  ///< nu, nv (bspline)
    std::array<int64_t, 2> degrees{3, 3};             ///< along u (east), v (north) (bspline)
    double focal_length =
        0.0;             ///< metres; paraboloid and sphere only (sphere radius = 2 focal_length)
    Vec3 translation{};  ///< metres, facet centre in the mirror frame
    Vec3 canting_e{};    ///< metres, half-extent vector along the facet's e edge, tilted by the
                         ///< canting
    Vec3 canting_n{};    ///< metres, half-extent vector along the facet's n edge
    /// Standard deviations of the slopes along e and n of a reconstructed surface, radians:
    /// [kDeviationsAlongEdge, kDeviationsAlongEdge, 2] at the centres of equal cells of the facet,
    /// first index along east. Empty where they are unknown; no light depends on them.
    std::vector<double> slope_deviation;
    static constexpr int64_t kDeviationsAlongEdge = 8;  ///< of slope_deviation
    bool operator==(const Facet&) const = default;
};

/// The mirror of a heliostat: its facets.
struct Surface {
    std::vector<Facet> facets;  ///< ordered by name as HDF5 orders links
    bool operator==(const Surface&) const = default;

    /// True when any B-spline control point has a height other than 0. Then (ARTIST's convention)
    /// the control points of all its facets already contain canting and translation, otherwise both
    /// are applied when the surface is evaluated.
    bool is_fitted() const;
};

/// Two tilted, displaced joints, axis 1 about east and axis 2 about up (ARTIST's), or azimuth and
/// elevation of the normal about a pivot at the heliostat's position.
enum class KinematicsType { rigid_body, azimuth_elevation };

/// Offsets and tilts of the two-joint kinematics from its ideal geometry; RigidBody has
/// the formula. Azimuth-elevation kinematics have the concentrator's translation alone.
struct KinematicsDeviations {
    /// Metres: from the heliostat's position to the first joint, from there to the second, from
    /// there to the mirror's origin. Each turns with the joints before it; along east, north and up
    /// when their angles are 0 and the mirror faces south. Azimuth-elevation: the last one along
    /// the mirror's own axes.
    Vec3 first_joint_translation{};
    Vec3 second_joint_translation{};
    Vec3 concentrator_translation{};

    /// Radians: turns of the first joint's axis about north and up, of the second's about east and
    /// north.
    double first_joint_tilt_n = 0.0;
    double first_joint_tilt_u = 0.0;
    double second_joint_tilt_e = 0.0;
    double second_joint_tilt_n = 0.0;

    bool operator==(const KinematicsDeviations&) const = default;
};

/// How a heliostat turns: its type, its deviations and its actuators.
struct Kinematics {
    KinematicsType type = KinematicsType::rigid_body;  ///< meaning of the two axes
    Vec3 initial_orientation{
        0, -1, 0};  ///< stored, without influence on any computation (as in ARTIST)
    KinematicsDeviations deviations;  ///< from the ideal geometry
    bool operator==(const Kinematics&) const = default;
};

/// A spindle that closes a triangle with its lever (motor positions are steps), or a drive whose
/// motor position is the joint's angle in radians.
enum class ActuatorType { linear, ideal };

/// One axis drive; joint_angle_from_motor_position() has the formula. The numbers are those of
/// the file (the pi/2 of axis 1 is not yet subtracted).
struct Actuator {
    std::string name;                         ///< of its group in the file
    ActuatorType type = ActuatorType::ideal;  ///< unit of the motor positions
    bool clockwise = false;           ///< the joint's angle falls as the stroke grows; linear only
    double min_motor_position = 0.0;  ///< steps (linear) or radians (ideal)
    double max_motor_position = 0.0;  ///< steps (linear) or radians (ideal)
    double increment = 0.0;           ///< steps per metre of stroke; linear only, like all below
    double initial_stroke_length = 0.0;  ///< metres, at motor position 0
    double offset = 0.0;                 ///< metres, from the joint to the pivot of the drive
    double pivot_radius = 0.0;           ///< metres, from the joint to the end of its lever
    double initial_angle = 0.0;          ///< radians, of the joint at motor position 0
    bool operator==(const Actuator&) const = default;
};

/// Drives of axis 1 and axis 2.
using ActuatorPair = std::array<Actuator, 2>;

/// Components that heliostats without their own ones share.
struct Prototypes {
    /// Null only in scenarios that were not read from a file; write_scenario() takes the first
    /// heliostat's then.
    std::shared_ptr<const Surface> surface;
    std::shared_ptr<const Kinematics> kinematics;
    std::shared_ptr<const ActuatorPair> actuators;
};

/// One heliostat. Components are never null; one that equals the prototype's pointer is the
/// prototype's.
struct Heliostat {
    std::string name;  ///< unique in its scenario
    int64_t id = 0;    ///< kept as the file has it, without influence on any computation
    Vec3 position{};   ///< metres, ENU; of the pivot, before the kinematics' translations
    std::shared_ptr<const Surface> surface;         ///< the mirror
    std::shared_ptr<const Kinematics> kinematics;   ///< how it turns
    std::shared_ptr<const ActuatorPair> actuators;  ///< what turns it
};

/// A complete plant, the content of a scenario file. Const after loading.
struct Scenario {
    double version = 1.0;                    ///< of ARTIST's file format
    GeodeticPosition position;               ///< of the plant
    std::vector<Target> targets;             ///< by shape as in TargetShape, then by name
    std::vector<LightSource> light_sources;  ///< by name; the first one is used
    Prototypes prototypes;                   ///< components for heliostats without their own
    std::vector<Heliostat> heliostats;       ///< by name (byte-wise)
    std::vector<std::string> warnings;       ///< remarks of the reader for users

    /// Index of a target or heliostat by name; nothing when there is none.
    std::optional<size_t> find_target(const std::string& name) const;
    std::optional<size_t> find_heliostat(const std::string& name) const;
};

/// Deep comparison, through the component pointers.
bool equal(const Scenario& a, const Scenario& b);

}  // namespace helioray

// SPDX-License-Identifier: MIT
// Predicts the spot of a heliostat for given motor positions, with exact derivatives with respect
// to every number of its kinematics.
#pragma once

#include "raytracer/tracing/kinematics/record.h"
#include "raytracer/tracing/kinematics/transforms.h"
#include "scenario/types/vector_math.h"

#include <array>
#include <optional>
#include <string>

namespace helioray::calibration {

/// Number of values that describe a heliostat's kinematics, see RecordColumns.
inline constexpr size_t kColumns = RecordColumns::count;

/// The plane of a target. For a curved target this is the tangent plane at the default aim point.
struct TargetPlane {
    Vec3 centre{};   ///< Centre, m, ENU.
    Vec3 right{};    ///< Horizontal unit vector to the right, as seen from the front.
    Vec3 up{};       ///< Unit vector, perpendicular to `right`.
    Vec3 outward{};  ///< Unit normal.
};

/// One measured spot, with the position of the sun and the motors.
struct SpotRecord {
    std::string id;      ///< Id, unique for its heliostat.
    std::string target;  ///< Name of the target.
    /// Motor positions, steps (linear drives) or radians (ideal).
    std::array<double, 2> motor_positions{};
    Vec3 to_sun{};      ///< Unit vector to the sun, ENU.
    TargetPlane plane;  ///< Plane of the target.
    Vec3 spot{};        ///< Measured spot, m, ENU; lies in the plane.
    /// Position in time, in any unit that increases with time; empty if unknown.
    std::optional<double> order;
    std::optional<double> julian_day;  ///< Julian day of the measurement; empty if unknown.
    std::string source;                ///< File, or file and line, for messages.
    bool unnamed = false;              ///< The id is only the line number in a table.
};

/// Formats the measured numbers as text: sun, motor positions and spot. The text is equal for two
/// copies of one measurement, even if they come from different files.
std::string measured_numbers(const SpotRecord& record);

/// Returns the number that a record has as its name, which increases with time; empty for other
/// names.
std::optional<double> number_of(const std::string& id);

/// Returns the key that identifies a record of a heliostat in other runs: its id, or its
/// measured_numbers() if it has none.
std::string identity_of(const SpotRecord& record);

/// The two directions in which the residuals of a record are measured. They are constant, so that
/// residuals are smooth functions of the kinematics.
struct ResidualAxes {
    Vec3 first{};   ///< Horizontal unit vector across the ray to the measured spot.
    Vec3 second{};  ///< Unit vector across the ray and `first`.
};

/// Computes the axes of a record as seen from a heliostat's position (m, ENU).
ResidualAxes residual_axes(const SpotRecord& record, const Vec3& position);

/// Deviation of the mirror's normal that a record shows.
struct SpotResidual {
    /// Creates a residual without setting its derivatives: zeros that residual() overwrites took
    /// 1.5 % of a calibration's time.
    SpotResidual() {}

    /// Half of the difference between the reflected ray and the direction to the measured spot,
    /// along ResidualAxes; radians.
    std::array<double, 2> value{};
    /// Derivatives with respect to the numbers of the kinematics; SpotModel::residual() sets all of
    /// them.
    std::array<std::array<double, kColumns>, 2> slope;
};

/// The kinematics of one heliostat, prepared for many records. Supports rigid bodies only.
class SpotModel {
  public:
    /// Prepares the kinematics, and copies what the model needs.
    explicit SpotModel(const KinematicsRecord& kinematics);

    /// Computes the residual of a record. Returns nothing if a drive cannot reach its motor
    /// position. Derivatives with respect to the position and the joints' translations, which most
    /// sets do not need, may be omitted (0).
    std::optional<SpotResidual> residual(const SpotRecord& record,
                                         const ResidualAxes& axes,
                                         bool by_translations = true) const;

    /// The ray that leaves the mirror's origin.
    struct Ray {
        Vec3 origin{};     ///< Origin, m, ENU.
        Vec3 direction{};  ///< Unit vector along the ray.
        Vec3 normal{};     ///< Normal of the mirror.
    };
    /// Reflects the sun at the mirror. Returns nothing if a drive cannot reach its motor position.
    std::optional<Ray> ray(const std::array<double, 2>& motor_positions, const Vec3& to_sun) const;

  private:
    // Angle of a spindle's triangle that is opposite to the stroke, and its derivatives, radians
    // per metre.
    struct Triangle {
        double cosine = 1.0;
        double sine = 0.0;
        double by_stroke = 0.0;
        double by_offset = 0.0;
        double by_radius = 0.0;
    };
    // A linear drive. The constants of its triangle are divided once; divisions for each record
    // took 2 % of a calibration's time.
    struct Spindle {
        explicit Spindle(const DriveRecord& drive);
        std::optional<Triangle> triangle(double stroke) const;

        double sense = 1.0;    // direction in which an extending spindle turns its joint
        double squares = 0.0;  // sum of the squares of offset and pivot radius
        double per_product = 0.0, per_offset = 0.0, per_radius = 0.0, per_increment = 0.0;
        double initial_stroke = 0.0;
        std::optional<Triangle> start;  // triangle at the initial stroke
        // cosine and sine of the joint's angle for a triangle's angle of 0
        double cosine = 1.0, sine = 0.0;
    };
    struct DriveTurn;
    struct Pose;
    // Computes the turn of a joint. Returns false if a drive cannot reach the motor position.
    bool turn(size_t axis, double motor_position, DriveTurn& result) const;
    bool turn(const std::array<double, 2>& motor_positions, Pose& pose) const;

    Vec3 position_;
    std::array<double, 9> translations_;
    std::array<Turn<double>, 4> tilts_;
    std::array<std::optional<Spindle>, 2> spindles_;  // empty for an ideal drive
    Frame<double> first_;  // frame of joint 1 before its drive turns it; constant for all records
};

/// Returns the intersection of a ray and a plane; empty if the ray is parallel to the plane or
/// leads away from it.
std::optional<Vec3> hit(const SpotModel::Ray& ray, const TargetPlane& plane);

/// Returns half the angle between two points as seen from `from`, radians.
double half_angle(const Vec3& from, const Vec3& a, const Vec3& b);

}  // namespace helioray::calibration

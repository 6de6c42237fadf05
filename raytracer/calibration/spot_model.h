// SPDX-License-Identifier: MIT
// Where the light of a heliostat falls for given motor positions, with exact derivatives by every
// number of its kinematics.
#pragma once

#include "raytracer/kinematics/record.h"
#include "raytracer/kinematics/transforms.h"
#include "scenario/vector_math.h"

#include <array>
#include <optional>
#include <string>

namespace helioray::calibration {

/// Numbers of a heliostat's kinematics: see RecordColumns.
inline constexpr size_t kColumns = RecordColumns::count;

/// The plane of a target, or for a curved one the plane that touches it where heliostats aim.
struct TargetPlane {
    Vec3 centre{};   ///< metres, ENU
    Vec3 right{};    ///< unit vector, horizontal, to the right of an observer in front of it
    Vec3 up{};       ///< unit vector, perpendicular to `right`
    Vec3 outward{};  ///< unit normal
};

/// One measured spot: where sun and motors stood, and where the light fell.
struct SpotRecord {
    std::string id;                           ///< unique for its heliostat
    std::string target;                       ///< name
    std::array<double, 2> motor_positions{};  ///< steps (linear drives) or radians (ideal)
    Vec3 to_sun{};                            ///< unit vector, ENU
    TargetPlane plane;                        ///< of the target
    Vec3 spot{};                              ///< metres, ENU; in the plane
    /// Place in time, any unit that grows with it; nothing: unknown.
    std::optional<double> order;
    std::optional<double> julian_day;  ///< when it was taken; nothing: unknown
    std::string source;                ///< file, or file and line, for messages
    bool unnamed = false;              ///< the id is only its line in a table
};

/// The numbers that were measured, as a text: sun, motor positions and spot. Equal for two copies
/// of one measurement, whatever file they come from.
std::string measured_numbers(const SpotRecord& record);

/// A number that grows with time: that of a record whose name is one; nothing for other names.
std::optional<double> number_of(const std::string& id);

/// What a record of a heliostat is known by in other runs: its id, or its measured_numbers() where
/// it has none.
std::string identity_of(const SpotRecord& record);

/// Two directions in which the residuals of a record are measured; constant, so that residuals are
/// smooth functions of the kinematics.
struct ResidualAxes {
    Vec3 first{};   ///< horizontal unit vector across the ray to the measured spot
    Vec3 second{};  ///< unit vector across both
};

/// Axes of a record as seen from a heliostat's position (metres, ENU).
ResidualAxes residual_axes(const SpotRecord& record, const Vec3& position);

/// How far the mirror's normal is off, as the record shows it.
struct SpotResidual {
    /// Sets no derivatives: zeros that residual() overwrites took 1.5 % of a calibration's time.
    SpotResidual() {}

    /// Half of the difference between the reflected ray and the direction to the measured spot,
    /// along ResidualAxes; radians.
    std::array<double, 2> value{};
    /// Derivatives by the numbers of the kinematics; SpotModel::residual() sets them all.
    std::array<std::array<double, kColumns>, 2> slope;
};

/// The kinematics of one heliostat, prepared for many records. Rigid bodies only.
class SpotModel {
  public:
    /// Copies what it needs.
    explicit SpotModel(const KinematicsRecord& kinematics);

    /// Nothing where a drive cannot take its motor position. Derivatives by the position and the
    /// joints' translations, which most sets do not need, may be left out (0).
    std::optional<SpotResidual> residual(const SpotRecord& record,
                                         const ResidualAxes& axes,
                                         bool by_translations = true) const;

    /// The ray that leaves the mirror's origin.
    struct Ray {
        Vec3 origin{};     ///< metres, ENU
        Vec3 direction{};  ///< unit vector
        Vec3 normal{};     ///< of the mirror
    };
    /// Nothing where a drive cannot take its motor position.
    std::optional<Ray> ray(const std::array<double, 2>& motor_positions, const Vec3& to_sun) const;

  private:
    // The angle of a spindle's triangle that is opposite to the stroke, and its derivatives,
    // radians per metre.
    struct Triangle {
        double cosine = 1.0;
        double sine = 0.0;
        double by_stroke = 0.0;
        double by_offset = 0.0;
        double by_radius = 0.0;
    };
    // A linear drive. What its triangle needs at every stroke is divided once; divisions for each
    // record took 2 % of a calibration's time.
    struct Spindle {
        explicit Spindle(const DriveRecord& drive);
        std::optional<Triangle> triangle(double stroke) const;

        double sense = 1.0;    // in which an extending spindle turns its joint
        double squares = 0.0;  // of offset and pivot radius, sum
        double per_product = 0.0, per_offset = 0.0, per_radius = 0.0, per_increment = 0.0;
        double initial_stroke = 0.0;
        std::optional<Triangle> start;    // at the initial stroke
        double cosine = 1.0, sine = 0.0;  // of the joint's angle where the triangle's would be 0
    };
    struct DriveTurn;
    struct Pose;
    // False where a drive cannot take its motor position.
    bool turn(size_t axis, double motor_position, DriveTurn& result) const;
    bool turn(const std::array<double, 2>& motor_positions, Pose& pose) const;

    Vec3 position_;
    std::array<double, 9> translations_;
    std::array<Turn<double>, 4> tilts_;
    std::array<std::optional<Spindle>, 2> spindles_;  // nothing: an ideal drive
    Frame<double> first_;  // of joint 1 before its drive turns it; the same for all records
};

/// Where a ray meets a plane; nothing when it runs along the plane or away from it.
std::optional<Vec3> hit(const SpotModel::Ray& ray, const TargetPlane& plane);

/// Half the angle between two points as seen from `from`, radians.
double half_angle(const Vec3& from, const Vec3& a, const Vec3& b);

}  // namespace helioray::calibration

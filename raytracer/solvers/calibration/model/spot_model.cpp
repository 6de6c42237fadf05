// SPDX-License-Identifier: MIT
// Computes spots and their derivatives.
#include "raytracer/solvers/calibration/model/spot_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

namespace {

Vec3 negative(const Vec3& v) {
    return {-v[0], -v[1], -v[2]};
}

Vec3 reflected(const Vec3& to_sun, const Vec3& normal) {
    return add_scaled(negative(to_sun), 2.0 * dot(to_sun, normal), normal);
}

}  // namespace

std::string measured_numbers(const SpotRecord& record) {
    // Round far below the accuracy of measurements, so that copies with different last digits are
    // equal.
    return fmt::format("motors {:.8g} {:.8g}, sun {:.7f} {:.7f} {:.7f}, spot {:.4f} {:.4f} {:.4f}",
                       record.motor_positions[0],
                       record.motor_positions[1],
                       record.to_sun[0],
                       record.to_sun[1],
                       record.to_sun[2],
                       record.spot[0],
                       record.spot[1],
                       record.spot[2]);
}

std::optional<double> number_of(const std::string& id) {
    const bool digits =
        !id.empty() && id.size() < 16 &&
        std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!digits) return std::nullopt;
    return std::stod(id);
}

std::string identity_of(const SpotRecord& record) {
    return record.unnamed ? measured_numbers(record) : record.id;
}

/// The turn of a joint with its derivatives with respect to increment, offset, pivot radius,
/// initial stroke and initial angle.
struct SpotModel::DriveTurn {
    DriveTurn() {}  // leaves values unset, as SpotResidual does
    DriveTurn(const Turn<double>& by, const std::array<double, 5>& slopes)
        : turn(by), slope(slopes) {}

    Turn<double> turn;
    std::array<double, 5> slope;
};

/// The frames that the motors turn. Their axes are also the axes of the turns.
struct SpotModel::Pose {
    explicit Pose(const Frame<double>& first) : second(first), mirror(first) {}

    std::array<DriveTurn, 2> drives;
    Frame<double> second;  // frame of joint 2 before its drive turns it
    Frame<double> mirror;  // frame whose normal is south
};

ResidualAxes residual_axes(const SpotRecord& record, const Vec3& position) {
    const Vec3 ray = normalized(subtract(record.spot, position));
    const Vec3 across = cross(ray, {0, 0, 1});
    // For a ray straight up every horizontal direction is perpendicular.
    const Vec3 first = norm(across) > 1e-9 ? normalized(across) : Vec3{1, 0, 0};
    return {first, cross(first, ray)};
}

inline std::optional<SpotModel::Triangle> SpotModel::Spindle::triangle(double stroke) const {
    const double c = 0.5 * (squares - stroke * stroke) * per_product;
    if (!(stroke > 0 && c > -1.0 && c < 1.0)) return std::nullopt;
    const double s = std::sqrt(1.0 - c * c);
    const double inverse = 1.0 / s;
    return Triangle{c,
                    s,
                    inverse * stroke * per_product,
                    inverse * (c * per_offset - per_radius),
                    inverse * (c * per_radius - per_offset)};
}

SpotModel::Spindle::Spindle(const DriveRecord& drive)
    : sense(drive.clockwise ? 1.0 : -1.0),
      squares(drive.offset * drive.offset + drive.pivot_radius * drive.pivot_radius),
      per_product(1.0 / (drive.offset * drive.pivot_radius)),
      per_offset(1.0 / drive.offset),
      per_radius(1.0 / drive.pivot_radius),
      per_increment(1.0 / drive.increment),
      initial_stroke(drive.initial_stroke),
      start(triangle(drive.initial_stroke)) {
    if (!start) return;
    const double straight = drive.initial_angle + sense * std::atan2(start->sine, start->cosine);
    cosine = std::cos(straight);
    sine = std::sin(straight);
}

SpotModel::SpotModel(const KinematicsRecord& kinematics)
    : position_(kinematics.position), translations_(kinematics.translations) {
    for (size_t i = 0; i < 4; ++i) tilts_[i] = Turn<double>(kinematics.rotations[i]);
    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord& drive = kinematics.drives[axis];
        if (drive.is_linear) spindles_[axis].emplace(drive);
    }
    first_.origin = position_;
    first_.turn_n(tilts_[0]);
    first_.turn_u(tilts_[1]);
    first_.move(translations_.data());
}

inline bool SpotModel::turn(size_t axis, double motor_position, DriveTurn& result) const {
    if (!spindles_[axis]) {
        result = {Turn<double>(motor_position), {}};
        return true;
    }
    const Spindle& spindle = *spindles_[axis];
    const double extension = motor_position * spindle.per_increment;
    const std::optional<Triangle>& start = spindle.start;
    const auto now = spindle.triangle(spindle.initial_stroke + extension);
    if (!start || !now) return false;
    const double sense = spindle.sense;
    // Form the difference of two angles from their cosines and sines: computing the angles and
    // their cosines and sines took a tenth of a calibration's time.
    result.turn.cosine = spindle.cosine * now->cosine + sense * spindle.sine * now->sine;
    result.turn.sine = spindle.sine * now->cosine - sense * spindle.cosine * now->sine;
    result.slope = {sense * now->by_stroke * extension * spindle.per_increment,
                    sense * (start->by_offset - now->by_offset),
                    sense * (start->by_radius - now->by_radius),
                    sense * (start->by_stroke - now->by_stroke),
                    1.0};
    return true;
}

// Follows the chain of RigidBody::orientation(); `pose` is new.
bool SpotModel::turn(const std::array<double, 2>& motor_positions, Pose& pose) const {
    for (size_t axis = 0; axis < 2; ++axis) {
        if (!turn(axis, motor_positions[axis], pose.drives[axis])) return false;
    }
    pose.second.turn_e(pose.drives[0].turn);
    pose.second.turn_e(tilts_[2]);
    pose.second.turn_n(tilts_[3]);
    pose.second.move(&translations_[3]);
    pose.mirror = pose.second;
    pose.mirror.turn_u(pose.drives[1].turn);
    pose.mirror.move(&translations_[6]);
    return true;
}

std::optional<SpotResidual> SpotModel::residual(const SpotRecord& record,
                                                const ResidualAxes& axes,
                                                bool by_translations) const {
    // Return a single object: copies of poses and residuals took an eighth of this function's time.
    std::optional<SpotResidual> result;
    Pose pose(first_);
    if (!turn(record.motor_positions, pose)) return result;
    const Vec3 n = negative(pose.mirror.n);
    const Vec3& p = pose.mirror.origin;
    const Vec3& sun = record.to_sun;
    const Vec3 way = subtract(record.spot, p);
    const double distance = norm(way);
    const Vec3 wanted = scaled(1.0 / distance, way);
    const double cosine = dot(sun, n);
    const Vec3 difference = subtract(reflected(sun, n), wanted);
    // Take levers from the three points about which the mirror turns.
    const Vec3 from_base = subtract(p, position_);
    const Vec3 from_first = subtract(p, first_.origin);
    const Vec3 from_second = subtract(p, pose.second.origin);

    result.emplace();
    for (size_t k = 0; k < 2; ++k) {
        const Vec3& axis = k == 0 ? axes.first : axes.second;
        result->value[k] = 0.5 * dot(difference, axis);
        // Compute the gradients with respect to the normal and to the mirror's origin.
        const Vec3 by_n = add_scaled(scaled(cosine, axis), dot(n, axis), sun);
        const Vec3 by_p = scaled(0.5 / distance, add_scaled(axis, -dot(wanted, axis), wanted));
        auto& slope = result->slope[k];
        const auto by_translation = [&](size_t joint, const Frame<double>& frame) {
            const Vec3 along = frame.inwards(by_p);
            std::copy_n(along.begin(), 3, &slope[RecordColumns::translations + 3 * joint]);
        };
        by_translation(2, pose.mirror);
        if (by_translations) {
            std::copy_n(by_p.begin(), 3, &slope[RecordColumns::position]);
            by_translation(0, first_);
            by_translation(1, pose.second);
        } else {
            std::fill_n(&slope[RecordColumns::position], 3, 0.0);
            std::fill_n(&slope[RecordColumns::translations], 6, 0.0);
        }
        // A turn w about q changes n by w x n and p by w x (p - q). Turns about north have ARTIST's
        // sign; tilt 3 and joint 1 share an axis.
        const Vec3 moment = cross(n, by_n);
        const Vec3 base = add(moment, cross(from_base, by_p));
        const Vec3 first = add(moment, cross(from_first, by_p));
        const Vec3 second = add(moment, cross(from_second, by_p));
        double* tilts = &slope[RecordColumns::rotations];
        tilts[0] = -base[1];
        tilts[1] = dot(first_.u, base);
        tilts[2] = dot(first_.e, first);
        tilts[3] = -dot(pose.second.n, first);
        const std::array<double, 2> by_angle{tilts[2], dot(pose.second.u, second)};
        for (size_t drive = 0; drive < 2; ++drive) {
            for (size_t i = 0; i < 5; ++i) {
                slope[RecordColumns::drives + 5 * drive + i] =
                    by_angle[drive] * pose.drives[drive].slope[i];
            }
        }
    }
    return result;
}

std::optional<SpotModel::Ray> SpotModel::ray(const std::array<double, 2>& motor_positions,
                                             const Vec3& to_sun) const {
    Pose pose(first_);
    if (!turn(motor_positions, pose)) return std::nullopt;
    const Vec3 normal = negative(pose.mirror.n);
    return Ray{pose.mirror.origin, reflected(to_sun, normal), normal};
}

std::optional<Vec3> hit(const SpotModel::Ray& ray, const TargetPlane& plane) {
    const double slope = dot(ray.direction, plane.outward);
    const double distance = dot(subtract(plane.centre, ray.origin), plane.outward);
    if (std::abs(slope) < 1e-6 || distance / slope <= 0) return std::nullopt;
    return add_scaled(ray.origin, distance / slope, ray.direction);
}

double half_angle(const Vec3& from, const Vec3& a, const Vec3& b) {
    const Vec3 chord = subtract(normalized(subtract(a, from)), normalized(subtract(b, from)));
    return std::asin(std::min(1.0, 0.5 * norm(chord)));
}

}  // namespace helioray::calibration

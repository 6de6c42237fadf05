// SPDX-License-Identifier: MIT
// Spots and their derivatives.
#include "raytracer/calibration/spot_model.h"

#include "raytracer/kinematics/transforms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace helioray::calibration {

namespace {

std::optional<SpindleTriangle> triangle(double offset, double radius, double stroke) {
    const double cosine =
        (offset * offset + radius * radius - stroke * stroke) / (2.0 * offset * radius);
    if (!(stroke > 0 && cosine > -1.0 && cosine < 1.0)) return std::nullopt;
    const double sine = std::sqrt(1.0 - cosine * cosine);
    const double inverse = -1.0 / sine;
    return SpindleTriangle{cosine,
                           sine,
                           -inverse * stroke / (offset * radius),
                           inverse * (1.0 / radius - cosine / offset),
                           inverse * (1.0 / offset - cosine / radius)};
}

/// The sense in which an extending spindle turns its joint.
double sense_of(const DriveRecord& drive) {
    return drive.clockwise ? 1.0 : -1.0;
}

Vec3 negative(const Vec3& v) {
    return {-v[0], -v[1], -v[2]};
}

Vec3 reflected(const Vec3& to_sun, const Vec3& normal) {
    return add_scaled(negative(to_sun), 2.0 * dot(to_sun, normal), normal);
}

}  // namespace

std::string measured_numbers(const SpotRecord& record) {
    // Rounded well below what can be measured, so that other last digits are no other record.
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

/// The turn of a joint with its derivatives by increment, offset, pivot radius, initial stroke and
/// initial angle.
struct SpotModel::DriveTurn {
    Turn<double> turn;
    std::array<double, 5> slope{};
};

/// A pose with what its derivatives need: axis and pivot of each of the six turns, and the frames
/// of the three translations.
struct SpotModel::Turned {
    Vec3 normal{};
    Vec3 origin{};
    std::array<Vec3, 6> axes{};    // tilts 1 to 4, then joints 1 and 2
    std::array<Vec3, 6> pivots{};  // metres, ENU
    std::array<std::array<Vec3, 3>, 3> frames{};
    std::array<DriveTurn, 2> drives;
};

ResidualAxes residual_axes(const SpotRecord& record, const Vec3& position) {
    const Vec3 ray = normalized(subtract(record.spot, position));
    const Vec3 across = cross(ray, {0, 0, 1});
    // Straight above the heliostat every horizontal direction is across.
    const Vec3 first = norm(across) > 1e-9 ? normalized(across) : Vec3{1, 0, 0};
    return {first, cross(first, ray)};
}

SpotModel::SpotModel(const KinematicsRecord& kinematics) : record_(kinematics) {
    for (size_t i = 0; i < 4; ++i) {
        cosines_[i] = std::cos(record_.rotations[i]);
        sines_[i] = std::sin(record_.rotations[i]);
    }
    for (size_t axis = 0; axis < 2; ++axis) {
        const DriveRecord& drive = record_.drives[axis];
        if (!drive.is_linear) continue;
        const auto start = triangle(drive.offset, drive.pivot_radius, drive.initial_stroke);
        if (!start) continue;
        const double straight =
            drive.initial_angle + sense_of(drive) * std::atan2(start->sine, start->cosine);
        starts_[axis] = DriveStart{*start, std::cos(straight), std::sin(straight)};
    }
}

std::optional<SpotModel::DriveTurn> SpotModel::drive_turn(size_t axis,
                                                          double motor_position) const {
    const DriveRecord& drive = record_.drives[axis];
    if (!drive.is_linear) return DriveTurn{Turn<double>(motor_position), {}};
    const double extension = motor_position / drive.increment;
    const auto now = triangle(drive.offset, drive.pivot_radius, drive.initial_stroke + extension);
    const std::optional<DriveStart>& start = starts_[axis];
    if (!start || !now) return std::nullopt;
    const double sense = sense_of(drive);
    DriveTurn result;
    // The difference of two angles by their cosines and sines: the angles themselves, and their
    // cosines and sines, took a tenth of a calibration's time.
    result.turn.cosine = start->cosine * now->cosine + sense * start->sine * now->sine;
    result.turn.sine = start->sine * now->cosine - sense * start->cosine * now->sine;
    result.slope = {sense * now->by_stroke * extension / drive.increment,
                    sense * (start->triangle.by_offset - now->by_offset),
                    sense * (start->triangle.by_radius - now->by_radius),
                    sense * (start->triangle.by_stroke - now->by_stroke),
                    1.0};
    return result;
}

// The chain of RigidBody::orientation(), keeping axes and pivots on the way.
std::optional<SpotModel::Turned> SpotModel::turned(
    const std::array<double, 2>& motor_positions) const {
    Turned result;
    for (size_t axis = 0; axis < 2; ++axis) {
        const auto drive = drive_turn(axis, motor_positions[axis]);
        if (!drive) return std::nullopt;
        result.drives[axis] = *drive;
    }
    const auto tilt = [&](size_t i) {
        Turn<double> turn;
        turn.cosine = cosines_[i];
        turn.sine = sines_[i];
        return turn;
    };
    Frame<double> frame;
    frame.origin = record_.position;
    const auto mark = [&](size_t turn, const Vec3& axis) {
        result.axes[turn] = axis;
        result.pivots[turn] = frame.origin;
    };
    const auto move = [&](size_t joint) {
        result.frames[joint] = {frame.e, frame.n, frame.u};
        frame.move(&record_.translations[3 * joint]);
    };
    // Turns about north have ARTIST's sign.
    mark(0, negative(frame.n));
    frame.turn_n(tilt(0));
    mark(1, frame.u);
    frame.turn_u(tilt(1));
    move(0);
    mark(4, frame.e);
    frame.turn_e(result.drives[0].turn);
    mark(2, frame.e);
    frame.turn_e(tilt(2));
    mark(3, negative(frame.n));
    frame.turn_n(tilt(3));
    move(1);
    mark(5, frame.u);
    frame.turn_u(result.drives[1].turn);
    move(2);
    result.normal = negative(frame.n);
    result.origin = frame.origin;
    return result;
}

std::optional<SpotResidual> SpotModel::residual(const SpotRecord& record,
                                                const ResidualAxes& axes,
                                                bool by_translations) const {
    const auto pose = turned(record.motor_positions);
    if (!pose) return std::nullopt;
    const Vec3& n = pose->normal;
    const Vec3& p = pose->origin;
    const Vec3& sun = record.to_sun;
    const Vec3 way = subtract(record.spot, p);
    const double distance = norm(way);
    const Vec3 wanted = scaled(1.0 / distance, way);
    const double cosine = dot(sun, n);
    const Vec3 difference = subtract(reflected(sun, n), wanted);

    SpotResidual result;
    for (size_t k = 0; k < 2; ++k) {
        const Vec3& axis = k == 0 ? axes.first : axes.second;
        result.value[k] = 0.5 * dot(difference, axis);
        // Gradients by the normal and by the mirror's origin.
        const Vec3 by_n = add_scaled(scaled(cosine, axis), dot(n, axis), sun);
        const Vec3 by_p = scaled(0.5 / distance, add_scaled(axis, -dot(wanted, axis), wanted));
        auto& slope = result.slope[k];
        for (size_t i = 0; i < 3; ++i) {
            slope[RecordColumns::translations + 6 + i] = dot(pose->frames[2][i], by_p);
            if (!by_translations) continue;
            slope[RecordColumns::position + i] = by_p[i];
            for (size_t joint = 0; joint < 2; ++joint) {
                slope[RecordColumns::translations + 3 * joint + i] =
                    dot(pose->frames[joint][i], by_p);
            }
        }
        // A turn w about q changes n by w x n and p by w x (p - q).
        const Vec3 moment = add(cross(n, by_n), cross(p, by_p));
        const auto by_turn = [&](size_t turn) {
            return dot(pose->axes[turn], subtract(moment, cross(pose->pivots[turn], by_p)));
        };
        for (size_t i = 0; i < 4; ++i) slope[RecordColumns::rotations + i] = by_turn(i);
        for (size_t drive = 0; drive < 2; ++drive) {
            const double by_angle = by_turn(4 + drive);
            for (size_t i = 0; i < 5; ++i) {
                slope[RecordColumns::drives + 5 * drive + i] =
                    by_angle * pose->drives[drive].slope[i];
            }
        }
    }
    return result;
}

std::optional<SpotModel::Ray> SpotModel::ray(const std::array<double, 2>& motor_positions,
                                             const Vec3& to_sun) const {
    const auto pose = turned(motor_positions);
    if (!pose) return std::nullopt;
    return Ray{pose->origin, reflected(to_sun, pose->normal), pose->normal};
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

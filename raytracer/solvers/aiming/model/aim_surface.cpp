// SPDX-License-Identifier: MIT
// Finds the surfaces on which aim points move.
#include "raytracer/solvers/aiming/model/aim_surface.h"

#include "raytracer/tracing/geometry/frames.h"
#include "scenario/types/receivers.h"
#include "scenario/types/vector_math.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace helioray::aiming {

namespace {

constexpr double kFlush = 1e-3;  ///< Largest distance of surfaces in one plane, metres

/// Rectangle in the frame of a plane.
struct Box {
    SurfacePoint low{std::numeric_limits<double>::infinity(),
                     std::numeric_limits<double>::infinity()};
    SurfacePoint high{-std::numeric_limits<double>::infinity(),
                      -std::numeric_limits<double>::infinity()};

    void include(SurfacePoint p) {
        low = {std::min(low.x, p.x), std::min(low.y, p.y)};
        high = {std::max(high.x, p.x), std::max(high.y, p.y)};
    }
};

/// Returns points around a surface: corners, and for cylinders points between them.
std::vector<Vec3> rim_points(const Target& target) {
    constexpr int kPoints = 8;
    const auto [width, height] = surface_extent(target);
    std::vector<Vec3> points;
    for (int i = 0; i <= kPoints; ++i)
        for (const double y : {-0.5, 0.5})
            points.push_back(surface_point(
                target, (static_cast<double>(i) / kPoints - 0.5) * width, y * height));
    return points;
}

Box bounds_in(const TargetFrame& frame, const Target& target) {
    Box box;
    for (const Vec3& point : rim_points(target)) {
        const Vec3 p = frame.point_to_frame(point);
        box.include({p[0], p[1]});
    }
    return box;
}

/// Returns true if a surface lies in the plane z = 0 of the frame.
bool is_in_plane(const TargetFrame& frame, const Target& target) {
    if (!is_flat(target)) return false;
    const auto points = rim_points(target);
    return std::all_of(points.begin(), points.end(), [&](const Vec3& point) {
        return std::abs(frame.point_to_frame(point)[2]) < kFlush;
    });
}

/// Returns the rectangle of a plane around the origin of the frame `at`.
Target make_plane(const std::string& name,
                  const TargetFrame& at,
                  const Vec3& normal,
                  const Box& box) {
    const Vec3 center =
        at.point_to_world({0.5 * (box.low.x + box.high.x), 0.5 * (box.low.y + box.high.y), 0.0});
    return {name, PlanarTarget{center, normal, box.high.x - box.low.x, box.high.y - box.low.y}};
}

TargetFrame plane_frame(const Vec3& center, const Vec3& normal) {
    return target_frame({"", PlanarTarget{center, normal, 1.0, 1.0}});
}

/// Joins a flat surface with all absorbing surfaces of its receiver in the same plane.
Target joined_face(const Scenario& scenario, const Target& facing) {
    if (!is_flat(facing)) return facing;
    const TargetFrame frame = target_frame(facing);
    Box box;
    int count = 0;
    for (const Target& other : scenario.targets) {
        if (other.receiver != facing.receiver || other.use != SurfaceUse::absorber) continue;
        if (!is_in_plane(frame, other) || dot(target_frame(other).axes[2], frame.axes[2]) < 0.5)
            continue;
        const Box own = bounds_in(frame, other);
        box.include(own.low);
        box.include(own.high);
        ++count;
    }
    return count > 1 ? make_plane(facing.receiver, frame, frame.axes[2], box) : facing;
}

/// Returns true if a point lies on a flat surface.
bool lies_on(const Target& face, const Vec3& point) {
    if (!is_flat(face)) return false;
    const Vec3 p = target_frame(face).point_to_frame(point);
    const auto [width, height] = surface_extent(face);
    return std::abs(p[2]) < kFlush && std::abs(p[0]) <= 0.5 * width &&
           std::abs(p[1]) <= 0.5 * height;
}

/// Returns the bounds of all absorbing surfaces of a receiver in a plane.
Box bounds_of_receiver(const Scenario& scenario,
                       const std::string& receiver,
                       const TargetFrame& frame) {
    Box box;
    for (const Target& target : scenario.targets) {
        if (target.receiver != receiver || target.use != SurfaceUse::absorber) continue;
        const Box own = bounds_in(frame, target);
        box.include(own.low);
        box.include(own.high);
    }
    return box;
}

/// Returns the window around a receiver's aim point that the shields in its plane leave open.
std::optional<Target> find_window(const Scenario& scenario, const Receiver& receiver) {
    for (const Target& shield : scenario.targets) {
        if (shield.receiver != receiver.name || shield.use != SurfaceUse::shield) continue;
        if (!is_flat(shield)) continue;
        const Vec3 normal = target_frame(shield).axes[2];
        const TargetFrame frame = plane_frame(*receiver.aim_point, normal);
        if (!is_in_plane(frame, shield)) continue;
        Box box = bounds_of_receiver(scenario, receiver.name, frame);
        for (const Target& other : scenario.targets) {
            if (other.receiver != receiver.name || other.use != SurfaceUse::shield) continue;
            if (!is_in_plane(frame, other)) continue;
            const Box own = bounds_in(frame, other);
            // A shield beside the aim point ends the window there.
            if (own.low.y < 0.0 && own.high.y > 0.0) {
                if (own.high.x < 0.0) box.low.x = std::max(box.low.x, own.high.x);
                if (own.low.x > 0.0) box.high.x = std::min(box.high.x, own.low.x);
            }
            if (own.low.x < 0.0 && own.high.x > 0.0) {
                if (own.high.y < 0.0) box.low.y = std::max(box.low.y, own.high.y);
                if (own.low.y > 0.0) box.high.y = std::min(box.high.y, own.low.y);
            }
        }
        if (box.low.x < box.high.x && box.low.y < box.high.y)
            return make_plane(receiver.name, frame, normal, box);
    }
    return std::nullopt;
}

}  // namespace

Target aim_surface(const Scenario& scenario, const AimedPoint& point) {
    const Target& own = scenario.targets[point.aim.target];
    if (!point.receiver) return own;
    const Receiver& receiver = scenario.receivers[*point.receiver];
    Target face = joined_face(scenario, own);
    if (!receiver.aim_point || lies_on(face, *receiver.aim_point)) return face;
    if (auto window = find_window(scenario, receiver)) return *window;
    Vec3 normal = subtract(scenario.heliostats[point.aim.heliostat].position, *receiver.aim_point);
    normal[2] = 0.0;
    normal = norm(normal) > 0.0 ? normalized(normal) : Vec3{0.0, 1.0, 0.0};
    const TargetFrame frame = plane_frame(*receiver.aim_point, normal);
    Box box = bounds_of_receiver(scenario, receiver.name, frame);
    box.include({0.0, 0.0});
    return make_plane(receiver.name, frame, normal, box);
}

Vec3 usual_aim_point(const Scenario& scenario, const AimedPoint& point) {
    const Vec3& from = scenario.heliostats[point.aim.heliostat].position;
    if (point.receiver && scenario.receivers[*point.receiver].aim_point)
        return *scenario.receivers[*point.receiver].aim_point;
    return default_aim_point(scenario.targets[point.aim.target], from);
}

}  // namespace helioray::aiming

// SPDX-License-Identifier: MIT
// Finds the face of a receiver's surface that mirrors see.
#include "scenario/import/soltrace/receiver_faces.h"

#include "scenario/types/vector_math.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <type_traits>

namespace helioray::soltrace {

namespace {

/// Part of a line's length at its ends within which no surface counts as crossed.
constexpr double kEnds = 1e-6;

/// Largest number of tests of a line against a surface.
constexpr size_t kMaxTests = 20'000'000;

/// Line from a to b.
struct Line {
    Vec3 from, way;
    Vec3 at(double t) const { return add(from, scaled(t, way)); }
};

bool lies_between(double t) {
    return t > kEnds && t < 1.0 - kEnds;
}

/// Returns true if a place on the plane of a flat shape, metres to the right and up from its
/// centre, is on the shape.
bool is_on_shape(const PlanarTarget& plane, const Outline& outline, double right, double up) {
    if (std::abs(right) > 0.5 * plane.width || std::abs(up) > 0.5 * plane.height) return false;
    for (size_t i = 0; i < outline.size(); ++i) {
        const auto& here = outline[i];
        const auto& next = outline[(i + 1) % outline.size()];
        if ((next[0] - here[0]) * (up - here[1]) < (next[1] - here[1]) * (right - here[0]))
            return false;
    }
    return true;
}
bool is_on_shape(const DiscTarget& disc, const Outline&, double right, double up) {
    return std::hypot(right, up) <= disc.radius;
}

template <typename Flat>
bool crosses_flat(const Flat& shape, const Outline& outline, const Line& line) {
    const double speed = dot(shape.normal, line.way);
    const double t = dot(shape.normal, subtract(shape.center, line.from)) / speed;
    if (speed == 0.0 || !lies_between(t)) return false;
    const auto axes = flat_axes(shape.normal);
    const Vec3 to = subtract(line.at(t), shape.center);
    return is_on_shape(shape, outline, dot(to, axes[0]), dot(to, axes[1]));
}

bool crosses_ring(const AnnularTarget& shape, const Line& line) {
    const double speed = dot(shape.normal, line.way);
    const double t = dot(shape.normal, subtract(shape.center, line.from)) / speed;
    if (speed == 0.0 || !lies_between(t)) return false;
    const double radius = norm(subtract(line.at(t), shape.center));
    return radius >= shape.inner_radius && radius <= shape.radius;
}

bool crosses_cylinder(const CylindricalTarget& shape, const Line& line) {
    const auto across = [&](const Vec3& v) {
        return subtract(v, scaled(dot(v, shape.axis), shape.axis));
    };
    const Vec3 from = across(subtract(line.from, shape.center)), way = across(line.way);
    const double a = dot(way, way), b = dot(from, way);
    const double root = b * b - a * (dot(from, from) - shape.radius * shape.radius);
    if (a == 0.0 || root < 0.0) return false;
    for (const double sign : {-1.0, 1.0}) {
        const double t = (-b + sign * std::sqrt(root)) / a;
        if (!lies_between(t)) continue;
        const Vec3 to = subtract(line.at(t), shape.center);
        if (std::abs(dot(to, shape.axis)) > 0.5 * shape.height) continue;
        const double cosine = dot(normalized(across(to)), shape.normal);
        if (std::acos(std::clamp(cosine, -1.0, 1.0)) <= 0.5 * shape.opening_angle) return true;
    }
    return false;
}

bool crosses(const Target& target, const Line& line) {
    return std::visit(
        [&]<typename Shape>(const Shape& shape) -> bool {
            if constexpr (Shape::kIsFlat) {
                return crosses_flat(shape, target.outline, line);
            } else if constexpr (std::is_same_v<Shape, CylindricalTarget>) {
                return crosses_cylinder(shape, line);
            } else if constexpr (std::is_same_v<Shape, AnnularTarget>) {
                return crosses_ring(shape, line);
            } else {
                // Curved secondary mirrors rarely hide others; their own view decides.
                return false;
            }
        },
        target.geometry);
}

/// Returns a point on the surface and the normal of its lit face there.
std::array<Vec3, 2> middle_of(const Target& target) {
    return std::visit(
        [&]<typename Shape>(const Shape& shape) -> std::array<Vec3, 2> {
            if constexpr (Shape::kIsFlat) {
                return {shape.center, shape.normal};
            } else {
                const Vec3 point = default_aim_point(shape);
                return {point, lit_normal(shape, point)};
            }
        },
        target.geometry);
}

}  // namespace

FaceView view_of_faces(const std::vector<Target>& surfaces,
                       size_t index,
                       const std::vector<Vec3>& mirrors) {
    const auto [middle, normal] = middle_of(surfaces[index]);
    const size_t pairs = surfaces.size() * surfaces.size();
    const size_t samples = std::max<size_t>(50, kMaxTests / pairs);
    const size_t step = std::max<size_t>(1, mirrors.size() / samples);
    FaceView view;
    for (size_t i = 0; i < mirrors.size(); i += step) {
        const Line line{mirrors[i], subtract(middle, mirrors[i])};
        const double cosine = -dot(normal, line.way) / std::max(norm(line.way), 1e-300);
        bool is_free = true;
        for (size_t k = 0; k < surfaces.size() && is_free; ++k)
            is_free = k == index || !crosses(surfaces[k], line);
        if (is_free) (cosine > 0.0 ? view.lit : view.other) += std::abs(cosine);
    }
    return view;
}

void turn_over(Target& target) {
    std::visit(
        []<typename Shape>(Shape& shape) {
            if constexpr (Shape::kIsFlat || std::is_same_v<Shape, AnnularTarget>) {
                shape.normal = scaled(-1.0, shape.normal);
            } else if constexpr (std::is_same_v<Shape, MeshTarget>) {
                throw std::invalid_argument("projects have no meshes");
            } else if constexpr (requires { shape.side; } &&
                                 !std::is_same_v<Shape, ConcentratorTarget>) {
                using Side = typename Shape::Side;
                shape.side = shape.side == Side::inner ? Side::outer : Side::inner;
            }
        },
        target.geometry);
    // Seen from the other face, right and left are exchanged.
    for (auto& corner : target.outline) corner[0] = -corner[0];
    std::reverse(target.outline.begin(), target.outline.end());
}

}  // namespace helioray::soltrace

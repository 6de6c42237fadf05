// SPDX-License-Identifier: MIT
// Double-precision vectors for computations on the host.
#pragma once

#include <array>
#include <cmath>

namespace helioray {

/// A point (metres) or direction in a frame that the context defines, usually east, north, up.
using Vec3 = std::array<double, 3>;

/// Returns a + b.
inline Vec3 add(const Vec3& a, const Vec3& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}

/// Returns a - b.
inline Vec3 subtract(const Vec3& a, const Vec3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

/// Returns s a.
inline Vec3 scaled(double s, const Vec3& a) {
    return {s * a[0], s * a[1], s * a[2]};
}

/// Returns a + s b.
inline Vec3 add_scaled(const Vec3& a, double s, const Vec3& b) {
    return {a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]};
}

/// Returns the scalar product.
inline double dot(const Vec3& a, const Vec3& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Returns the vector product.
inline Vec3 cross(const Vec3& a, const Vec3& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// Returns the length.
inline double norm(const Vec3& a) {
    return std::sqrt(dot(a, a));
}

/// Returns the unit vector along a, whose length must not be 0.
inline Vec3 normalized(const Vec3& a) {
    const double length = norm(a);
    return {a[0] / length, a[1] / length, a[2] / length};
}

/// Returns the normalised part of v perpendicular to the unit vector n; zero if v is parallel to n.
inline Vec3 perpendicular(const Vec3& v, const Vec3& n) {
    const Vec3 rest = add_scaled(v, -dot(v, n), n);
    return norm(rest) < 1e-6 ? Vec3{} : normalized(rest);
}

}  // namespace helioray
